"""Reverses a verdict that was given on a memory by its id alone. One on an answer is replaced by a new one there."""

import uuid
from datetime import datetime

from django.db.models import F, QuerySet
from django.db.models.functions import Least

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryEvent, MemoryItem
from memory.store import rows
from memory.store.admission import WriteRefused
from memory.tiers import Outcome
from outcomes.models import OutcomeEvent
from outcomes.verdicts.ledger import ScoreChanges, ScoreMove, Verdict, lock_items, replace_events

OUTCOME_BY_EVENT_KIND = {f"outcome_{outcome}": outcome for outcome in Outcome}


def withdraw_verdict(user: EndUser, event: MemoryEvent, *, now: datetime, actor: str) -> MemoryItem | None:
    """Undo what the verdict behind this event did to its memory, and have it unlearned. None when the memory is gone;
    raises WriteRefused for a verdict on an answer and for one that was withdrawn already."""
    with user_scope(user):
        # A line may be on several memories, each withdrawn by itself.
        lock_for_transaction("verdicts", user)
        items = lock_items(user, [event.item_id])
        if not items:
            return None
        item, line = items[0], find_line(user, event)
        move = ScoreMove(line, find_delta(line, item.pk))
        changes = ScoreChanges(Verdict(Outcome.UNKNOWN, actor=actor), {item.pk: move}, now)
        changes.withdraw(item, event)
        changes.save()
        replace_events(user, [line], [item.pk], whole=False, now=now)
        # Where a move was overruled the next outcome decides again, also when it only makes up for this one.
        overruled = Least(F("overruled_uses"), item.uses)
        MemoryItem.objects.for_user(user).filter(pk=item.pk).update(overruled_uses=overruled)
        rows.mark_learning_due(user, now)
    return item


def find_line(user: EndUser, event: MemoryEvent) -> OutcomeEvent:
    if MemoryEvent.objects.filter(user=user, item_id=event.item_id, after__undone=event.pk).exists():
        raise WriteRefused("event_id", "this was taken back already")
    moved = round(event.after["score"] - event.before["score"], 6)
    lines = filter_direct_verdicts(user, event.item_id).filter(outcome=OUTCOME_BY_EVENT_KIND[event.kind], at=event.at)
    # Of several alike in one moment, any that moved the score as far will do.
    found = next((line for line in lines if find_delta(line, event.item_id) == moved), None)
    if found is None:
        raise WriteRefused("event_id", "this verdict is on an answer; a new one on the same answer takes its place")
    return found


def find_delta(line: OutcomeEvent, item_id: uuid.UUID) -> float:
    """How far a verdict moved the score of one of its memories."""
    return float(next(delta for key, _, delta in line.memories if key == str(item_id)))


def filter_direct_verdicts(user: EndUser, item_id: uuid.UUID) -> QuerySet[OutcomeEvent]:
    """The current verdicts on this memory that name neither a turn nor an exchange, oldest first."""
    lines = OutcomeEvent.objects.filter(user=user, turn_id=None, exchange_id=None, sign=1, replaced_at=None)
    return lines.filter(scored_ids__contains=[item_id]).order_by("at", "pk")


def find_withdrawable_event(user: EndUser, item_id: uuid.UUID) -> MemoryEvent | None:
    """The event of the newest verdict on this memory that can be withdrawn."""
    with user_scope(user):
        line = filter_direct_verdicts(user, item_id).last()
        if line is None:
            return None
        events = MemoryEvent.objects.filter(user=user, item_id=item_id, kind=f"outcome_{line.outcome}", at=line.at)
        return events.order_by("pk").last()
