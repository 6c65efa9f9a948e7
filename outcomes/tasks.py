"""Celery tasks for exchanges. They are idempotent and may be killed at any point."""

from typing import Any

import structlog
from celery import shared_task
from celery.signals import worker_init
from django.utils import timezone

from memory.access.confinement import RowScope, confine_to
from memory.access.locks import try_task_lock
from memory.access.scope import user_scope
from memory.access.users import iterate_user_ids
from memory.claims.topics import find_topic_words
from memory.facts.pairs import judge_pair, read_statement
from memory.facts.profile.rules import find_facts_by_rules
from memory.language.concepts import find_english_name
from memory.models import EndUser
from memory.platform.faults import Unavailable
from memory.platform.queue import take_up
from outcomes import work
from outcomes.detection import detector
from outcomes.exchanges import digests, profiling, retention, sessions

logger = structlog.get_logger(__name__)


# After this time the rest is passed to a new task, behind those of other people: a backlog of one holds nobody up for
# longer than they may wait for their facts.
READING_SECONDS = 2


@worker_init.connect
def load_readers(**kwargs: Any) -> None:
    """Before the worker's processes are forked: the first turn each of them read would take 1.4 s instead of 2 ms.

    The words of the judge, of meanings and of topics are loaded as well: in the first recording they would hold a
    transaction for a second, and on a machine with a load of ten for longer than a transaction may stand idle.
    """
    find_facts_by_rules("I live in Rome.")
    judge_pair(read_statement("I live in Rome."), read_statement("I live in Oslo now."))
    find_english_name(())
    find_topic_words("I live in Rome.")


@shared_task(name="outcomes.read_exchanges")
def read_exchanges(user_id: int) -> int:
    """Read what a user said and nobody has read. Returns how many exchanges that were."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    drained = profiling.drain_exchanges(user, READING_SECONDS)
    if drained.has_more:
        read_exchanges.delay(user_id)
    return drained.taken


@shared_task(name="outcomes.judge_exchanges")
def judge_exchanges(user_id: int) -> int:
    """Judge a user's due exchanges. Returns how many were judged."""
    # Apart from reading: a language model takes seconds for each.
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    judged = 0
    with try_task_lock("conversations", user_id) as mine:
        if not mine:
            return 0
        released_at = timezone.now()
        with user_scope(user):
            work.release_idle_threads(user, released_at)
        try:
            judged += detector.judge_due_exchanges(user, now=timezone.now())
        except Unavailable as error:
            # The rows stay pending; the sweep enqueues them again.
            logger.warning("judging paused", dependency=error.dependency, reason=error.reason)
        with user_scope(user):
            work.move_detection_mark(user, released_at)
    return judged


@shared_task(name="outcomes.digest_thread")
def digest_thread(user_id: int, thread_id: str, agent_id: str, project_id: str) -> bool:
    """Have a model sum up what is old in a thread and read its tone. True if either was new."""
    take_up(digest_thread, user_id, thread_id, agent_id, project_id)
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return False
    with try_task_lock("digests", user_id) as mine, confine_to(RowScope(agent_id, project_id)):
        return mine and digests.refresh_digest(user, thread_id, now=timezone.now())


@shared_task(name="outcomes.sweep_conversations")
def sweep_conversations() -> int:
    """Enqueue every user with due exchanges."""
    to_read, to_judge = work.PROFILES.list_users(timezone.now()), work.DETECTION.list_users(timezone.now())
    for user_id in to_read:
        read_exchanges.delay(user_id)
    for user_id in to_judge:
        judge_exchanges.delay(user_id)
    return len({*to_read, *to_judge})


@shared_task(name="outcomes.purge_exchanges")
def purge_exchanges() -> None:
    """Delete what is past its days, user by user."""
    for user_id in iterate_user_ids():
        purge_user_exchanges.delay(user_id)


@shared_task(name="outcomes.purge_user_exchanges")
def purge_user_exchanges(user_id: int) -> int:
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    now = timezone.now()
    sessions.end_idle_sessions(user, now=now)
    return retention.purge_expired(user, now=now)
