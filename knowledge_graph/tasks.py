"""Celery tasks for deferred learning: one user at a time, in small transactions, idempotent."""

from datetime import datetime

from celery import shared_task
from django.utils import timezone

from knowledge_graph import work
from knowledge_graph.content import analysis
from knowledge_graph.content.updates import list_next_items, process_items
from knowledge_graph.hotmem.threads import purge_threads
from knowledge_graph.learning.actions import learn_actions
from knowledge_graph.learning.verdicts import learn_outcomes
from memory.access.outbox import drain
from memory.access.users import iterate_user_ids
from memory.conf import memory_conf
from memory.models import EndUser
from memory.platform.queue import has_waiting_writes, pass_on

# After this time the rest goes to a new task: one user's import must not keep the others waiting.
TASK_SECONDS = 60


def learn_batch(user: EndUser, *, now: datetime) -> int:
    """Process one batch of pending work. Returns its size; 0 means nothing is pending."""
    ids = list_next_items(user)
    processed = process_items(user, ids, analysis.read_memories(user, ids)) if ids else 0
    return processed + learn_outcomes(user, now=now) + learn_actions(user)


def learn_everything(user: EndUser, *, now: datetime) -> int:
    """Process batches until nothing is pending. Returns how much was learned."""
    learned = 0
    while taken := learn_batch(user, now=now):
        learned += taken
    work.clear_user_mark(user)
    return learned


@shared_task(name="knowledge_graph.learn_user")
def learn_user(user_id: int) -> int:
    """Process all pending work of a user. Returns how much that was."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None or not memory_conf().flags["kg"]:
        return 0
    drained = drain(
        "learn",
        user_id,
        lambda: learn_batch(user, now=timezone.now()),
        lambda: work.clear_user_mark(user),
        seconds=TASK_SECONDS,
        has_others=has_waiting_writes,
    )
    if drained.has_more:
        pass_on(learn_user, user_id)
    return drained.taken


@shared_task(name="knowledge_graph.purge_hot_threads")
def purge_hot_threads() -> int:
    """Delete conversations of the hot path a week after their last turn. Returns how many rows."""
    return sum(purge_threads(user_id, now=timezone.now()) for user_id in iterate_user_ids())


@shared_task(name="knowledge_graph.sweep_learning")
def sweep_learning() -> int:
    """Enqueue every user with pending work, in case a message was lost."""
    if not memory_conf().flags["kg"]:
        return 0
    users = work.list_due_users()
    for user_id in users:
        learn_user.delay(user_id)
    return len(users)
