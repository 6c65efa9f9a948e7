"""Celery tasks for personal records. They take ids, are idempotent, and may be killed at any point."""

import structlog
from celery import shared_task
from django.utils import timezone

from memory.access.locks import try_task_lock
from memory.models import EndUser
from memory.platform.faults import Unavailable
from memory.records import queue, recall

logger = structlog.get_logger(__name__)


@shared_task(name="kinds.embed_user")
def embed_user_records(user_id: int) -> int:
    """Embed all pending rows of a user. Returns how many were taken."""
    user = EndUser.objects.filter(pk=user_id).first()
    done = 0
    if user is None:
        return done
    with try_task_lock("kinds", user_id) as mine:
        if not mine:
            return done
        try:
            queue.requeue_foreign_rows(user, now=timezone.now())
            while taken := queue.embed_batch(user, now=timezone.now()):
                done += taken
            queue.clear_user_mark(user)
        except Unavailable as error:
            # The rows still wait; the sweep comes back for them.
            logger.warning("records not embedded", dependency=error.dependency, reason=error.reason)
    return done


@shared_task(name="kinds.sweep")
def sweep_records() -> int:
    """Re-enqueue what a lost message or a killed worker left, and detect a change of the model."""
    queue.requeue_for_new_model(now=timezone.now())
    users = queue.list_due_users()
    for user_id in users:
        embed_user_records.delay(user_id)
    return len(users)


@shared_task(name="kinds.purge_log")
def purge_recall_logs() -> None:
    """Delete expired recall logs, one task per user."""
    for user_id in EndUser.objects.order_by("pk").values_list("pk", flat=True).iterator():
        purge_user_recall_log.delay(user_id)


@shared_task(name="kinds.purge_user_log")
def purge_user_recall_log(user_id: int) -> int:
    return recall.purge_recalls(user_id, now=timezone.now())
