"""Control of index rebuilds: start, pause, resume, cancel, roll back, remove old collections.

The work itself is in `rebuilding`.
"""

from datetime import datetime
from typing import Any

import structlog
from django.db import IntegrityError, connection, transaction

from memory.access.scope import user_scope
from memory.access.users import iterate_user_ids
from memory.conf import memory_conf
from memory.indexes import vector_index
from memory.indexes.collections import Role
from memory.indexing.rebuild import Phase, ReindexRefused, State
from memory.models import EndUser, MemoryItem, ReindexRun, VectorCollection

logger = structlog.get_logger(__name__)

EXACT_COUNT_UP_TO = 1000


def start_run(
    *,
    now: datetime,
    user: EndUser | None = None,
    tier: str = "",
    since: datetime | None = None,
    rows_per_s: float | None = None,
) -> ReindexRun:
    """Start a rebuild of the whole index, or with a user, tier or time a rewrite of those rows' points."""
    if (current := find_open_run()) is not None:
        raise ReindexRefused(f"a run is {current.state} ({current.phase}): --resume, --pause or --cancel it")
    requested = {"end_user": user.pk if user else None, "tier": tier, "since": since.isoformat() if since else None}
    scope = {name: value for name, value in requested.items() if value}
    index = vector_index()
    if scope and (problem := index.find_mismatch()):
        raise ReindexRefused(f"{problem} without --user, --tier and --since")
    try:
        with transaction.atomic():
            live = index.registry.adopt(index.shape)
            target = live if scope else index.registry.begin(index.shape, now=now)
            return ReindexRun.objects.create(
                target=target,
                collection=target.name,
                scope=scope,
                rows_total=estimate_rows(user),
                rows_per_s=memory_conf().reindex.rows_per_s if rows_per_s is None else rows_per_s,
                started_at=now,
                advanced_at=now,
            )
    except IntegrityError:
        raise ReindexRefused("another run was started at the same moment") from None


def find_open_run() -> ReindexRun | None:
    return ReindexRun.objects.filter(state__in=[State.RUNNING, State.PAUSED]).select_related("target").first()


def pause_run() -> ReindexRun:
    return change_state(State.RUNNING, State.PAUSED, "no run is going on")


def resume_run() -> ReindexRun:
    """Resume a paused run, or one whose process died."""
    run = find_open_run()
    return (
        run
        if run is not None and run.state == State.RUNNING
        else change_state(State.PAUSED, State.RUNNING, "no run waits")
    )


def change_state(state: str, new: str, otherwise: str) -> ReindexRun:
    run = find_open_run()
    if run is None or not ReindexRun.objects.filter(pk=run.pk, state=state).update(state=new):
        raise ReindexRefused(otherwise)
    run.state = new
    return run


def cancel_run(*, now: datetime) -> ReindexRun:
    """Cancel a run before its swap; the new collection is removed."""
    run = find_open_run()
    if run is None or run.phase == Phase.CHECK:
        raise ReindexRefused("no run is going on" if run is None else "the new index answers already: --rollback")
    ReindexRun.objects.filter(pk=run.pk).update(state=State.CANCELLED, finished_at=now)
    if run.target is not None and run.target.role == Role.BUILDING:
        vector_index().registry.give_up(run.target)
    run.state = State.CANCELLED
    return run


def roll_back_run(*, now: datetime) -> VectorCollection:
    """Make the previous collection live again. A consistency check must follow for changes since the swap."""
    if find_open_run() is not None:
        raise ReindexRefused("a run is going on: --cancel it first, or let it end")
    index = vector_index()
    rows = {row.role: row for row in index.registry.list_rows()}
    previous, left = rows.get(Role.PREVIOUS), rows.get(Role.LIVE)
    if previous is None or (previous.keep_until is not None and previous.keep_until <= now):
        raise ReindexRefused("no earlier collection is kept")
    index.engine.open(previous.name, previous.dimensions, index.alias).make_live()
    restored = index.registry.restore()
    if left is not None:
        ReindexRun.objects.filter(target_id=left.pk, state=State.DONE).update(state=State.ROLLED_BACK)
    return restored


def drop_expired_collections(*, now: datetime) -> int:
    """Remove collections past their rollback window. Returns how many."""
    index = vector_index()
    overdue = index.registry.list_overdue(now)
    for row in overdue:
        index.open(row).drop(iterate_user_ids())
        row.delete()
        logger.info("collection removed", collection=row.name)
    return len(overdue)


def estimate_rows(user: EndUser | None) -> int:
    """For the progress bar: counted where that is quick, estimated where there are very many users."""
    users = [user.pk] if user else list(EndUser.objects.values_list("pk", flat=True)[: EXACT_COUNT_UP_TO + 1])
    if len(users) > EXACT_COUNT_UP_TO:
        with connection.cursor() as cursor:
            cursor.execute("SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'memory_item'::regclass")
            row: tuple[Any, ...] | None = cursor.fetchone()
        return int(row[0]) if row else 0
    total = 0
    for user_id in users:
        with user_scope(user_id):
            total += MemoryItem.objects.for_user(user_id).count()
    return total
