"""What waits: asked of the tables themselves, so that nothing waits that no longer is so. In the user's scope."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery

from memory.models import DecidedMatter, EndUser, Fact, FactReview, MemoryItem
from memory.models.facts import DOUBTED_BELOW, FactState
from memory.models.inbox import MatterDecision, MatterKind
from memory.tiers import Outcome, Status, Tier, Trust
from outcomes.models import OutcomeEvent, Source

# Beyond it a count says "at least": nobody decides a thousand faster for knowing that it is two.
MOST_COUNTED: Final = 1_000
# How long before its end a memory is asked about: in working memory, which lasts a day, the rest of that day.
ENDS_WITHIN: Final = timedelta(days=3)
WORKING_ENDS_WITHIN: Final = timedelta(hours=12)
# Handed over so often that somebody will miss it.
USED_OFTEN: Final = 3
# Nobody knows any more why something failed a season ago.
EXPLAINED_WITHIN: Final = timedelta(days=90)
MARK_BEGINS: Final = "[redacted: "

Rows = QuerySet[Any]


@dataclass(frozen=True, slots=True)
class MatterSource:
    """Where the matters of a kind are found.

    ``moment`` is the column that orders them and ``subject`` the column of a decision that names one. What is urgent
    comes first by its time, all else latest first.
    """

    kind: MatterKind
    rows: Callable[[EndUser, datetime], Rows]
    moment: str
    subject: str
    decisions: tuple[MatterDecision, ...]
    is_urgent: bool = False


@dataclass(frozen=True, slots=True)
class Matter:
    """One thing that waits. ``row`` is a memory, a fact, a pair of either, or a verdict."""

    kind: MatterKind
    id: str
    at: datetime
    row: MemoryItem | Fact | FactReview | DecidedMatter | OutcomeEvent
    # Both memories of a pair of duplicates, what is kept of the two first; the memory of a verdict without a question.
    items: tuple[MemoryItem, ...] = ()


class CountedRows(Subquery):
    """How many rows a query has, as a column of another."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()


def find_contradictions(user: EndUser, now: datetime) -> Rows:
    return FactReview.objects.filter(user=user, decision="").select_related("fact", "other")


def find_suspected(user: EndUser, now: datetime) -> Rows:
    return MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK, review=True)


def find_duplicates(user: EndUser, now: datetime) -> Rows:
    """Pairs of which both still stand as they were compared."""
    active = MemoryItem.objects.for_user(user).active().filter(updated_at__lte=OuterRef("found_at"))
    pairs = DecidedMatter.objects.filter(user=user, kind=MatterKind.DUPLICATES, decision="")
    return pairs.filter(Exists(active.filter(pk=OuterRef("item_id"))), Exists(active.filter(pk=OuterRef("other_id"))))


def find_doubtful(user: EndUser, now: datetime) -> Rows:
    facts = Fact.objects.for_user(user).filter(state=FactState.ACTIVE, is_confirmed=False)
    return facts.filter(Q(trust__lt=Trust.USER) | Q(base_confidence__lt=DOUBTED_BELOW)).defer("vector")


def find_unexplained(user: EndUser, now: datetime) -> Rows:
    """Failures that somebody told of, and nobody the reason."""
    failed = OutcomeEvent.objects.filter(
        user=user, outcome=Outcome.FAILED, sign=1, replaced_at__isnull=True, reason="", takeaway_id__isnull=True
    )
    return failed.filter(at__gte=now - EXPLAINED_WITHIN).exclude(source=Source.IMPLICIT)


def find_expiring(user: EndUser, now: datetime) -> Rows:
    items = MemoryItem.objects.for_user(user).active().filter(expires_at__gt=now, expires_at__lte=now + ENDS_WITHIN)
    in_time = ~Q(tier=Tier.WORKING) | Q(expires_at__lte=now + WORKING_ENDS_WITHIN)
    return items.filter(in_time, Q(retrieved__gte=USED_OFTEN) | Q(worked__gt=0))


def find_redactions(user: EndUser, now: datetime) -> Rows:
    return MemoryItem.objects.for_user(user).filter(status=Status.ACTIVE, text__contains=MARK_BEGINS)


KEEP_OR_ARCHIVE: Final = (MatterDecision.KEEP, MatterDecision.ARCHIVE)
PAIR_DECISIONS: Final = (
    MatterDecision.SUPERSEDE, MatterDecision.MERGE, MatterDecision.KEEP_BOTH, MatterDecision.REJECT
)  # fmt: skip
SOURCES: Final[Mapping[MatterKind, MatterSource]] = {
    source.kind: source
    for source in (
        MatterSource(MatterKind.CONTRADICTIONS, find_contradictions, "created_at", "review_id", PAIR_DECISIONS),
        MatterSource(MatterKind.SUSPECTED, find_suspected, "occurred_at", "item_id", KEEP_OR_ARCHIVE),
        MatterSource(
            MatterKind.DUPLICATES,
            find_duplicates,
            "found_at",
            "id",
            (MatterDecision.MERGE, MatterDecision.KEEP_BOTH, MatterDecision.ARCHIVE),
        ),
        MatterSource(
            MatterKind.DOUBTFUL,
            find_doubtful,
            "last_seen",
            "fact_id",
            (MatterDecision.KEEP, MatterDecision.REJECT),
        ),
        MatterSource(
            MatterKind.UNEXPLAINED,
            find_unexplained,
            "at",
            "event_id",
            (MatterDecision.EXPLAIN, MatterDecision.KEEP),
        ),
        MatterSource(MatterKind.EXPIRING, find_expiring, "expires_at", "item_id", KEEP_OR_ARCHIVE, is_urgent=True),
        MatterSource(MatterKind.REDACTIONS, find_redactions, "occurred_at", "item_id", KEEP_OR_ARCHIVE),
    )
}


def find_waiting(user: EndUser, kind: MatterKind, now: datetime) -> Rows:
    """Without what was decided, in no order."""
    source = SOURCES[kind]
    rows = source.rows(user, now)
    if source.subject in {"id", "review_id"}:
        # A pair is no longer found once it is decided.
        return rows
    decided = DecidedMatter.objects.filter(user=user, kind=kind).exclude(decision="")
    return rows.exclude(Exists(decided.filter(**{source.subject: OuterRef("pk")})))


# Nobody, and a moment like any other: what stands in the statement for whom and when it is asked of.
NOBODY: Final = EndUser(pk=-73_108)
ONCE: Final = datetime(2000, 1, 1, tzinfo=UTC)


@cache
def build_count() -> tuple[str, tuple[Any, ...]]:
    """The statement that counts and its values, for NOBODY at ONCE. It is the same for everybody, and to have the
    framework make it took 10 of the 42 ms of CPU of each page of a person."""
    counts = [CountedRows(find_waiting(NOBODY, kind, ONCE).values("pk")[:MOST_COUNTED]) for kind in SOURCES]
    statement, values = EndUser.objects.filter(pk=NOBODY.pk).values_list(*counts).query.sql_with_params()
    return statement, tuple(values)


def count_waiting(user: EndUser, now: datetime) -> dict[MatterKind, int]:
    """At most a thousand of each, all in one statement: every page of a person tells how many there are."""
    statement, values = build_count()
    asked = [
        user.pk if value == NOBODY.pk else now + (value - ONCE) if isinstance(value, datetime) else value
        for value in values
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, asked)
        found = cursor.fetchone()
    return dict(zip(SOURCES, found or (0,) * len(SOURCES), strict=True))


def list_waiting(
    user: EndUser, kind: MatterKind, *, now: datetime, after: tuple[datetime, str] | None = None, limit: int
) -> list[Matter]:
    """``after`` is the time and id of the last that was shown."""
    source, rows = SOURCES[kind], find_waiting(user, kind, now)
    if after is not None:
        moment, row_id = after
        further = {f"{source.moment}__{'gt' if source.is_urgent else 'lt'}": moment}
        rows = rows.filter(Q(**further) | Q(**{source.moment: moment, "pk__gt": row_id}))
    order = F(source.moment).asc() if source.is_urgent else F(source.moment).desc()
    found = list(rows.order_by(order, "pk")[:limit])
    items = read_items(user, kind, found)
    return [Matter(kind, str(row.pk), getattr(row, source.moment), row, items.get(row.pk, ())) for row in found]


def get_waiting(user: EndUser, kind: MatterKind, matter_id: str, now: datetime) -> Matter | None:
    source = SOURCES[kind]
    if matter_id.isdecimal() != (kind is MatterKind.UNEXPLAINED):
        return None
    row = find_waiting(user, kind, now).filter(pk=matter_id).first()
    if row is None:
        return None
    items = read_items(user, kind, [row]).get(row.pk, ())
    return Matter(kind, str(row.pk), getattr(row, source.moment), row, items)


def read_items(user: EndUser, kind: MatterKind, rows: list[Any]) -> Mapping[Any, tuple[MemoryItem, ...]]:
    if kind is MatterKind.DUPLICATES:
        return read_pairs(user, rows)
    return read_scored(user, rows) if kind is MatterKind.UNEXPLAINED else {}


def read_scored(user: EndUser, rows: list[OutcomeEvent]) -> dict[int, tuple[MemoryItem, ...]]:
    """The first memory that each verdict without a question was about, if it is still there."""
    first = {row.pk: UUID(row.memories[0][0]) for row in rows if row.memories and not row.query}
    items = MemoryItem.objects.for_user(user).defer("lexemes").in_bulk(list(first.values()))
    return {event_id: (items[item_id],) for event_id, item_id in first.items() if item_id in items}


def read_pairs(user: EndUser, rows: list[DecidedMatter]) -> dict[UUID, tuple[MemoryItem, ...]]:
    ids = {one for row in rows for one in (row.item_id, row.other_id) if one}
    items = MemoryItem.objects.for_user(user).defer("lexemes").in_bulk(list(ids))
    return {
        row.pk: (items[row.item_id], items[row.other_id])
        for row in rows
        if row.item_id in items and row.other_id in items
    }
