"""The hot path over REST: what a turn tells is kept once, what is known is laid beside the next one."""

from typing import Any

import pytest
from django.utils import timezone

from knowledge_graph.hotmem.threads import purge_threads
from knowledge_graph.models import HOT_TABLES, HotThread, HotTurn
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.facts.queries import FactFilter
from memory.lifecycle import erasure
from memory.models import EndUser, Fact, FactEvidence
from memory.models.facts import FactState
from outcomes.exchanges.profiling import profile_due_exchanges
from outcomes.models import Exchange
from tests.api_client import ApiClient, client_for
from tests.conftest import Clock

pytestmark = pytest.mark.django_db


def say(api: ApiClient, text: str, thread: str = "t", **fields: Any) -> dict[str, Any]:
    answer = api.post("hot/turn", {"thread_id": thread, "text": text, **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


def list_facts(user: EndUser, state: FactState = FactState.ACTIVE) -> dict[tuple[str, str], str]:
    found = MemoryFacade().list_facts(user, FactFilter(state=state), now=timezone.now(), limit=50)
    return {(fact.subject_key, fact.relation): fact.object_key for fact in found}


def count_evidence(user: EndUser) -> list[tuple[str, int]]:
    with user_scope(user):
        return [(row.kind, row.fact.evidence_count) for row in FactEvidence.objects.filter(user=user).order_by("pk")]


def test_a_turn_is_kept_and_answers_the_next(api: ApiClient, user: EndUser) -> None:
    told = say(api, "My sister Marina lives in Oviedo.")
    assert ("marina", "lives_in") in list_facts(user)
    assert {one["status"] for one in told["facts"]} == {"stored"}
    asked = say(api, "where does my sister live?", thread="another")
    assert asked["intent"] == "PURE_QUESTION"
    assert any("Oviedo" in bullet["text"] for bullet in asked["bullets"])
    assert "Oviedo" in asked["system_message"]
    assert set(asked["timings_ms"]) == {"intent", "extraction", "update", "retrieval", "total"}
    assert say(api, "haha nice one", thread="another")["bullets"] == []


def test_a_changed_fact_is_superseded_and_a_corrected_one_retracted(api: ApiClient, user: EndUser) -> None:
    say(api, "I live in Leeds.")
    moved = say(api, "I live in Sheffield.")
    assert [one["d"].casefold() for one in moved["superseded"]] == ["leeds"]
    assert moved["retracted"] == []
    corrected = say(api, "Sorry, I meant York, not Sheffield.")
    assert [one["d"].casefold() for one in corrected["retracted"]] == ["sheffield"]
    assert list_facts(user)["you", "lives_in"] == "york"
    assert list_facts(user, FactState.SUPERSEDED)["you", "lives_in"] == "leeds"
    assert list_facts(user, FactState.RETRACTED)["you", "lives_in"] == "sheffield"


def test_the_same_words_count_once_through_both_doors(api: ApiClient, user: EndUser) -> None:
    facade, words = MemoryFacade(), "I work at Siemens."
    exchange = {"user_message": words, "assistant_message": "Noted."}
    assert say(api, words)["facts"][0]["status"] == "stored"
    assert api.post("threads/t/exchanges", exchange).status_code == 201
    profile_due_exchanges(user)
    assert count_evidence(user) == [("exchange", 1)]
    # The bank takes it all the same, as it would have without the hot path.
    assert facade.list_facts(user, FactFilter(), now=timezone.now(), limit=5)[0].bank_item_id is not None
    # The other way round: first the exchange, then the turn.
    api.post("threads/u/exchanges", {"user_message": "My cat is called Bigotes.", "assistant_message": "Nice."})
    profile_due_exchanges(user)
    known = count_evidence(user)
    assert say(api, "My cat is called Bigotes.", thread="u")["facts"][0]["status"] == "reinforced"
    assert count_evidence(user) == known
    # Said again later it is one more mention.
    assert say(api, words, thread="v")["facts"][0]["status"] == "reinforced"
    assert len(count_evidence(user)) == len(known) + 1


def test_the_same_words_are_found_among_long_messages_however_they_are_spaced(api: ApiClient, user: EndUser) -> None:
    words = "My cat is called Bigotes."
    spaced = words.upper().replace(" ", "   \n")
    for said in (f"{words} " * 400, spaced, "ok"):
        assert api.post("threads/t/exchanges", {"user_message": said, "assistant_message": "Nice."}).status_code == 201
    say(api, words)
    with user_scope(user):
        linked = Exchange.objects.get(pk=str(HotTurn.objects.get(user=user).exchange_id))
    assert linked.user_message.split() == spaced.split()


def test_deleting_the_memory_takes_the_turn_along(api: ApiClient, user: EndUser) -> None:
    words = "I work at Siemens."
    say(api, words)
    stored = api.post("threads/t/exchanges", {"user_message": words, "assistant_message": "Noted."}).json()
    api.delete(f"memories/{stored['memory_id']}")
    with user_scope(user):
        assert not HotTurn.objects.filter(user=user).exists()
        assert not Fact.objects.for_user(user).exists()


@pytest.mark.parametrize("observe", [True, False])
def test_a_language_that_is_not_switched_on_is_refused(api: ApiClient, user: EndUser, observe: bool) -> None:
    turn = {"thread_id": "t", "text": "Ik woon in Gent.", "lang": "nl", "observe": observe}
    refused = api.post("hot/turn", turn)
    assert (refused.status_code, refused.json()["errors"]) == (
        422, [{"field": "lang", "message": "must be one of en, es, fr, de, it, he, pt, or left out"}]
    )  # fmt: skip
    with user_scope(user):
        assert not HotTurn.objects.filter(user=user).exists()


def test_observing_needs_the_scope_write_and_reading_keeps_no_word(user: EndUser) -> None:
    reader = client_for(user, ("read",))
    refused = reader.post("hot/turn", {"thread_id": "t", "text": "I live in Leeds."})
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    answer = say(reader, "I live in Leeds.", observe=False)
    assert [one["status"] for one in answer["facts"]] == ["skipped"]
    with user_scope(user):
        assert not Fact.objects.for_user(user).exists()
        assert not HotTurn.objects.filter(user=user).exists()
    stranger = ApiClient("nobody-yet", reader.key)
    assert say(stranger, "where do I live?", observe=False)["bullets"] == []
    assert not EndUser.objects.filter(external_id="nobody-yet").exists()


def test_a_dose_is_known_by_what_its_medicine_is_for(api: ApiClient) -> None:
    say(api, "I take 10 mg of ramipril every morning.", thread="a")
    for question in ("How strong are my blood pressure tablets?", "¿Qué dosis de la pastilla de la tensión me toca?"):
        assert any("10 mg" in one["text"] for one in say(api, question, thread=question[1:4])["bullets"]), question


def test_a_bullet_rests_for_some_turns_and_stays_in_the_message(api: ApiClient) -> None:
    say(api, "My brother Kofi lives in Kumasi.", thread="a")
    first = say(api, "Kofi rang me this morning")
    assert first["bullets"]
    second = say(api, "Kofi was late again, as always")
    assert second["bullets"] == []
    assert "Kumasi" in second["system_message"]
    assert second["system_message"].startswith("Use the following factual context if helpful:")
    # What is asked for is said again.
    assert any("Kumasi" in one["text"] for one in say(api, "where does Kofi live?")["bullets"])


def test_secrets_are_taken_out_before_a_turn_is_read(api: ApiClient, user: EndUser) -> None:
    token = "ghp_" + "Ab1" * 12
    say(api, f"I live in Leeds and my token is {token}")
    with user_scope(user):
        kept = " ".join([*HotTurn.objects.filter(user=user).values_list("text", flat=True), str(list_facts(user))])
    assert token not in kept
    assert "Leeds" in kept


def test_a_conversation_is_forgotten_after_a_week_and_with_its_person(
    api: ApiClient, user: EndUser, foreign_user: EndUser, clock: Clock
) -> None:
    say(api, "I live in Leeds.")
    say(client_for(foreign_user), "I live in Hull.")
    assert purge_threads(user.pk, now=timezone.now()) == 0
    clock.advance(days=8)
    assert purge_threads(user.pk, now=timezone.now()) == 2
    with user_scope(foreign_user):
        assert HotThread.objects.filter(user=foreign_user).count() == 1
    say(api, "I live in Leeds.")
    requested = erasure.request_erasure(user, now=timezone.now())
    erasure.finish_erasure(requested.pk, now=timezone.now())
    with user_scope(user):
        assert not any(model._default_manager.filter(user_id=user.pk).exists() for model in HOT_TABLES)


def test_the_same_request_twice_is_one_turn(api: ApiClient, user: EndUser) -> None:
    body = {"thread_id": "t", "text": "I live in Leeds."}
    first = api.post("hot/turn", body, Idempotency_Key="one")
    assert api.post("hot/turn", body, Idempotency_Key="one").content == first.content
    assert first.json()["turn"] == 1
    assert say(api, "ok")["turn"] == 2


def test_a_context_ends_with_bullets_that_nothing_else_in_it_says(api: ApiClient, user: EndUser) -> None:
    say(api, "My brother Kofi lives in Kumasi.")
    # Known lines are chosen by relation and meaning; that Kofi was named in passing only the hot path knows.
    answer = api.post("context", {"query": "Kofi just texted", "thread_id": "t"}).json()
    names = [section["name"] for section in answer["sections"]]
    assert names[-1] == "hot_bullets"
    lines = answer["sections"][-1]["text"].splitlines()[1:-1]
    assert 0 < len(lines) <= 5
    assert answer["injection"].casefold().count("kumasi") == 1
    assert answer["turn"]["text"].endswith(answer["sections"][-1]["text"])
    assert api.post("context", {"query": "Kofi just texted", "thread_id": "t"}).json()["sections"] == answer["sections"]
    # What the known context tells is not told again.
    asked = api.post("context", {"query": "where does my brother live?", "thread_id": "t"}).json()
    assert asked["injection"].casefold().count("kumasi") == 1


def test_who_was_introduced_in_another_conversation_is_known_when_they_are_gone(api: ApiClient, user: EndUser) -> None:
    say(api, "We've got a whippet called Doris.", thread="spring")
    assert list_facts(user)["you", "dog"] == "doris"
    ended = say(api, "Doris died", thread="autumn")
    assert [one["d"].casefold() for one in ended["superseded"]] == ["doris"]
    assert ("you", "dog") not in list_facts(user)


@pytest.mark.parametrize(
    ("told", "asked", "language", "line"),
    [
        ("Sto imparando il tedesco.", "Che sport pratico?", "it", "Di te – apprendimento: tedesco"),
        ("Não como carne vermelha.", "que carne eu evito?", "pt", "Você disse: “Não como carne vermelha.”"),
    ],
)
def test_a_turn_too_short_to_tell_its_language_is_answered_in_the_persons_own(
    api: ApiClient, user: EndUser, told: str, asked: str, language: str, line: str
) -> None:
    api.post("threads/t/exchanges", {"user_message": told, "assistant_message": "Ok."})
    profile_due_exchanges(user)
    answer = say(api, asked, thread="u")
    assert answer["lang"] == language
    assert any(line in bullet["text"] for bullet in answer["bullets"])
