"""A few words that answer the assistant are read by the hot path as their exchange is read."""

from typing import Any

import pytest
from django.utils import timezone

from knowledge_graph.models import HotTurn
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.facts.queries import FactFilter
from memory.models import EndUser, FactEvidence
from memory.models.facts import FactState
from outcomes.exchanges.profiling import profile_due_exchanges
from tests.api_client import ApiClient

pytestmark = pytest.mark.django_db

ASKS = "With pleasure. And how old is Theo?"
PAIR = ("theo", "about", "And how old is Theo? nine.")


def say(api: ApiClient, text: str, **fields: Any) -> dict[str, Any]:
    answer = api.post("hot/turn", {"thread_id": "t", "text": text, **fields})
    assert answer.status_code == 200, answer.content
    return answer.json()


def store_exchange(api: ApiClient, said: str, reply: str) -> None:
    answer = api.post("threads/t/exchanges", {"user_message": said, "assistant_message": reply})
    assert answer.status_code == 201, answer.content


def list_triples(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(fact["s"], fact["r"], fact["d"]) for fact in answer["facts"]]


def list_facts(user: EndUser, state: FactState = FactState.ACTIVE) -> dict[str, tuple[str, str, str]]:
    found = MemoryFacade().list_facts(user, FactFilter(state=state), now=timezone.now(), limit=50)
    return {fact.statement: fact.keys for fact in found}


def count_evidence(user: EndUser) -> int:
    with user_scope(user):
        return FactEvidence.objects.filter(user=user).count()


def test_a_value_is_told_of_whom_the_stored_exchange_asked_about(api: ApiClient, user: EndUser) -> None:
    say(api, "cake for theo")
    store_exchange(api, "cake for theo", ASKS)
    told = say(api, "nine.")
    assert (list_triples(told), told["facts"][0]["status"], told["intent"]) == ([PAIR], "stored", "FACT_STATEMENT")
    assert list_facts(user) == {PAIR[2]: ("theo", "about", "")}
    # Its own exchange tells the same, and counts once.
    known = count_evidence(user)
    store_exchange(api, "nine.", "A lemon cake then.")
    profile_due_exchanges(user)
    assert (count_evidence(user), list(list_facts(user))) == (known, [PAIR[2]])


def test_a_slot_is_filled_by_what_was_asked(api: ApiClient, user: EndUser) -> None:
    store_exchange(api, "book me a cab", "Where do you live?")
    assert list_triples(say(api, "Hull")) == [("you", "lives_in", "hull")]
    # The next turn answers nothing: its exchange is not there yet.
    assert list_triples(say(api, "Leeds")) == []
    assert any("Hull" in bullet["text"] for bullet in say(api, "where do I live?")["bullets"])


def test_a_no_ends_what_was_asked_about(api: ApiClient, user: EndUser) -> None:
    say(api, "I work at Bosch.")
    answer = say(api, "nah, left in june", last_reply="Are you still at Bosch?")
    assert [one["d"].casefold() for one in answer["superseded"]] == ["bosch"]
    assert "I work at Bosch." in list_facts(user, FactState.SUPERSEDED)
    moved = say(api, "no, York", last_reply="Do you still live in Leeds?")
    assert list_triples(moved) == [("you", "lives_in", "york")]


def test_the_client_may_send_what_no_exchange_holds(api: ApiClient, user: EndUser) -> None:
    assert list_triples(say(api, "nine.", last_reply=ASKS)) == [PAIR]
    assert list_triples(say(api, "nine.", last_reply="A lemon cake then.")) == []
    assert api.post("hot/turn", {"thread_id": "t", "text": "nine.", "last_reply": ""}).status_code == 422


def test_the_talk_that_led_to_a_question_says_whose_it_is(api: ApiClient, user: EndUser) -> None:
    say(api, "My mum's poorly.")
    say(api, "metformin", last_reply="What does she take?")
    say(api, "500 twice a day", last_reply="What dose?")
    assert not [keys for keys in list_facts(user).values() if keys[0] == "you"]
    assert any("500 twice a day" in statement for statement in list_facts(user))


def test_a_turn_is_not_asked_by_its_own_exchange(api: ApiClient, user: EndUser) -> None:
    store_exchange(api, "cake for theo", "Noted.")
    say(api, "cake for theo")
    store_exchange(api, "nine.", ASKS)
    assert list_triples(say(api, "nine.")) == []


def test_what_is_not_observed_leaves_no_question(api: ApiClient, user: EndUser) -> None:
    answer = say(api, "nine.", last_reply=ASKS, observe=False)
    assert [(fact["status"], fact["reason"]) for fact in answer["facts"]] == [("skipped", "not_observed")]
    with user_scope(user):
        assert not HotTurn.objects.filter(user=user).exists()


def test_a_secret_that_is_asked_for_is_not_kept(api: ApiClient, user: EndUser) -> None:
    answer = say(api, "4711", last_reply="What is the PIN of your card?")
    assert not any(fact["status"] == "stored" for fact in answer["facts"])
    assert list_facts(user) == {}


def test_a_yes_or_no_of_no_slot_waits_for_its_exchange(api: ApiClient, user: EndUser) -> None:
    say(api, "Biscuit is my cat")
    answer = say(api, "no", last_reply="Is your cat still at the vet?")
    assert {fact.get("reason") for fact in answer["facts"]} == {"waits_for_its_exchange"}


def test_what_is_forgotten_takes_the_question_with_it(api: ApiClient, user: EndUser) -> None:
    say(api, "My cat is called Mog.")
    say(api, "in June", last_reply="When does Mog see the vet?")
    assert api.post("hot/forget", {"s": "you", "r": "cat"}).status_code == 200
    with user_scope(user):
        assert not [turn.trace for turn in HotTurn.objects.filter(user=user) if "Mog" in str(turn.trace)]
