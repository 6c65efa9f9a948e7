"""Celery tasks for exchanges. They are idempotent and may be killed at any point."""

import structlog
from celery import shared_task
from django.utils import timezone

from memory.access.locks import try_task_lock
from memory.access.scope import user_scope
from memory.lifecycle import expiry
from memory.models import EndUser
from memory.platform.faults import Unavailable
from outcomes import work
from outcomes.detection import detector
from outcomes.exchanges import profiling, retention

logger = structlog.get_logger(__name__)


@shared_task(name="outcomes.look_at_conversations")
def look_at_conversations(user_id: int) -> int:
    """Extract profile facts from a user's due exchanges and judge them. Returns how many were judged."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    judged = 0
    with try_task_lock("conversations", user_id) as mine:
        if not mine:
            return 0
        with user_scope(user):
            work.release_idle_threads(user, timezone.now())
        profiling.profile_due_exchanges(user, now=timezone.now())
        try:
            judged += detector.judge_due_exchanges(user, now=timezone.now())
        except Unavailable as error:
            # The rows stay pending; the sweep enqueues them again.
            logger.warning("judging paused", dependency=error.dependency, reason=error.reason)
        with user_scope(user):
            work.move_marks(user, timezone.now())
    return judged


@shared_task(name="outcomes.sweep_conversations")
def sweep_conversations() -> int:
    """Enqueue every user with due exchanges."""
    users = work.list_due_users(timezone.now())
    for user_id in users:
        look_at_conversations.delay(user_id)
    return len(users)


@shared_task(name="outcomes.purge_exchanges")
def purge_exchanges() -> None:
    """Delete what is past its days, user by user."""
    for user_id in expiry.iterate_log_users():
        purge_user_exchanges.delay(user_id)


@shared_task(name="outcomes.purge_user_exchanges")
def purge_user_exchanges(user_id: int) -> int:
    user = EndUser.objects.filter(pk=user_id).first()
    return retention.purge_expired(user, now=timezone.now()) if user else 0
