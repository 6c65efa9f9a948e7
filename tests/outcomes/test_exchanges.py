"""A finished turn: the exchange is kept whole, remembered in working, and asks for an outcome when it should."""

import uuid
from datetime import timedelta
from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.retrieval.results import SearchRequest
from memory.signals import promotion_due
from memory.store.admission import NewMemory, WriteRefused
from memory.tiers import Tier
from outcomes.exchanges import listing, storing
from outcomes.exchanges.storing import NewExchange, StoredExchange
from outcomes.models import Exchange
from tests.conftest import Clock

memory = MemoryFacade("key:test")


def record_exchange(user: EndUser, clock: Clock, asked: str = "Where is the key?", **fields: Any) -> StoredExchange:
    new = NewExchange(fields.pop("thread_id", "t-1"), asked, fields.pop("answered", "Behind the boiler."), **fields)
    return memory.store_exchange(user, new, now=clock())


def load_exchange(user: EndUser, exchange_id: uuid.UUID) -> Exchange:
    with user_scope(user):
        return Exchange.objects.get(pk=exchange_id)


def test_an_exchange_is_kept_whole_and_remembered_in_working(user: EndUser, clock: Clock) -> None:
    tools = [{"name": "search_memory", "ok": True, "ms": 12}]
    stored = record_exchange(user, clock, tools=tools)
    row = load_exchange(user, stored.exchange_id)
    assert (row.user_message, row.assistant_message, row.tools) == ("Where is the key?", "Behind the boiler.", tools)
    item = memory.get(user, stored.memory_id)
    assert item is not None
    assert (item.tier, item.thread_id) == (Tier.WORKING, "t-1")
    assert item.text == "User: Where is the key?\nAssistant: Behind the boiler."
    assert item.expires_at == clock() + timedelta(hours=24)
    assert (stored.required_scoring, stored.state) == (False, "scored")
    assert memory.get_stats(user).exchanges == 1


@pytest.mark.parametrize(
    ("asked", "answered"), [("q" * 32_768, "a" * 32_768), ("q" * 32_768, "a"), ("q", "a" * 32_768)]
)
def test_the_longest_messages_fit_and_both_have_a_part_in_the_memory(
    user: EndUser, clock: Clock, asked: str, answered: str
) -> None:
    stored = record_exchange(user, clock, asked, answered=answered)
    row = load_exchange(user, stored.exchange_id)
    assert (row.user_message, row.assistant_message) == (asked, answered)
    item = memory.get(user, stored.memory_id)
    assert item is not None
    assert len(item.text) <= 32_768
    assert item.text.startswith("User: q")
    assert item.text.removesuffix(storing.CUT_MARK).endswith("a")
    assert "\nAssistant: a" in item.text


@pytest.mark.parametrize(
    ("asked", "answered", "field"),
    [("", "yes", "user_message"), ("hm", " ", "assistant_message"), ("a\x00b", "yes", "user_message")],
)
def test_a_message_that_breaks_a_rule_is_named_and_nothing_is_kept(
    user: EndUser, clock: Clock, asked: str, answered: str, field: str
) -> None:
    with pytest.raises(WriteRefused) as refusal:
        record_exchange(user, clock, asked, answered=answered)
    assert refusal.value.field == field
    assert memory.get_stats(user).exchanges == 0
    assert memory.get_stats(user).tiers["working"] == {}


@pytest.mark.parametrize(
    ("tier", "interrupted", "required"),
    [
        (Tier.HISTORY, False, True),
        (Tier.HISTORY, True, False),
        (Tier.MEMORY_BANK, False, False),
        (Tier.BOOKS, False, False),
    ],
)
def test_an_outcome_is_asked_for_when_something_that_can_be_scored_was_shown(
    user: EndUser, clock: Clock, services: None, tier: Tier, interrupted: bool, required: bool
) -> None:
    memory.store(user, NewMemory("The ferry to Hvar is blue", tier=tier, tags=["context"]), now=clock())
    turn_id = memory.search(user, SearchRequest("ferry"), now=clock()).turn_id
    stored = record_exchange(user, clock, turn_id=turn_id, interrupted=interrupted)
    assert (stored.required_scoring, stored.state) == (required, "unscored" if required else "scored")
    assert listing.load_thread_state(user, "t-1").waits is required


def test_a_turn_of_somebody_else_asks_for_nothing(
    user: EndUser, other_user: EndUser, clock: Clock, services: None
) -> None:
    memory.store(other_user, NewMemory("The ferry to Hvar is blue"), now=clock())
    turn_id = memory.search(other_user, SearchRequest("ferry"), now=clock()).turn_id
    assert record_exchange(user, clock, turn_id=turn_id).required_scoring is False


def test_a_thread_is_new_until_something_was_said_in_it(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    assert storing.is_new_thread(user, "t-1", now=clock())
    record_exchange(user, clock)
    assert not storing.is_new_thread(user, "t-1", now=clock())
    assert storing.is_new_thread(user, "t-2", now=clock())
    assert storing.is_new_thread(other_user, "t-1", now=clock())
    assert storing.is_new_thread(user, "", now=clock())
    assert storing.is_new_thread(user, "t-1", now=clock.advance(hours=12, seconds=1))


def test_every_twenty_messages_and_every_change_of_thread_call_for_a_promotion(user: EndUser, clock: Clock) -> None:
    called: list[int] = []

    def note(sender: type, user_id: int, **kwargs: Any) -> None:
        called.append(user_id)

    promotion_due.connect(note)
    try:
        for _ in range(9):
            record_exchange(user, clock)
        assert called == []
        record_exchange(user, clock)
        assert called == [user.pk]
        EndUser.objects.update(messages_since_promotion=0)
        record_exchange(user, clock, thread_id="t-2")
        assert called == [user.pk] * 2
        record_exchange(user, clock, thread_id="t-2")
        assert called == [user.pk] * 2
    finally:
        promotion_due.disconnect(note)
