"""Threads of one name in two projects are two conversations of the hot path."""

from importlib import import_module

import pytest
from django.db import connection

from knowledge_graph.models import HotThread, HotTurn
from memory.access.scope import user_scope
from memory.models import EndUser
from tests.api_client import ApiClient
from tests.knowledge_graph.hotmem.test_hot_turn import count_evidence, say
from tests.memory.console.conftest import Console, console, operator  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db

OURS, THEIRS = "acme/atlas", "acme/borealis"


def test_what_one_project_spoke_of_steers_nothing_in_another(api: ApiClient, user: EndUser) -> None:
    say(api, "My brother Kofi lives in Kumasi.", thread="home")
    said = [say(api, text, project_id=OURS) for text in ("Kofi rang me this morning", "ok")]
    assert [one["turn"] for one in said] == [1, 2]
    assert any("Kumasi" in one["text"] for one in said[0]["bullets"])
    asked = say(api, "where does he live?", project_id=THEIRS)
    assert (asked["turn"], asked["bullets"], asked["system_message"]) == (1, [], None)
    # What was shown in the other rests there alone.
    assert say(api, "Kofi was late again, as always", project_id=THEIRS)["bullets"]
    assert say(api, "Kofi was late again, as always", project_id=OURS)["bullets"] == []
    assert say(api, "where does he live?", project_id=OURS)["bullets"]
    assert say(api, "ok")["turn"] == 1
    with user_scope(user):
        turns = HotThread.objects.filter(user=user, thread_id="t").values_list("project_id", "turn")
        assert dict(turns) == {OURS: 4, THEIRS: 2, "": 1}


def test_the_same_words_are_one_turn_in_one_project_alone(api: ApiClient, user: EndUser) -> None:
    words = "My boat is called Petrel."
    for door in ("turn first", "exchange first"):
        exchange = {"user_message": words, "assistant_message": "Nice.", "project_id": OURS}
        if door == "turn first":
            say(api, words, thread=door, project_id=THEIRS)
            say(api, words, thread=door, project_id=OURS)
        assert api.post(f"threads/{door}/exchanges", exchange).status_code == 201
        if door == "exchange first":
            say(api, words, thread=door, project_id=THEIRS)
            say(api, words, thread=door, project_id=OURS)
    with user_scope(user):
        linked = HotTurn.objects.filter(user=user).exclude(exchange_id=None)
        assert [turn.project_id for turn in linked] == [OURS, OURS]
    assert sorted(kind for kind, _ in count_evidence(user)) == ["exchange", "exchange", "hot_turn", "hot_turn"]


def test_the_page_shows_one_of_them_and_offers_all(api: ApiClient, user: EndUser, console: Console) -> None:  # noqa: F811
    for project, text in ((OURS, "We sail on Friday"), (THEIRS, "We row on Monday")):
        say(api, text, project_id=project)
    home = f"/console/{user.organization.slug}/{user.external_id}/hot"
    listed = console.get(f"{home}?thread=t").content.decode()
    assert (OURS in listed, THEIRS in listed, "We sail" in listed, "We row" in listed) == (True, True, False, False)
    page = console.get(f"{home}?thread=t&agent=&project=acme%2Fatlas").content.decode()
    assert ("We sail" in page, "We row" in page) == (True, False)
    say(api, "We swim on Sunday", thread="u", project_id=OURS)
    assert "We swim" in console.get(f"{home}?thread=u").content.decode()


def test_an_upgrade_gives_a_conversation_to_who_had_it(api: ApiClient, user: EndUser) -> None:
    say(api, "My brother Kofi lives in Kumasi.", thread="home")
    say(api, "Kofi rang me", thread="alone", project_id=OURS)
    say(api, "Kofi rang me", thread="mixed", project_id=OURS)
    with user_scope(user), connection.cursor() as cursor:
        # As it was before: one state of all.
        HotThread.objects.filter(user=user).update(project_id="", mentions=["kofi"])
        HotThread.objects.filter(user=user, thread_id="mixed").update(turn=3)
        for number, project in ((2, THEIRS), (3, OURS)):
            HotTurn.objects.create(user=user, project_id=project, thread_id="mixed", number=number)
        cursor.execute(import_module("knowledge_graph.migrations.0008_thread_scopes").MOVE)
        found = HotThread.objects.filter(user=user).values_list("thread_id", "project_id", "mentions")
        assert {thread: (project, mentions) for thread, project, mentions in found} == {
            "home": ("", ["kofi"]),
            "alone": (OURS, ["kofi"]),
            "mixed": ("", []),
        }
    going_on = {"": 4, OURS: 4, THEIRS: 3}
    assert {one: say(api, "ok", thread="mixed", project_id=one or None)["turn"] for one in going_on} == going_on
