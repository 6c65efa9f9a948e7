"""A context in two parts: what is the same in every turn of a thread, to the byte, and what belongs to one turn."""

import hashlib
from typing import Any

import pytest

from memory.models import EndUser
from tests.api_client import ApiClient, client_for
from tests.factories import MemoryItemFactory

pytestmark = pytest.mark.usefixtures("services")


def store_in_bank(api: ApiClient, text: str, **fields: Any) -> str:
    body = {"text": text, "tier": "memory_bank", "tags": ["identity"], **fields}
    answer = api.post("memories", body)
    assert answer.status_code == 201, answer.content
    return str(answer.json()["id"])


def get_halves(api: ApiClient, query: str, thread: str = "t", **fields: Any) -> tuple[dict[str, str], dict[str, str]]:
    answer = api.post("context", {"query": query, "thread_id": thread, **fields})
    assert answer.status_code == 200, answer.content
    body = answer.json()
    for half in (body["stable"], body["turn"]):
        assert half["hash"] == hashlib.sha256(half["text"].encode()).hexdigest()
    return body["stable"], body["turn"]


@pytest.fixture
def bank(api: ApiClient) -> None:
    store_in_bank(api, "I'm allergic to peanuts.")
    store_in_bank(api, "I like short answers without emojis.", always_inject=True)
    store_in_bank(api, "I keep two goats.")


def test_what_stands_whatever_is_asked_is_stable_and_what_was_found_is_of_the_turn(
    api: ApiClient, user: EndUser, bank: None
) -> None:
    MemoryItemFactory.create(user=user, text="The lighthouse lamp was oiled")
    stable, turn = get_halves(api, "What was done to the lighthouse lamp?")
    assert "long-term memory of this person" in stable["text"]
    assert "allergic to peanuts" in stable["text"]
    assert "without emojis" in stable["text"]
    assert "lamp was oiled" in turn["text"]
    assert "peanuts" not in turn["text"]
    assert "lamp was oiled" not in stable["text"]


def test_the_stable_part_is_the_same_to_the_byte_from_turn_to_turn(api: ApiClient, user: EndUser, bank: None) -> None:
    MemoryItemFactory.create(user=user, text="The lighthouse lamp was oiled")
    first, _ = get_halves(api, "What was done to the lighthouse lamp?")
    assert get_halves(api, "What was done to the lighthouse lamp?")[0] == first
    assert get_halves(api, "Suggest a dinner with nuts for tonight")[0] == first
    assert get_halves(api, "How many goats do I keep?")[0] == first
    api.post("memories", {"text": "The harbour was repainted in May."})
    store_in_bank(api, "My sister keeps bees.")
    api.post("threads/t/exchanges", {"user_message": "Hello there", "assistant_message": "Good morning"})
    assert get_halves(api, "What of the harbour?")[0] == first
    other, _ = get_halves(api, "What of the harbour?", thread="another")
    assert other["hash"] != first["hash"], "another thread has another fence"


def test_the_stable_part_changes_when_what_it_says_does(api: ApiClient, bank: None) -> None:
    first, _ = get_halves(api, "Suggest a dinner")
    added = store_in_bank(api, "I cannot eat gluten.")
    second, _ = get_halves(api, "Suggest a dinner")
    assert second["hash"] != first["hash"]
    assert "gluten" in second["text"]
    assert second["text"].index("peanuts") < second["text"].index("gluten"), "what is new comes last"
    api.delete(f"memories/{added}")
    assert get_halves(api, "Suggest a dinner")[0] == first


def test_constraints_too_many_to_tell_them_all_belong_to_the_turn_that_they_touch(api: ApiClient) -> None:
    for food in ("peanuts", "gluten", "sesame", "shellfish", "mustard", "celery", "lupin", "soy", "eggs"):
        store_in_bank(api, f"I'm allergic to {food}.")
    dinner, to_dinner = get_halves(api, "Suggest a dinner for tonight")
    assert "allergic" not in dinner["text"]
    assert "allergic" in to_dinner["text"]
    assert get_halves(api, "When did we repaint the harbour?")[0] == dinner


def test_a_stranger_has_the_same_stable_part_in_every_turn(api: ApiClient, user: EndUser) -> None:
    stranger = client_for(user)
    stranger.external_id = "nobody-yet"
    first, turn = get_halves(stranger, "Hello")
    assert (turn["text"], get_halves(stranger, "Something else")[0]) == ("", first)
    assert first["text"]


def test_a_client_with_little_room_is_handed_no_more_than_fits(api: ApiClient, bank: None) -> None:
    body = api.post("context", {"query": "Suggest a dinner", "thread_id": "t", "max_tokens": 200}).json()
    assert body["budget"]["used"] <= 200


def test_hooks_are_handed_the_same_halves(api: ApiClient, bank: None) -> None:
    stable, _ = get_halves(api, "Suggest a dinner")
    asked = {"user_id": api.external_id, "query": "Suggest a dinner", "thread_id": "t"}
    hook = api.post("/api/v1/hooks/context", asked)
    assert hook.status_code == 200, hook.content
    assert hook.json()["stable"] == stable
