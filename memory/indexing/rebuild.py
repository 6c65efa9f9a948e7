"""Rebuilds the vector index from the rows in a new collection, while the old one keeps serving.

A run copies every user's rows in order of their last change up to its beginning, catches up with what changed at that
moment, compares, lets the new collection answer, compares again, and keeps the old one for a while. Live writes land in
both collections from its first moment, so what is written meanwhile is not copied: a run ends, however much is written
beside it. After each batch the run's row says how far it is, so whoever finds it may carry it on; a batch that
was cut off is done again, which changes nothing.
"""

import time
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from django.db.models import BooleanField, Func, Value
from django.utils import timezone

from memory.access.scope import user_scope
from memory.access.users import iterate_users
from memory.conf import memory_conf
from memory.facts import embedding
from memory.indexes import vector_index
from memory.indexes.base import StoredCollection
from memory.indexes.collections import shape_of
from memory.indexing import drift, passages, queue
from memory.models import DriftReport, EndUser, MemoryItem, ReindexRun
from memory.models.items import ItemQuerySet
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected
from memory.tiers import Indexing

logger = structlog.get_logger(__name__)

State, Phase = ReindexRun.State, ReindexRun.Phase

BATCH = queue.BATCH
PAGE = 1000
TIMEOUT_S = 30.0
CLOCK_MARGIN = timedelta(minutes=1)
# Comparisons before the swap. While rows are written there may always be one more to catch; the index is complete
# without it, as live writes land in both collections, and the comparison after the swap finds what does not.
MAX_ROUNDS = 3
CHECKPOINT_FIELDS = (
    "phase",
    "at_user",
    "at_moment",
    "at_item",
    "verified_rounds",
    "mended_in_round",
    "report",
    "rows_done",
    "rows_mended",
    "rows_refused",
    "error",
    "advanced_at",
)


class ReindexRefused(Exception):
    """The request is not possible now; the message says why."""


def continue_run(
    run_id: uuid.UUID,
    *,
    stop: Callable[[], bool],
    advanced: Callable[[ReindexRun], None] = lambda run: None,
    clock: Callable[[], datetime] = timezone.now,
) -> ReindexRun:
    """Continue from the checkpoint until the run ends, is paused, or ``stop`` returns True. One process at a time.

    Raises Unavailable when the embedder or the index is; the run stays open.
    """
    while True:
        run = ReindexRun.objects.select_related("target").get(pk=run_id)
        if run.state != State.RUNNING or stop():
            return run
        require_same_settings(run)
        started = time.monotonic()
        written = STEPS[Phase(run.phase)](run, clock)
        run.advanced_at, run.error = clock(), ""
        run.save(update_fields=CHECKPOINT_FIELDS)
        advanced(run)
        throttle(run, written, time.monotonic() - started, stop)


def record_problem(run_id: uuid.UUID, reason: str) -> None:
    ReindexRun.objects.filter(pk=run_id).update(error=reason[:300])


def require_same_settings(run: ReindexRun) -> None:
    if run.target is None or shape_of(run.target) != vector_index().shape:
        raise ReindexRefused(
            "the embedding settings are not those the run was started with: --cancel it and start again"
        )


def throttle(run: ReindexRun, written: int, spent_s: float, stop: Callable[[], bool]) -> None:
    """Rest after a step, as long as the run's rate and its share of the time ask for."""
    if not run.rows_per_s:
        return
    # Rows written meanwhile are in both collections already and are not copied: while they were, a run that copied 60
    # rows a second beside 50 writes a second hardly ended.
    rest_s = max(written / run.rows_per_s - spent_s, memory_conf().reindex.rest_s(spent_s))
    until = time.monotonic() + rest_s
    while (left := until - time.monotonic()) > 0 and not stop():
        time.sleep(min(left, 0.2))


def copy_rows(run: ReindexRun, clock: Callable[[], datetime]) -> int:
    since = run.scope.get("since")
    changed = ChangeWindow(datetime.fromisoformat(since) if since else None, run.started_at)
    return copy_batch(run, changed, clock, then=Phase.CATCH_UP)


def copy_late_changes(run: ReindexRun, clock: Callable[[], datetime]) -> int:
    """Copy what writers wrote into the old collection only, before they noticed the run."""
    changed = ChangeWindow(run.started_at - CLOCK_MARGIN, run.started_at + CLOCK_MARGIN)
    return copy_batch(run, changed, clock, then=Phase.VERIFY)


class ChangeWindow(NamedTuple):
    """When rows last changed, both ends included."""

    since: datetime | None
    until: datetime


def copy_batch(run: ReindexRun, changed: ChangeWindow, clock: Callable[[], datetime], *, then: str) -> int:
    user = find_current_user(run)
    if user is None:
        enter_phase(run, Phase.CHECK if run.scope else then)
        return 0
    items = list_next_items(run, user, changed)
    refused = write_points(run, user, items, clock())
    run.rows_refused += refused
    if run.phase == Phase.COPY:
        run.rows_done += len(items)
    if len(items) < BATCH:
        run.at_user, run.at_moment, run.at_item = user.pk + 1, None, None
    else:
        run.at_user, run.at_moment, run.at_item = user.pk, items[-1].updated_at, items[-1].pk
    return len(items)


def enter_phase(run: ReindexRun, phase: str) -> None:
    run.phase = phase
    run.at_user, run.at_moment, run.at_item = 0, None, None


def find_current_user(run: ReindexRun) -> EndUser | None:
    users = EndUser.objects.filter(pk__gte=run.at_user).order_by("pk")
    if "end_user" in run.scope:
        users = users.filter(pk=run.scope["end_user"])
    return users.first()


class ChangedAfter(Func):
    """Rows behind a place in the order of (updated_at, id), as one comparison that an index answers."""

    template = "(updated_at, id) > (%(expressions)s)"
    output_field = BooleanField()


def select_rows(run: ReindexRun, user: EndUser) -> ItemQuerySet:
    rows = MemoryItem.objects.for_user(user)
    return rows.filter(tier=run.scope["tier"]) if "tier" in run.scope else rows


def list_next_items(run: ReindexRun, user: EndUser, changed: ChangeWindow) -> list[MemoryItem]:
    starts_user = run.at_user != user.pk or run.at_item is None
    with user_scope(user):
        rows = select_rows(run, user)
        if starts_user:
            # Rows an earlier model refused are tried again by the worker or this run.
            rows.filter(indexing=Indexing.FAILED).update(indexing=Indexing.PENDING, index_attempts=0, vector_hash="")
        else:
            rows = rows.filter(ChangedAfter(Value(run.at_moment), Value(run.at_item)))
        rows = rows.filter(updated_at__lte=changed.until)
        if changed.since is not None:
            rows = rows.filter(updated_at__gte=changed.since)
        return list(rows.defer("lexemes").order_by("updated_at", "pk")[:BATCH])


def open_target(run: ReindexRun) -> StoredCollection:
    if run.target is None:
        raise ReindexRefused("the collection of this run is gone")
    return vector_index().open(run.target)


def write_points(run: ReindexRun, user: EndUser, items: Sequence[MemoryItem], now: datetime) -> int:
    """Put these rows' points into the target. Returns how many the embedder refused."""
    if not items:
        return 0
    target = open_target(run)
    try:
        refused = upsert_points(target, user, items)
        waiting = [item for item in items if item.indexing == Indexing.PENDING]
        if waiting:
            # Written to every collection, so the rows are no longer pending.
            queue.index_items(user, waiting, now=now)
    except (RequestRejected, BadReply) as error:
        if not queue.is_text_rejected(error):
            raise
        refused = upsert_one_by_one(target, user, items)
    # Deleted while they were embedded: the worker's purge may have passed before the points were written.
    gone = drift.list_ids_without_row(user, [item.pk for item in items])
    if gone:
        target.delete(user.pk, gone, Deadline(TIMEOUT_S))
    return refused


def upsert_points(target: StoredCollection, user: EndUser, items: Sequence[MemoryItem]) -> int:
    deadline = passages.set_indexing_deadline(len(items))
    for points in passages.build_points_ahead(items, passages.load_previous_turns(user, items), deadline):
        target.upsert(points, deadline)
    return 0


def upsert_one_by_one(target: StoredCollection, user: EndUser, items: Sequence[MemoryItem]) -> int:
    refused = 0
    for item in items:
        try:
            upsert_points(target, user, [item])
        except (RequestRejected, BadReply) as error:
            refused += 1
            logger.warning("item not reindexed", item_id=str(item.pk), reason=error.reason)
    return refused


def verify_page(run: ReindexRun, clock: Callable[[], datetime]) -> int:
    """Compare a page of rows with the target; after a user's last page, remove points without a row."""
    user = find_current_user(run)
    if user is None:
        run.verified_rounds += 1
        # A round that mended something may have been overtaken by a writer, and is repeated.
        again = run.mended_in_round and run.verified_rounds < MAX_ROUNDS
        run.mended_in_round = 0
        enter_phase(run, Phase.VERIFY if again else Phase.SWAP)
        return 0
    last = run.at_item if run.at_user == user.pk and run.at_item else uuid.UUID(int=0)
    with user_scope(user):
        page = list(drift.list_rows(user).filter(pk__gt=last).order_by("pk")[:PAGE])
    mended = repair_points(run, user, page, clock())
    run.at_user, run.at_item = user.pk, page[-1].pk if page else None
    if len(page) < PAGE:
        mended += remove_orphans(run, user)
        run.at_user, run.at_item = user.pk + 1, None
    run.rows_mended += mended
    run.mended_in_round += mended
    return mended


def repair_points(run: ReindexRun, user: EndUser, page: Sequence[MemoryItem], now: datetime) -> int:
    """Rewrite points that differ from their rows. Pending rows are left to the worker."""
    ready = {row.pk: row for row in page if row.indexing == Indexing.READY}
    held = {point.id: point for point in open_target(run).fetch_points(user.pk, list(ready), Deadline(TIMEOUT_S))}
    wrong = [
        row.pk
        for row in ready.values()
        if (point := held.get(row.pk)) is None
        # A point ahead of the row it was read from is a writer's of this moment, and is right.
        or (point.revision <= row.revision and (point.tier, point.status) != (row.tier, row.status))
        or point.revision < row.revision
    ]
    for start in range(0, len(wrong), BATCH):
        with user_scope(user):
            rows = MemoryItem.objects.for_user(user).filter(pk__in=wrong[start : start + BATCH])
            items = list(rows.defer("lexemes"))
        run.rows_refused += write_points(run, user, items, now)
    return len(wrong)


def remove_orphans(run: ReindexRun, user: EndUser) -> int:
    target = open_target(run)
    removed = 0
    for ids in drift.split_ids(item_id for item_id, _ in target.scroll(user.pk)):
        gone = drift.list_ids_without_row(user, ids)
        if gone:
            target.delete(user.pk, gone, Deadline(TIMEOUT_S))
        removed += len(gone)
    return removed


def swap_collections(run: ReindexRun, clock: Callable[[], datetime]) -> int:
    """Swap the engine's alias, then update our row; after an interruption both are repeated."""
    if run.target is None:
        raise ReindexRefused("the collection of this run is gone")
    index = vector_index()
    # The engine first: interrupted here the rows still name the old collection, and the next attempt repeats both.
    index.engine.open(run.target.name, run.target.dimensions, index.alias).make_live()
    keep_until = clock() + timedelta(hours=memory_conf().reindex.keep_hours)
    index.registry.swap(run.target, keep_until=keep_until)
    # From now on questions are of the new model, and so must be what facts are compared by.
    for user in iterate_users():
        embedding.mark_foreign_vectors(user, clock())
    enter_phase(run, Phase.CHECK)
    return 0


def check_live_collection(run: ReindexRun, clock: Callable[[], datetime]) -> int:
    """Run a consistency check of the live collection. Its report is resumable, like the run."""
    report: DriftReport | None = run.report
    if report is None:
        user = EndUser.objects.filter(pk=run.scope.get("end_user", 0)).first()
        run.report = drift.start_report(drift.Mode.FULL, now=clock(), user=user)
        return 0
    if report.finished_at is None:
        users = report.users
        drift.continue_report(report, clock=clock, stop=lambda: report.users > users)
    if report.finished_at is not None:
        finish_run(run, clock())
    return 0


def finish_run(run: ReindexRun, now: datetime) -> None:
    run.state, run.finished_at = State.DONE, now
    # Only a running one: whoever cancelled it meanwhile has the last word.
    ReindexRun.objects.filter(pk=run.pk, state=State.RUNNING).update(state=State.DONE, finished_at=now)
    logger.info("index rebuilt", collection=run.collection, rows=run.rows_done, mended=run.rows_mended)


STEPS: dict[ReindexRun.Phase, Callable[[ReindexRun, Callable[[], datetime]], int]] = {
    Phase.COPY: copy_rows,
    Phase.CATCH_UP: copy_late_changes,
    Phase.VERIFY: verify_page,
    Phase.SWAP: swap_collections,
    Phase.CHECK: check_live_collection,
}
