"""The console's page of a conversation on the hot path."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from django.utils.html import strip_tags

from knowledge_graph.hotmem.replay import replay_thread
from memory.models import EndUser
from tests.api_client import ApiClient
from tests.knowledge_graph.hotmem.test_hot_turn import say
from tests.memory.console.conftest import Console, console, operator  # noqa: F401  (fixtures)

pytestmark = pytest.mark.django_db


HOSTILE = "<script>alert(1)</script> & my brother Kofi lives in Kumasi"


def test_a_conversation_is_shown_turn_by_turn(api: ApiClient, user: EndUser, console: Console) -> None:  # noqa: F811
    thread = "plans & <notes>"
    say(api, "My brother Kofi lives in Kumasi.", thread)
    say(api, "Kofi rang me <b>this</b> morning", thread)
    say(api, "where does my brother live?", thread)
    home = f"/console/{user.organization.slug}/{user.external_id}"
    listed = console.get(f"{home}/hot").content.decode()
    assert "3 turns" in listed
    page = console.get(f"{home}/hot?thread={quote(thread, safe='')}").content.decode()
    assert page.index("turn 3") < page.index("turn 1")
    assert "Kofi rang me &lt;b&gt;this&lt;/b&gt; morning" in page
    assert "kumasi" in page.casefold()
    for words in ("asks, in English", "stored", "said", "Use the following factual context if helpful:"):
        assert words in page, words
    assert f"{home}/hot" in console.get(f"{home}/conversations").content.decode()
    say(api, HOSTILE, HOSTILE)
    assert "<script>alert" not in console.get(f"{home}/hot?thread={quote(HOSTILE, safe='')}").content.decode()
    assert "Nothing of this conversation is kept" in console.get(f"{home}/hot?thread=none").content.decode()


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", ("You · has asthma", "You · works at Acme", "Kofi · lives in Kumasi", "stored")),
        ("de", ("Du · hat asthma", "Du · arbeitet bei Acme", "Kofi · wohnt in Kumasi", "gespeichert")),
    ],
)
def test_relations_are_told_in_words(
    api: ApiClient,
    user: EndUser,
    console: Console,  # noqa: F811
    language: str,
    told: tuple[str, ...],
) -> None:
    for text in ("I have asthma.", "I work at Acme.", "My brother Kofi lives in Kumasi."):
        say(api, text)
    console.cookies["commonplace_language"] = language
    page = console.get(f"/console/{user.organization.slug}/{user.external_id}/hot?thread=t").content.decode()
    shown = " ".join(strip_tags(page).split())
    assert [words for words in told if words not in shown] == []
    assert not set(re.findall(r"\b[a-z]+_[a-z]+\b", shown))


def test_a_secret_is_shown_as_a_label(api: ApiClient, user: EndUser, console: Console) -> None:  # noqa: F811
    say(api, "Remember that the wifi password is Larch-tree-77.")
    page = console.get(f"/console/{user.organization.slug}/{user.external_id}/hot?thread=t").content.decode()
    assert "wifi password removed</bdi>" in page
    assert "[redacted" not in page


def test_what_was_forgotten_is_not_replayed(api: ApiClient, user: EndUser, console: Console) -> None:  # noqa: F811
    say(api, "My brother Kofi lives in Kumasi.")
    say(api, "ok, and now to something else")
    api.post("hot/forget", {"s": "kofi"})
    page = console.get(f"/console/{user.organization.slug}/{user.external_id}/hot?thread=t").content.decode()
    assert "Kumasi" not in page
    assert "something else" in page


@pytest.mark.parametrize("mode", ["rotating", "turn"])
def test_a_turn_is_replayed_with_the_message_it_got(api: ApiClient, user: EndUser, settings: Any, mode: str) -> None:
    settings.MEMORY = {**settings.MEMORY, "HOTMEM": {**settings.MEMORY["HOTMEM"], "mode": mode}}
    say(api, "My brother Kofi lives in Kumasi.")
    given = [say(api, text)["system_message"] for text in ("where does my brother live?", "do you know Kofi?")]
    replayed = [turn.message for turn in replay_thread(user, "t", limit=2)][::-1]
    assert [text.splitlines()[3:] for text in replayed] == [(text or "").splitlines()[3:] for text in given]
    assert f"last {10 if mode == 'rotating' else 1} conversational" in replayed[0]
    assert f"last {10 if mode == 'rotating' else 1} conversational" in (given[0] or "")
