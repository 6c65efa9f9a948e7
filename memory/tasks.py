"""Celery tasks. They take ids, are idempotent, and may be killed at any point."""

import time
import uuid
from functools import partial

import structlog
from celery import shared_task
from django.db import IntegrityError
from django.utils import timezone

from memory.access import audit, grants
from memory.access.confinement import RowScope, confine_to
from memory.access.locks import try_task_lock
from memory.access.outbox import drain
from memory.access.users import iterate_user_ids
from memory.conf import memory_conf
from memory.enrichment.tasks import label_user
from memory.facts import embedding, streaming
from memory.facts.changes import DUE
from memory.indexing import drift, queue, rebuild, runs
from memory.lifecycle import consolidation, erasure, expiry, learning, promotion
from memory.models import DriftReport, EndUser
from memory.operations import prometheus
from memory.platform import metrics
from memory.platform.faults import Unavailable
from memory.platform.queue import has_waiting_writes, pass_on, take_up

logger = structlog.get_logger(__name__)

# After this time a task passes the rest of a long queue to another task, behind those of other users: with two long
# imports and as many worker processes nobody else's facts would be read for as long.
INDEX_TASK_SECONDS = 20

# After this time a rebuild or a check yields to other work and continues in a new task.
# Less than the visibility timeout of 900 s, after which Redis gives a running task to a second worker.
SLICE_SECONDS = 60
# Until facts are looked at again whose writer was still at it.
LOOK_AGAIN_S = 1


@shared_task(name="memory.index_user")
def index_user(user_id: int) -> int:
    """Index all due rows of a user. Returns how many were taken."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    drained = drain(
        "index",
        user_id,
        partial(index_batch, user),
        lambda: queue.clear_user_mark(user),
        seconds=INDEX_TASK_SECONDS,
        is_backing_off=lambda: queue.PENDING.is_backing_off(user, timezone.now()),
        has_others=has_waiting_writes,
    )
    if drained.has_more:
        pass_on(index_user, user_id)
    elif drained.taken and memory_conf().flags["enrichment"]:
        # Lost with a killed worker, it is made up for at night.
        label_user.delay(user_id)
    return drained.taken


def index_batch(user: EndUser) -> int:
    taken = queue.index_batch(user, now=timezone.now())
    metrics.count("indexed", amount=taken)
    return taken


@shared_task(name="memory.sweep_index_queue")
def sweep_index_queue() -> int:
    """Enqueue every user with pending rows, and erasures that a killed worker left unfinished."""
    users = queue.list_due_users()
    for user_id in users:
        index_user.delay(user_id)
    for erasure_id in erasure.list_unfinished_erasures():
        erase_user.delay(str(erasure_id))
    return len(users)


@shared_task(name="memory.complete_facts")
def complete_facts(user_id: int) -> int:
    """Read bank items into facts and embed facts that have no vector. Returns how many were taken."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    drained = drain(
        "facts",
        user_id,
        partial(complete_batch, user),
        lambda: embedding.clear_user_mark(user),
        seconds=SLICE_SECONDS,
        # An import holds the mark longer than clearing waits, and what it adds sends no message of its own.
        is_marked=lambda: DUE.is_due(user, timezone.now()),
        has_others=has_waiting_writes,
    )
    if drained.has_more:
        pass_on(complete_facts, user_id, after_s=LOOK_AGAIN_S)
    return drained.taken


def complete_batch(user: EndUser) -> int:
    now = timezone.now()
    return learning.learn_bank_items(user, now=now) + embedding.embed_batch(user, now=now)


@shared_task(name="memory.sweep_facts")
def sweep_facts() -> int:
    """Enqueue every user whose facts a lost message or a killed worker left waiting."""
    users = DUE.list_users()
    for user_id in users:
        complete_facts.delay(user_id)
    return len(users)


@shared_task(name="memory.promote_user")
def promote_user(user_id: int) -> int:
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    # Before the pass: messages that arrive while it runs count towards the next.
    EndUser.objects.filter(pk=user_id).update(messages_since_promotion=0)
    result = promotion.promote_user(user, now=timezone.now(), counting=False)
    embedding.mark_foreign_vectors(user, timezone.now())
    return result.moved + result.let_go


@shared_task(name="memory.promote_everyone")
def promote_everyone() -> None:
    for user_id in iterate_user_ids():
        promote_user.delay(user_id)


@shared_task(name="memory.stream_thread")
def stream_thread(user_id: int, thread_id: str, agent_id: str = "", project_id: str = "") -> int:
    """Choose what the next turn of a conversation is reminded of. Returns how many lines that are."""
    take_up(stream_thread, user_id, thread_id, agent_id, project_id)
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None or not streaming.is_streaming_for(user):
        return 0
    try:
        with confine_to(RowScope(agent_id, project_id)):
            return len(streaming.make_stream(user, thread_id, timezone.now()).lines)
    except Unavailable as error:
        # The next exchange makes it anew; until then the one before is told.
        logger.warning("nothing brought to mind", dependency=error.dependency, reason=error.reason)
        return 0
    except IntegrityError:
        if EndUser.objects.filter(pk=user_id).exists():
            raise
        # Erased while it was made.
        return 0


@shared_task(name="memory.consolidate_due")
def consolidate_due() -> int:
    """Enqueue every user whose facts were not consolidated this night."""
    users = consolidation.list_due_users(timezone.now())
    for user_id in users:
        consolidate_user.delay(user_id)
    return len(users)


@shared_task(name="memory.consolidate_user")
def consolidate_user(user_id: int) -> int:
    user = EndUser.objects.filter(pk=user_id).first()
    # A second message that waited behind the first has nothing to do.
    if user is None or not consolidation.is_due(user, timezone.now()):
        return 0
    return consolidation.consolidate_user(user, now=timezone.now(), clock=timezone.now).changed


@shared_task(name="memory.erase_user")
def erase_user(erasure_id: str) -> None:
    try:
        erasure.finish_erasure(uuid.UUID(erasure_id), now=timezone.now())
    except Unavailable as error:
        logger.warning("erasure waits for the index", dependency=error.dependency, reason=error.reason)


@shared_task(name="memory.purge_logs")
def purge_logs() -> None:
    """Delete expired turns, stored answers and the like."""
    for user_id in iterate_user_ids():
        purge_user_logs.delay(user_id)


@shared_task(name="memory.purge_user_logs")
def purge_user_logs(user_id: int) -> int:
    return expiry.purge_expired_logs(user_id, now=timezone.now())


@shared_task(name="memory.purge_grants")
def purge_grants() -> int:
    """Delete expired tokens, end grants that have none left, and let go of what operators did long ago."""
    audit.delete_old_changes(now=timezone.now())
    return grants.purge_grants(now=timezone.now())


@shared_task(name="memory.roll_up_metrics")
def roll_up_metrics() -> None:
    """Write recent counts into the daily rows."""
    try:
        prometheus.roll_up(timezone.now())
    except Unavailable as error:
        logger.warning("metrics not rolled up", dependency=error.dependency, reason=error.reason)


@shared_task(name="memory.carry_on_reindex")
def continue_reindex() -> int:
    """Continue the open run for a while. Returns how many rows it has copied so far."""
    run = runs.find_open_run()
    if run is None or run.state != run.State.RUNNING:
        return 0
    until = time.monotonic() + SLICE_SECONDS
    with try_task_lock("reindex", 0) as mine:
        if not mine:
            return 0
        try:
            run = rebuild.continue_run(run.pk, stop=lambda: time.monotonic() > until)
        except (Unavailable, rebuild.ReindexRefused) as error:
            # The run says so to whoever looks; the sweep comes back.
            rebuild.record_problem(run.pk, str(error))
            return run.rows_done
    if run.state == run.State.RUNNING:
        continue_reindex.delay()
    return run.rows_done


@shared_task(name="memory.sweep_collections")
def sweep_collections() -> None:
    """Resume a run whose process died, and remove collections past their rollback window."""
    continue_reindex.delay()
    try:
        with try_task_lock("retire", 0) as mine:
            if mine:
                runs.drop_expired_collections(now=timezone.now())
    except Unavailable as error:
        logger.warning("collections not removed", dependency=error.dependency, reason=error.reason)


@shared_task(name="memory.check_consistency")
def check_consistency(report_id: str = "") -> None:
    """Compare index and rows: samples, once a day in full; a long check continues in the next task."""
    until = time.monotonic() + SLICE_SECONDS
    with try_task_lock("consistency", 0) as mine:
        if not mine:
            if report_id:
                # Somebody asked for this one and waits for it.
                check_consistency.apply_async((report_id,), countdown=SLICE_SECONDS)
            return
        now = timezone.now()
        report = DriftReport.objects.filter(pk=report_id, finished_at=None).first() if report_id else None
        report = report or drift.start_report(drift.choose_mode(now), now=now)
        finished = drift.continue_report(report, clock=timezone.now, stop=lambda: time.monotonic() > until)
    if not finished:
        check_consistency.delay(str(report.pk))
    else:
        drift.delete_old_reports(timezone.now())
