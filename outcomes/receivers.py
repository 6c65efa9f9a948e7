"""Signal receivers: deletes the data of erased users, enqueues tasks."""

from typing import Any

from django.dispatch import receiver

from memory.models import EndUser
from memory.platform.queue import enqueue, enqueue_once
from memory.signals import user_erased
from outcomes import tasks
from outcomes.exchanges import digests
from outcomes.models import (
    ActionTaken,
    AgentSession,
    ConversationSignal,
    ConversationWork,
    Exchange,
    OutcomeEvent,
    ThreadDigest,
    ThreadTitle,
)
from outcomes.signals import exchange_stored, judging_due, reading_due

# So long what else is said at once is gathered before a model reads the thread.
DIGESTED_AFTER_S = 3.0
ERASED = (Exchange, OutcomeEvent, ActionTaken, ConversationSignal, AgentSession, ThreadDigest, ThreadTitle)


@receiver(user_erased, dispatch_uid="outcomes.erase")
def erase_outcomes(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    ConversationWork.objects.filter(end_user=user).delete()
    for model in ERASED:
        rows = model._default_manager.filter(user_id=user.pk)
        removed[model._meta.db_table] = rows.delete()[0]


@receiver(judging_due, dispatch_uid="outcomes.judge")
def enqueue_judging(sender: type, user_id: int, **kwargs: Any) -> None:
    enqueue(tasks.judge_exchanges, user_id)


@receiver(reading_due, dispatch_uid="outcomes.read")
def enqueue_reading(sender: type, user_id: int, after_s: float, **kwargs: Any) -> None:
    enqueue(tasks.read_exchanges, user_id, after_s=after_s)


@receiver(exchange_stored, dispatch_uid="outcomes.digest")
def enqueue_digest(sender: type, user: EndUser, exchange: Exchange, **kwargs: Any) -> None:
    """A nudge and no mark: one that is lost costs a summary until the thread's next exchange."""
    if digests.are_asked_for():
        place = (exchange.thread_id, exchange.agent_id or "", exchange.project_id or "")
        enqueue_once(tasks.digest_thread, user.pk, *place, after_s=DIGESTED_AFTER_S)
