"""What a deleted memory had taken the place of holds again, whichever way it was deleted."""

from collections.abc import Callable
from typing import Any

import pytest

from memory import tasks
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, Fact, MemoryItem
from memory.models.facts import FactState
from memory.retrieval.results import SearchRequest
from memory.tiers import Status, Tier
from outcomes.exchanges import profiling
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.memory.api.fact_calls import listed

pytestmark = pytest.mark.usefixtures("services")

LISBON, PORTO, FARO = "I live in Lisbon.", "I live in Porto.", "I live in Faro."
memory = MemoryFacade("key:test")


def say(user: EndUser, clock: Clock, *messages: str) -> list[str]:
    """Told in conversations, and read. Returns the ids of their memories."""
    said = []
    for message in messages:
        said.append(
            str(memory.store_exchange(user, NewExchange(f"t {message}", message, "I see."), now=clock()).memory_id)
        )
        profiling.profile_due_exchanges(user, now=clock())
        clock.advance(days=1)
    return said


def find_banked(user: EndUser, text: str) -> str:
    with user_scope(user):
        return str(MemoryItem.objects.for_user(user).get(tier=Tier.MEMORY_BANK, text=text).pk)


def list_banked(user: EndUser) -> list[str]:
    with user_scope(user):
        banked = MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK, status=Status.ACTIVE)
        return list(banked.values_list("text", flat=True))


def delete_one(api: ApiClient, item_id: str) -> int:
    return int(api.delete(f"memories/{item_id}").status_code)


def delete_matching(api: ApiClient, item_id: str) -> int:
    return int(api.post("memories/delete", {"ids": [item_id]}).status_code)


def archive(api: ApiClient, item_id: str) -> int:
    return int(api.post(f"memories/{item_id}/archive").status_code)


def archive_by_tool(api: ApiClient, item_id: str) -> int:
    return int(api.post("tools/archive_memory", {"memory_id": item_id}).status_code)


@pytest.mark.parametrize("remove", [delete_one, delete_matching, archive, archive_by_tool])
def test_what_a_statement_of_the_bank_had_replaced_holds_again(
    api: ApiClient, user: EndUser, clock: Clock, remove: Callable[[ApiClient, str], int]
) -> None:
    say(user, clock, LISBON, PORTO)
    assert list_banked(user) == [PORTO]
    assert remove(api, find_banked(user, PORTO)) in {200, 204}
    assert listed(api) == list_banked(user) == [LISBON]
    hits = memory.search(user, SearchRequest("Where do I live?"), now=clock()).hits
    assert {hit.superseded_by for hit in hits if hit.item.text == LISBON} == {None}


def test_what_a_conversation_had_replaced_holds_again(api: ApiClient, user: EndUser, clock: Clock) -> None:
    _, porto = say(user, clock, LISBON, PORTO)
    assert delete_one(api, porto) == 204
    assert listed(api) == list_banked(user) == [LISBON]
    with user_scope(user):
        assert not Fact.objects.for_user(user).filter(statement=PORTO).exists()


def test_of_a_chain_the_earlier_holds_until_what_is_left_of_it(api: ApiClient, user: EndUser, clock: Clock) -> None:
    _, porto, faro = say(user, clock, LISBON, PORTO, FARO)
    delete_one(api, porto)
    assert listed(api) == [FARO]
    with user_scope(user):
        lisbon, after = (Fact.objects.for_user(user).get(statement=text) for text in (LISBON, FARO))
        assert (lisbon.superseded_by, lisbon.valid_to) == (after.pk, after.valid_from)
    delete_one(api, faro)
    assert listed(api) == list_banked(user) == [LISBON]


def test_deleting_both_ends_of_a_chain_brings_back_what_stands_before_them(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    _, porto, faro = say(user, clock, LISBON, PORTO, FARO)
    assert api.post("memories/delete", {"ids": [porto, faro]}).json()["deleted"] == 2
    assert listed(api) == list_banked(user) == [LISBON]


@pytest.mark.parametrize("status", ["active", "archived"])
def test_deleting_the_old_and_the_new_leaves_neither(api: ApiClient, user: EndUser, clock: Clock, status: str) -> None:
    say(user, clock, LISBON, PORTO)
    named = [find_banked(user, LISBON), find_banked(user, PORTO)]
    api.post("memories/delete", {"ids": named if status == "active" else named[::-1]})
    assert (listed(api), list_banked(user)) == ([], [])


def test_deleting_all_brings_nothing_back(api: ApiClient, user: EndUser, clock: Clock) -> None:
    """Not even a fact that no memory tells any more, as retention by age leaves it."""
    lisbon, _ = say(user, clock, LISBON, PORTO)
    with user_scope(user):
        Fact.objects.for_user(user).filter(statement=LISBON).update(bank_item_id=None)
        for fact in Fact.objects.for_user(user).filter(statement=LISBON):
            fact.evidence.filter(user=user, memory_id=lisbon).update(memory_id=None)
    api.post("memories/delete", {"all": True})
    assert (listed(api), list_banked(user)) == ([], [])


def test_erasing_a_person_brings_nothing_back(api: ApiClient, user: EndUser, clock: Clock) -> None:
    say(user, clock, LISBON, PORTO)
    erasure = memory.request_erasure(user, now=clock())
    tasks.erase_user(str(erasure.pk))
    assert (listed(api), list_banked(user)) == ([], [])


def test_a_restored_statement_ends_again_what_it_had_replaced(api: ApiClient, user: EndUser, clock: Clock) -> None:
    say(user, clock, LISBON, PORTO)
    porto = find_banked(user, PORTO)
    archive(api, porto)
    assert listed(api) == [LISBON]
    api.post(f"memories/{porto}/restore")
    assert listed(api) == list_banked(user) == [PORTO]


def test_what_an_order_to_forget_left_ended_names_no_fact_that_is_gone(
    api: ApiClient, user: EndUser, clock: Clock
) -> None:
    say(user, clock, LISBON, PORTO)
    with user_scope(user):
        porto = Fact.objects.for_user(user).get(statement=PORTO)
    api.post("commands", {"text": "Forget that I live in Porto"})
    api.delete(f"facts/{porto.pk}")
    with user_scope(user):
        lisbon: Any = Fact.objects.for_user(user).get(statement=LISBON)
        assert (lisbon.state, lisbon.superseded_by) == (FactState.SUPERSEDED, None)
