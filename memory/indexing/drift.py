"""Comparing the vector index with the rows, user by user, and mending what differs.

The rows are the truth. What the index lacks is put back into the queue of the rows; what it has too much is deleted;
a point of one user found under another is removed first and raises an alarm. Every comparison reads in pages and holds
one page at a time, and every repair is one that changes nothing when it is done again.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

import structlog
from django.db import connection
from django.db.models import Count
from django.utils.translation import gettext_noop

from memory.access.scope import user_scope
from memory.access.users import iterate_user_ids
from memory.indexes import vector_index
from memory.indexes.base import StoredPoint, VectorIndex
from memory.indexing import passages, queue, tokens
from memory.models import DriftReport, EndUser, Erasure, MemoryItem, Tombstone
from memory.models.items import ItemQuerySet
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.store.rows import mark_index_due
from memory.tiers import Indexing

logger = structlog.get_logger(__name__)

Mode = DriftReport.Mode

# Ids and hashes of this many rows are held at a time, whatever a user has.
PAGE = 1000
# Of each user every quarter of an hour: enough to notice a drift, which then becomes a full comparison.
SAMPLE = 100
TIMEOUT_S = 30.0
RECENT = timedelta(days=1)
# Less than a day, so that a check that starts a little early does not wait for the day after.
FULL_EVERY = timedelta(hours=23)
REPORT_RETENTION = timedelta(days=30)
# An index restored from a copy this old must not bring anybody back.
ERASURE_RETENTION = timedelta(days=90)
QUARANTINE_SHOWN = 200

MISSING, STALE, AHEAD, PAYLOAD, DIMENSIONS = "missing", "stale", "ahead", "payload", "dimensions"
ORPHANS, STRAYS, FOREIGN, TOKENS = "orphans", "strays", "foreign", "tokens"
DIFFERENCE_TEXTS = {
    MISSING: gettext_noop("rows without a point"),
    STALE: gettext_noop("points of another text"),
    AHEAD: gettext_noop("points later than their row, as after restoring a backup"),
    PAYLOAD: gettext_noop("points with another tier or status"),
    DIMENSIONS: gettext_noop("points of another width"),
    ORPHANS: gettext_noop("points without a row"),
    STRAYS: gettext_noop("points not written where they lie"),
    FOREIGN: gettext_noop("points of one user under another"),
    TOKENS: gettext_noop("turns without their tokens"),
}


@dataclass(slots=True)
class UserDrift:
    """What one user's points and rows differ in."""

    rows: int = 0
    points: int = 0
    found: Counter[str] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    quarantine: list[dict[str, object]] = field(default_factory=list)


# --- one report over everybody -----------------------------------------------------------------------------------
def start_report(mode: str, *, now: datetime, repair: bool = True, user: EndUser | None = None) -> DriftReport:
    """An empty report. ``carry_on`` fills it."""
    return DriftReport.objects.create(
        mode=mode,
        repair=repair,
        collection=vector_index().collection,
        end_user=user.pk if user else None,
        started_at=now,
    )


def choose_mode(now: datetime) -> str:
    """A full comparison once a day, samples between."""
    full = DriftReport.objects.filter(
        mode=Mode.FULL, end_user=None, problem="", finished_at__isnull=False, started_at__gt=now - FULL_EVERY
    )
    return Mode.SAMPLE if full.exists() else Mode.FULL


def continue_report(report: DriftReport, *, clock: Callable[[], datetime], stop: Callable[[], bool]) -> bool:
    """Look at one user after another, until all were or ``stop`` says so. True when the report is finished."""
    try:
        if problem := vector_index().find_mismatch():
            report.problem = problem[:300]
        elif report.repair:
            # A collection that was lost is made again, empty; its points are then missing like any others.
            vector_index().ensure()
        while not report.problem and (user := find_next_user(report)) is not None:
            if stop():
                return False
            add_drift(report, check_user(user, report.mode, repair=report.repair, now=clock()))
            add_drift(report, check_tokens(user, repair=report.repair))
            report.users += 1
            report.at_user = user.pk
            report.save()
        if not report.problem and report.mode == Mode.FULL and report.end_user is None:
            add_drift(report, check_erased(repair=report.repair, now=clock()))
    except Unavailable as error:
        report.problem = str(error)[:300]
    report.finished_at = clock()
    report.save()
    log_report(report)
    return True


def find_next_user(report: DriftReport) -> EndUser | None:
    users = EndUser.objects.filter(pk__gt=report.at_user).order_by("pk")
    return (users if report.end_user is None else users.filter(pk=report.end_user)).first()


def add_drift(report: DriftReport, drift: UserDrift) -> None:
    report.rows += drift.rows
    report.points += drift.points
    report.found = dict(Counter(report.found) + drift.found)
    report.mended = dict(Counter(report.mended) + drift.mended)
    report.quarantine = [*report.quarantine, *drift.quarantine][:QUARANTINE_SHOWN]


def log_report(report: DriftReport) -> None:
    said = {"mode": report.mode, "users": report.users, "rows": report.rows, "found": report.found}
    # One user's data under another is an error whatever was done about it; everything else was mended.
    if report.is_alarming:
        logger.error("points of one user were found under another", quarantine=report.quarantine, **said)
    elif report.problem:
        logger.warning("index not compared", problem=report.problem, **said)
    elif report.drift:
        logger.warning("index had drifted", mended=report.mended, **said)
    else:
        logger.info("index agrees with the rows", **said)


def delete_old_reports(now: datetime) -> int:
    """Remove reports past their keeping; those that raised an alarm stay."""
    return DriftReport.objects.filter(started_at__lt=now - REPORT_RETENTION, quarantine=[]).delete()[0]


# --- one user ----------------------------------------------------------------------------------------------------
def check_user(user: EndUser, mode: str, *, repair: bool, now: datetime) -> UserDrift:
    """Compare one user's points with the rows. A sample that finds anything becomes a full comparison."""
    index = vector_index()
    drift = UserDrift()
    if mode != Mode.FULL:
        differs = compare_counts(user, index, drift)
        if mode == Mode.COUNTS or not (differs or sample_differs(user, index, now)):
            return drift
        drift = UserDrift()
    remove_surplus(user, index, drift, repair=repair)
    for page in iterate_pages(user):
        drift.rows += len(page)
        compare_page(user, index, page, drift, repair=repair, now=now)
    return drift


def compare_counts(user: EndUser, index: VectorIndex, drift: UserDrift) -> bool:
    with user_scope(user):
        counts = dict(MemoryItem.objects.for_user(user).values_list("indexing").annotate(Count("id")))
    drift.points = index.count(user.pk, Deadline(TIMEOUT_S))
    drift.rows = sum(counts.values())
    # A waiting row may be in the index or not yet.
    ready = counts.get(Indexing.READY, 0)
    drift.found += Counter({MISSING: max(0, ready - drift.points), ORPHANS: max(0, drift.points - drift.rows)})
    return bool(drift.found)


def sample_differs(user: EndUser, index: VectorIndex, now: datetime) -> bool:
    """Whether a random stretch of the rows, the newest ones or the latest deletions disagree with the index."""
    with user_scope(user):
        rows = list_rows(user)
        stretch = list(rows.filter(pk__gte=uuid.uuid4()).order_by("pk")[:SAMPLE])
        newest = list(rows.order_by("-updated_at", "-pk")[:SAMPLE])
        deleted = Tombstone.objects.filter(user=user, deleted_at__gt=now - RECENT, purged_at__isnull=False)
        gone = list(deleted.order_by("-pk").values_list("item_id", flat=True)[:SAMPLE])
    if gone and index.fetch_points(user.pk, gone, Deadline(TIMEOUT_S)):
        return True
    sample = {row.pk: row for row in (*stretch, *newest)}
    return bool(find_differences(user, index, list(sample.values())))


def list_rows(user: EndUser) -> ItemQuerySet:
    return MemoryItem.objects.for_user(user).only(
        "id", "user_id", "tier", "status", "revision", "vector_hash", "indexing"
    )


def iterate_pages(user: EndUser) -> Iterator[list[MemoryItem]]:
    last = uuid.UUID(int=0)
    while True:
        with user_scope(user):
            page = list(list_rows(user).filter(pk__gt=last).order_by("pk")[:PAGE])
        if page:
            yield page
        if len(page) < PAGE:
            return
        last = page[-1].pk


def find_differences(user: EndUser, index: VectorIndex, rows: Sequence[MemoryItem]) -> dict[uuid.UUID, str]:
    """What is wrong with the points of these rows, by id. Rows that wait for the index are not looked at."""
    ready = {row.pk: row for row in rows if row.indexing == Indexing.READY}
    held = {point.id: point for point in index.fetch_points(user.pk, list(ready), Deadline(TIMEOUT_S))}
    dimensions = vector_index().dimensions
    found: dict[uuid.UUID, str] = {}
    doubtful: dict[uuid.UUID, StoredPoint] = {}
    for item_id, row in ready.items():
        point = held.get(item_id)
        if point is None:
            found[item_id] = MISSING
        elif point.dimensions != dimensions:
            found[item_id] = DIMENSIONS
        elif point.vector_hash != row.vector_hash or point.revision > row.revision:
            doubtful[item_id] = point
        elif (point.tier, point.status) != (row.tier, row.status):
            found[item_id] = PAYLOAD
    return found | recheck_points(user, doubtful)


def recheck_points(user: EndUser, doubtful: Mapping[uuid.UUID, StoredPoint]) -> dict[uuid.UUID, str]:
    """Points whose hash is not the row's: read both again in full. Some are newer than what was read, some are right
    and the row does not know it yet, as after a rebuilding; the rest are of another text."""
    if not doubtful:
        return {}
    with user_scope(user):
        items = list(
            MemoryItem.objects.for_user(user).filter(pk__in=list(doubtful), indexing=Indexing.READY).defer("lexemes")
        )
    found: dict[uuid.UUID, str] = {}
    right: list[MemoryItem] = []
    for item in items:
        point = doubtful[item.pk]
        if point.revision > item.revision:
            found[item.pk] = AHEAD
        elif point.vector_hash == passages.vector_hash(item):
            right.append(item)
            if (point.tier, point.status) != (item.tier, item.status):
                found[item.pk] = PAYLOAD
        elif point.vector_hash != item.vector_hash:
            found[item.pk] = STALE
    store_hashes(user, right, doubtful)
    return found


STORE_HASHES = """
UPDATE memory_item AS item SET vector_hash = held.digest
FROM unnest(%s::uuid[], %s::bigint[], %s::text[]) AS held(id, revision, digest)
WHERE item.user_id = %s AND item.id = held.id AND item.revision = held.revision AND item.indexing = 'ready'
"""


def store_hashes(user: EndUser, items: Sequence[MemoryItem], held: Mapping[uuid.UUID, StoredPoint]) -> None:
    if items:
        ids, revisions = [item.pk for item in items], [item.revision for item in items]
        with user_scope(user), connection.cursor() as cursor:
            cursor.execute(STORE_HASHES, [ids, revisions, [held[item.pk].vector_hash for item in items], user.pk])


def check_tokens(user: EndUser, *, repair: bool) -> UserDrift:
    lacking, completed = tokens.backfill_tokens(user, repair=repair)
    return UserDrift(found=+Counter({TOKENS: lacking}), mended=+Counter({TOKENS: completed}))


# --- repair ------------------------------------------------------------------------------------------------------
def compare_page(
    user: EndUser, index: VectorIndex, page: Sequence[MemoryItem], drift: UserDrift, *, repair: bool, now: datetime
) -> None:
    wrong = find_differences(user, index, page)
    drift.found += Counter(wrong.values())
    if not wrong or not repair:
        return
    rows = {row.pk: row for row in page}
    ahead = [item_id for item_id, kind in wrong.items() if kind == AHEAD]
    if ahead:
        # They would refuse what the rows say.
        index.delete(user.pk, ahead, Deadline(TIMEOUT_S))
    requeued = [rows[item_id] for item_id, kind in wrong.items() if kind != PAYLOAD]
    again = requeue(user, requeued, now)
    drift.mended += Counter(wrong[item_id] for item_id in again)
    moved = [rows[item_id] for item_id, kind in wrong.items() if kind == PAYLOAD]
    for change, ids in queue.group_by_payload(moved).items():
        index.set_payload(user.pk, ids, change, Deadline(TIMEOUT_S))
    drift.mended += Counter({PAYLOAD: len(moved)})


REQUEUE = """
UPDATE memory_item AS item
SET indexing = 'pending', vector_hash = '', index_attempts = 0, index_error = '', index_after = %s
FROM unnest(%s::uuid[], %s::bigint[]) AS wrong(id, revision)
WHERE item.user_id = %s AND item.id = wrong.id AND item.revision = wrong.revision AND item.indexing = 'ready'
RETURNING item.id
"""


def requeue(user: EndUser, rows: Sequence[MemoryItem], now: datetime) -> list[uuid.UUID]:
    """Let the worker index these rows again. Returns those that had not changed meanwhile."""
    if not rows:
        return []
    with user_scope(user):
        with connection.cursor() as cursor:
            cursor.execute(REQUEUE, [now, [row.pk for row in rows], [row.revision for row in rows], user.pk])
            again = [item_id for (item_id,) in cursor.fetchall()]
        if again:
            mark_index_due(user, now)
    return again


def remove_surplus(user: EndUser, index: VectorIndex, drift: UserDrift, *, repair: bool) -> None:
    """Points without a row. Those whose item belongs to somebody else come first, and are written down."""
    strays = index.list_strays(user.pk, remove=repair)
    if strays:
        record_differences(drift, STRAYS, strays, repair=repair)
        quarantine(user, strays, drift)
    for ids in split_ids(item_id for item_id, _ in index.scroll(user.pk)):
        drift.points += len(ids)
        orphans = list_ids_without_row(user, ids)
        if not orphans:
            continue
        foreign = quarantine(user, list_ids_without_tombstone(user, orphans), drift)
        if repair:
            index.delete(user.pk, orphans, Deadline(TIMEOUT_S))
        record_differences(drift, FOREIGN, foreign, repair=repair)
        record_differences(drift, ORPHANS, [item_id for item_id in orphans if item_id not in foreign], repair=repair)


def record_differences(drift: UserDrift, kind: str, ids: Sequence[uuid.UUID], *, repair: bool) -> None:
    drift.found[kind] += len(ids)
    if repair:
        drift.mended[kind] += len(ids)


def list_ids_without_row(user: EndUser, ids: Sequence[uuid.UUID]) -> list[uuid.UUID]:
    with user_scope(user):
        known = set(MemoryItem.objects.for_user(user).filter(pk__in=ids).values_list("pk", flat=True))
    return [item_id for item_id in ids if item_id not in known]


def list_ids_without_tombstone(user: EndUser, ids: Sequence[uuid.UUID]) -> list[uuid.UUID]:
    with user_scope(user):
        known = set(Tombstone.objects.filter(user=user, item_id__in=ids).values_list("item_id", flat=True))
    return [item_id for item_id in ids if item_id not in known]


def quarantine(user: EndUser, ids: Sequence[uuid.UUID], drift: UserDrift) -> list[uuid.UUID]:
    """Write down which of these are somebody else's items. Each other user is asked in a scope of their own."""
    left = set(ids)
    found: list[uuid.UUID] = []
    for other in iterate_user_ids() if left else ():
        if other == user.pk:
            continue
        with user_scope(other):
            theirs = list(MemoryItem.objects.for_user(other).filter(pk__in=left).values_list("pk", flat=True))
        drift.quarantine += [{"item": str(item_id), "found_under": user.pk, "owner": other} for item_id in theirs]
        found += theirs
        left -= set(theirs)
        if not left:
            break
    return found


def check_erased(*, repair: bool, now: datetime) -> UserDrift:
    """Whoever was erased stays erased, even when the index was brought back from an older copy."""
    drift = UserDrift()
    index = vector_index()
    erased = Erasure.objects.filter(finished_at__gt=now - ERASURE_RETENTION).values_list("end_user_id", flat=True)
    for user_id in list(erased):
        left = index.count(user_id, Deadline(TIMEOUT_S))
        if left and repair:
            index.erase(user_id)
            drift.mended[ORPHANS] += left
        drift.found[ORPHANS] += left
    drift.found, drift.mended = +drift.found, +drift.mended
    return drift


def split_ids(ids: Iterable[uuid.UUID]) -> Iterator[list[uuid.UUID]]:
    ids = iter(ids)
    while chunk := list(islice(ids, PAGE)):
        yield chunk
