"""The reason of a failure, told later: a lesson that stands beside it wherever the failure is told of."""

import uuid
from datetime import datetime

from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.store import archiving
from memory.store.admission import WriteRefused
from memory.tiers import Outcome
from outcomes.models import OutcomeEvent
from outcomes.verdicts.ledger import Verdict, VerdictSubject
from outcomes.verdicts.recording import UnknownTurn, lock_subject, store_takeaway


def explain_failure(user: EndUser, event_id: int, text: str, *, now: datetime, actor: str) -> uuid.UUID:
    """Store why it failed, as the key takeaway of the verdict. Returns the lesson's id.

    Raises WriteRefused for a text that no memory may hold, and for a verdict that is gone or was replaced.
    """
    with user_scope(user):
        event = OutcomeEvent.objects.filter(user=user, pk=event_id, sign=1, replaced_at=None).first()
        if event is None:
            raise WriteRefused("id", "the verdict no longer stands")
        try:
            subject = lock_subject(user, event.turn_id, event.exchange_id)
        except UnknownTurn:
            # What a turn showed is forgotten after some weeks; the verdict has what it was about.
            subject = VerdictSubject(None, None)
        about = [uuid.UUID(row[0]) for row in event.memories]
        verdict = Verdict(Outcome(event.outcome), actor=actor)
        try:
            lesson = store_takeaway(user, text, subject, verdict, about, now)
        except WriteRefused as error:
            raise WriteRefused("reason", error.rule) from error
        OutcomeEvent.objects.filter(user=user, pk=event.pk).update(takeaway_id=lesson)
    return lesson


def withdraw_explanation(user: EndUser, event_id: int, lesson_id: uuid.UUID, *, now: datetime, actor: str) -> None:
    """The failure is without a reason again; the lesson is archived."""
    with user_scope(user):
        OutcomeEvent.objects.filter(user=user, pk=event_id, takeaway_id=lesson_id).update(takeaway_id=None)
        if MemoryItem.objects.for_user(user).filter(pk=lesson_id).exists():
            archiving.archive_memory(user, lesson_id, now=now, reason="taken back", actor=actor)
