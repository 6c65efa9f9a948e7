"""Celery tasks for personal records. They take ids, are idempotent, and may be killed at any point."""

from celery import shared_task
from django.utils import timezone

from memory.access.outbox import drain
from memory.access.users import iterate_user_ids
from memory.models import EndUser
from memory.platform.queue import has_waiting_writes, pass_on
from memory.records import queue, recall

# After this time the rest is passed to a new task, for fairness between users.
TASK_SECONDS = 20


@shared_task(name="kinds.embed_user")
def embed_user_records(user_id: int) -> int:
    """Embed all pending rows of a user. Returns how many were taken."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    # Vectors of two models cannot be compared: those of the other one are computed again before anything else.
    queue.requeue_foreign_rows(user, now=timezone.now())
    drained = drain(
        "kinds",
        user_id,
        lambda: queue.embed_batch(user, now=timezone.now()),
        lambda: queue.clear_user_mark(user),
        seconds=TASK_SECONDS,
        has_others=has_waiting_writes,
    )
    if drained.has_more:
        pass_on(embed_user_records, user_id)
    return drained.taken


@shared_task(name="kinds.sweep")
def sweep_records() -> int:
    """Re-enqueue what a lost message or a killed worker left, and detect a change of the model."""
    queue.requeue_for_new_model(now=timezone.now())
    for user_id in queue.list_failing_users():
        # What was deleted since is no failure any more.
        queue.save_failure_count(user_id)
    users = queue.list_due_users()
    for user_id in users:
        embed_user_records.delay(user_id)
    return len(users)


@shared_task(name="kinds.purge_log")
def purge_recall_logs() -> None:
    """Delete expired recall logs, one task per user."""
    for user_id in iterate_user_ids():
        purge_user_recall_log.delay(user_id)


@shared_task(name="kinds.purge_user_log")
def purge_user_recall_log(user_id: int) -> int:
    return recall.purge_recalls(user_id, now=timezone.now())
