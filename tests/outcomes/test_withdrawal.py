"""A verdict on a memory alone is taken back: scores, counts, what was learned of it, and what promotion makes of it."""

import uuid

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.signals import learning_due
from memory.store.admission import WriteRefused
from memory.tiers import Outcome, Tier
from tests.conftest import Clock
from tests.factories import MemoryItemFactory
from tests.outcomes.test_verdicts import learned_by_adding, ledger_lines, score_and_counts

memory = MemoryFacade("key:test")


def record_verdict(user: EndUser, clock: Clock, outcome: Outcome, *items: MemoryItem) -> int:
    """Number of the event of the first memory."""
    memory.record_outcome(user, outcome, now=clock.advance(seconds=1), related=[str(item.pk) for item in items])
    return memory.list_events(user, items[0].pk)[0].pk


def test_only_the_named_memory_loses_the_verdict(user: EndUser, clock: Clock) -> None:
    item, other = MemoryItemFactory.create(user=user), MemoryItemFactory.create(user=user)
    event = record_verdict(user, clock, Outcome.FAILED, item, other)
    memory.undo(user, item.pk, event, now=clock.advance(seconds=1))
    assert score_and_counts(item) == (0.5, 0, 0, 0, 0, 0)
    assert score_and_counts(other) == (0.2, 1, 0, 1, 0, 0)
    assert learned_by_adding(user) == {(str(other.pk), "failed"): 1}
    assert ledger_lines(user) == [("failed", 1, False), ("failed", -1, False), ("failed", 1, True)]
    there = memory.find_withdrawable_verdict(user, other.pk)
    assert there is not None
    memory.undo(user, other.pk, there.pk, now=clock.advance(seconds=1))
    assert (score_and_counts(other), learned_by_adding(user)) == ((0.5, 0, 0, 0, 0, 0), {})


def test_it_takes_back_as_much_as_was_moved_and_asks_to_be_unlearned(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user, score=0.9)
    event = record_verdict(user, clock, Outcome.WORKED, item)
    assert score_and_counts(item)[0] == 1.0
    EndUser.objects.filter(pk=user.pk).update(learning_due_since=None)
    reported: list[int] = []
    learning_due.connect(lambda user_id, **_: reported.append(user_id), weak=False, dispatch_uid="withdrawal")
    try:
        memory.undo(user, item.pk, event, now=clock.advance(seconds=1))
    finally:
        learning_due.disconnect(dispatch_uid="withdrawal")
    assert score_and_counts(item)[0] == 0.9
    assert reported == [user.pk]


def test_a_later_edit_or_verdict_does_not_stand_in_the_way(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user, text="Runs on Mondays")
    first = record_verdict(user, clock, Outcome.FAILED, item)
    record_verdict(user, clock, Outcome.WORKED, item)
    memory.revise(user, item.pk, {"text": "Swims on Mondays"}, now=clock.advance(seconds=1))
    memory.undo(user, item.pk, first, now=clock.advance(seconds=1))
    assert score_and_counts(item) == (0.7, 1, 1, 0, 0, 0)
    with pytest.raises(WriteRefused, match="taken back already"):
        memory.undo(user, item.pk, first, now=clock.advance(seconds=1))


def test_the_move_before_it_can_be_taken_back_again_and_the_next_verdict_decides(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user, tier=Tier.HISTORY, score=0.9, uses=3, worked=3)
    memory.promote(user, now=clock.advance(seconds=1))
    promoted = memory.list_events(user, item.pk)[0].pk
    event = record_verdict(user, clock, Outcome.FAILED, item)
    with pytest.raises(WriteRefused, match="something came after it"):
        memory.undo(user, item.pk, promoted, now=clock.advance(seconds=1))
    memory.undo(user, item.pk, event, now=clock.advance(seconds=1))
    memory.undo(user, item.pk, promoted, now=clock.advance(seconds=1))
    again = record_verdict(user, clock, Outcome.WORKED, item)
    memory.undo(user, item.pk, again, now=clock.advance(seconds=1))
    memory.promote(user, now=clock.advance(seconds=1))
    assert tier(item) == Tier.HISTORY, "a verdict that was taken back decides nothing"
    record_verdict(user, clock, Outcome.WORKED, item)
    memory.promote(user, now=clock.advance(seconds=1))
    assert tier(item) == Tier.PATTERNS


def tier(item: MemoryItem) -> str:
    with user_scope(item.user):
        return MemoryItem.objects.get(pk=item.pk).tier


def test_another_users_verdict_and_a_memory_that_is_gone_are_not_found(
    user: EndUser, other_user: EndUser, clock: Clock
) -> None:
    item = MemoryItemFactory.create(user=user)
    event = record_verdict(user, clock, Outcome.WORKED, item)
    assert memory.undo(other_user, item.pk, event, now=clock()) is None
    assert memory.undo(user, uuid.uuid4(), event, now=clock()) is None
    assert memory.find_withdrawable_verdict(other_user, item.pk) is None
    assert score_and_counts(item)[0] == 0.7
