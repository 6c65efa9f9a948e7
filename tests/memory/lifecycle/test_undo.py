"""Taking a move back: what it was, once, while nothing came after it; and not made again for the same reasons."""

from datetime import timedelta
from typing import Any

import pytest
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryEvent, MemoryItem
from memory.store.admission import NewMemory, WriteRefused
from memory.tiers import Outcome, Tier, Trust
from tests.conftest import Clock
from tests.factories import MemoryItemFactory

memory = MemoryFacade("operator:ann")


def make_memory(user: EndUser, clock: Clock, **fields: Any) -> MemoryItem:
    return MemoryItemFactory.create(user=user, **{"created_at": clock(), **fields})


def row(item: MemoryItem) -> MemoryItem:
    with user_scope(item.user):
        return MemoryItem.objects.for_user(item.user).get(pk=item.pk)


def state(item: MemoryItem) -> tuple[str, str]:
    now = row(item)
    return now.tier, now.status


def list_moves(item: MemoryItem) -> list[MemoryEvent]:
    """What can be undone, oldest first."""
    moves = {"promoted", "archived", "dormant"}
    return [event for event in memory.list_events(item.user, item.pk)[::-1] if event.kind in moves]


def undo_move(item: MemoryItem, event: MemoryEvent, clock: Clock) -> MemoryItem | None:
    return memory.undo(item.user, item.pk, event.pk, now=clock())


def test_a_promotion_is_taken_back_with_a_fresh_lifetime_and_an_event(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, score=0.7, uses=2, indexing="ready")
    memory.promote(user, now=clock())
    [event] = list_moves(item)
    undone = undo_move(item, event, clock)
    assert undone is not None
    assert (undone.tier, undone.expires_at, undone.indexing) == ("working", clock() + timedelta(hours=24), "pending")
    said = memory.list_events(user, item.pk)[0]
    assert (said.kind, said.actor, said.reason) == ("undone", "operator:ann", f"taken back: {event.reason}")
    assert (said.before, said.after) == ({"tier": "history"}, {"tier": "working", "undone": event.pk})


def test_what_was_taken_back_is_not_done_again_until_a_new_outcome(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, score=0.7, uses=2)
    memory.promote(user, now=clock())
    undo_move(item, list_moves(item)[0], clock)
    assert memory.promote(user, now=clock()).promoted == []
    memory.record_outcome(user, Outcome.UNKNOWN, now=clock(), related=[str(item.pk)])
    assert memory.promote(user, now=clock()).promoted == []
    memory.record_outcome(user, Outcome.WORKED, now=clock(), related=[str(item.pk)])
    assert [move.target for move in memory.promote(user, now=clock()).promoted] == ["history", "patterns"]


def test_garbage_that_is_taken_back_stays_until_it_fails_again(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, tier=Tier.PATTERNS, score=0.1, uses=4)
    memory.promote(user, now=clock())
    undone = undo_move(item, list_moves(item)[0], clock)
    assert undone is not None
    assert undone.status == "active"
    memory.promote(user, now=clock())
    assert state(item) == ("patterns", "active")
    memory.record_outcome(user, Outcome.FAILED, now=clock(), related=[str(item.pk)])
    memory.promote(user, now=clock())
    assert state(item) == ("patterns", "archived")


def test_what_is_restored_by_hand_is_spared_in_the_same_way(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, tier=Tier.PATTERNS, score=0.1, uses=4)
    memory.promote(user, now=clock())
    memory.restore(user, item.pk, now=clock())
    memory.promote(user, now=clock())
    assert state(item) == ("patterns", "active")


def test_what_expired_gets_a_lifetime_again(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, expires_at=clock() + timedelta(hours=24))
    memory.promote(user, now=clock.advance(hours=25))
    undone = undo_move(item, list_moves(item)[0], clock)
    assert undone is not None
    assert undone.expires_at == clock() + timedelta(hours=24)
    assert memory.promote(user, now=clock.advance(hours=23)).dormant == []


def test_two_steps_are_taken_back_one_by_one(user: EndUser, clock: Clock) -> None:
    item = make_memory(user, clock, score=0.9, uses=3)
    memory.promote(user, now=clock())
    first, second = list_moves(item)
    with pytest.raises(WriteRefused, match="only the last change"):
        undo_move(item, first, clock)
    undo_move(item, second, clock)
    assert state(item) == ("history", "active")
    undo_move(item, first, clock)
    assert state(item) == ("working", "active")
    with pytest.raises(WriteRefused, match="taken back already"):
        undo_move(item, second, clock)


@pytest.mark.parametrize("after", ["outcome", "revise", "archive"])
def test_nothing_is_taken_back_once_something_came_after_it(user: EndUser, clock: Clock, after: str) -> None:
    item = make_memory(user, clock, score=0.7, uses=2)
    memory.promote(user, now=clock())
    [event] = list_moves(item)
    if after == "outcome":
        memory.record_outcome(user, Outcome.WORKED, now=clock(), related=[str(item.pk)])
    elif after == "revise":
        memory.revise(user, item.pk, {"text": "said otherwise"}, now=clock())
    else:
        memory.archive(user, item.pk, now=clock())
    before = state(item)
    with pytest.raises(WriteRefused) as refused:
        undo_move(item, event, clock)
    assert refused.value.field == "event_id"
    assert state(item) == before


def test_an_edit_is_taken_back_with_its_words_tags_and_trust(user: EndUser, clock: Clock) -> None:
    new = NewMemory("Rows on the lake", tier=Tier.MEMORY_BANK, tags=["habit"])
    item = memory.store(user, new, now=clock()).item
    words = {"text": "Sails on the lake", "tags": ["preference"]}
    memory.revise(user, item.pk, words, now=clock.advance(minutes=1), trust=Trust.ASSISTANT)
    event = memory.list_events(user, item.pk)[0]
    undone = undo_move(item, event, clock)
    assert undone is not None
    assert (undone.text, undone.tags, undone.trust, undone.version) == ("Rows on the lake", ["habit"], Trust.USER, 3)
    with pytest.raises(WriteRefused, match="taken back already"):
        undo_move(item, event, clock)


def test_only_moves_and_edits_can_be_taken_back(user: EndUser, clock: Clock) -> None:
    stored = memory.store(user, NewMemory("Rows on the lake"), now=clock()).item
    [event] = memory.list_events(user, stored.pk)
    with pytest.raises(WriteRefused, match="only a promotion, an archiving"):
        undo_move(stored, event, clock)


def test_an_event_of_another_memory_or_person_is_no_event_here(
    user: EndUser, other_user: EndUser, clock: Clock
) -> None:
    mine, theirs = make_memory(user, clock, score=0.7, uses=2), make_memory(other_user, clock, score=0.7, uses=2)
    other = make_memory(user, clock)
    for person in (user, other_user):
        memory.promote(person, now=clock())
    assert memory.undo(user, mine.pk, list_moves(theirs)[0].pk, now=clock()) is None
    assert memory.undo(user, other.pk, list_moves(mine)[0].pk, now=clock()) is None
    assert memory.undo(user, theirs.pk, list_moves(theirs)[0].pk, now=clock()) is None
    assert state(theirs) == state(mine) == ("history", "active")


def test_a_bank_item_comes_back_within_the_capacity(user: EndUser, clock: Clock, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "LIMITS": {**settings.MEMORY["LIMITS"], "bank_capacity": 2}}
    stored = []
    for text, importance in (("Rows", 0.4), ("Sings", 0.5), ("Climbs", 0.6)):
        new = NewMemory(text, tier=Tier.MEMORY_BANK, tags=["preference"], importance=importance)
        stored.append(memory.store(user, new, now=clock.advance(minutes=1)).item)
    assert [state(item)[1] for item in stored] == ["archived", "active", "active"]
    undo_move(stored[0], list_moves(stored[0])[0], clock)
    assert [state(item)[1] for item in stored] == ["active", "archived", "active"]
