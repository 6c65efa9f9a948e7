"""The events of all facts and memories of a person in one order, latest first, and how many a day had."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Count, Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Left, TruncDate

from memory.access.scope import user_scope
from memory.models import EndUser, Fact, FactEvent, MemoryEvent, MemoryItem, Tombstone
from memory.models.facts import FactState
from memory.tiers import Status, Tier

EXCERPT: Final = 240
# In the order of events of one moment.
SOURCES: Final = ("fact", "memory")
MOST_DIGITS: Final = 18
# Looks for one page, where books lie between what is shown.
MOST_LOOKS: Final = 4


class HistoryKind(StrEnum):
    LEARNED = "learned"
    CHANGED = "changed"
    PROMOTED = "promoted"
    JUDGED = "judged"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"


# All other kinds of events are changes.
KINDS: Final[Mapping[HistoryKind, tuple[str, ...]]] = {
    HistoryKind.LEARNED: ("stored", "added"),
    HistoryKind.PROMOTED: ("promoted", "undone"),
    HistoryKind.JUDGED: ("outcome_", "signal_", "takeaway_"),
    HistoryKind.SUPERSEDED: ("superseded", "merged"),
    HistoryKind.FORGOTTEN: ("archived", "dormant", "purged", "forgotten", "deprecated", "retracted"),
}


@dataclass(frozen=True, slots=True)
class HistoryPlace:
    """Where a page ends: its last event."""

    at: datetime
    source: str
    pk: int

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.source}~{self.pk}"


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """``text`` is what the fact or memory says today; not ``is_kept``: nothing is left of it."""

    source: str
    pk: int
    kind: str
    reason: str
    actor: str
    at: datetime
    subject_id: UUID
    text: str
    tier: str
    is_kept: bool

    @property
    def place(self) -> HistoryPlace:
        return HistoryPlace(self.at, self.source, self.pk)


def classify_kind(kind: str) -> HistoryKind:
    return next((one for one, starts in KINDS.items() if kind.startswith(starts)), HistoryKind.CHANGED)


def read_place(written: str) -> HistoryPlace | None:
    """None for what is no place: the list then begins at its beginning."""
    moment, _, rest = written.partition("~")
    source, _, digits = rest.partition("~")
    if source not in SOURCES or not (digits.isascii() and digits.isdigit()) or len(digits) > MOST_DIGITS:
        return None
    try:
        at = datetime.fromisoformat(moment)
    except ValueError:
        return None
    return HistoryPlace(at, source, int(digits)) if at.tzinfo else None


def where_kind(kind: HistoryKind | None) -> Q:
    if kind is None:
        return Q()
    if kind is HistoryKind.CHANGED:
        return ~Q(*(where_kind(other) for other in KINDS), _connector=Q.OR)
    return Q(*(Q(kind__startswith=start) for start in KINDS[kind]), _connector=Q.OR)


def where_before(place: HistoryPlace | None, source: str) -> Q:
    if place is None:
        return Q()
    if source == place.source:
        return Q(at__lt=place.at) | Q(at=place.at, pk__lt=place.pk)
    # Of one moment those of the earlier source stand first.
    return Q(at__lt=place.at) if SOURCES.index(source) < SOURCES.index(place.source) else Q(at__lte=place.at)


def list_history(
    user: EndUser, kind: HistoryKind | None, *, until: datetime, after: HistoryPlace | None, limit: int
) -> tuple[list[HistoryEvent], HistoryPlace | None]:
    """The events up to a moment, latest first, and where the next page begins if there is one.

    The passages of a book are stored at one moment, by the thousand: one of them stands for all.
    """
    kept: list[tuple[str, Any]] = []
    with user_scope(user):
        for _look in range(MOST_LOOKS):
            rows = load_rows(user, kind, until=until, after=after, limit=limit)
            for source, row in rows[:limit]:
                if not (kept and is_of_the_same_book(kept[-1][1], row)):
                    kept.append((source, row))
            if len(rows) <= limit:
                return describe_rows(user, kept), None
            after = place_after(*rows[limit - 1])
            if len(kept) >= limit // 2:
                break
        return describe_rows(user, kept), after


def load_rows(
    user: EndUser, kind: HistoryKind | None, *, until: datetime, after: HistoryPlace | None, limit: int
) -> list[tuple[str, Any]]:
    """One more than asked for, where there is one."""
    rows: list[tuple[str, Any]] = []
    for source, model in zip(SOURCES, (FactEvent, MemoryEvent), strict=True):
        events = list_told(model, user).filter(where_kind(kind), where_before(after, source))
        found = events.filter(at__lte=until).defer("before").order_by("-at", "-pk")[: limit + 1]
        rows += [(source, row) for row in found]
    rows.sort(key=lambda one: (one[1].at, -SOURCES.index(one[0]), one[1].pk), reverse=True)
    return rows[: limit + 1]


def list_told(model: type[Model], user: EndUser) -> QuerySet[Any]:
    """The events to be read. Of a fact and the memory that says it in the bank the fact alone is told as learned."""
    events = model._default_manager.filter(user=user)
    if model is FactEvent:
        return events
    published = Fact.objects.for_user(user).filter(bank_item_id=OuterRef("item_id"))
    return events.exclude(Q(kind="stored") & Exists(published))


def is_passage(row: FactEvent | MemoryEvent) -> bool:
    return row.kind == "stored" and (row.after or {}).get("tier") == Tier.BOOKS


def is_of_the_same_book(earlier: FactEvent | MemoryEvent, row: FactEvent | MemoryEvent) -> bool:
    return earlier.at == row.at and is_passage(earlier) and is_passage(row)


def place_after(source: str, row: FactEvent | MemoryEvent) -> HistoryPlace:
    """Behind all passages of a book, if the row is one: nothing else is written at their moment."""
    return HistoryPlace(row.at, source, 0 if is_passage(row) else row.pk)


def describe_rows(user: EndUser, rows: Sequence[tuple[str, Any]]) -> list[HistoryEvent]:
    facts = load_facts(user, {row.fact_id for source, row in rows if source == "fact"})
    memories = load_memories(user, {row.item_id for source, row in rows if source == "memory"})
    shown = []
    for source, row in rows:
        subject = row.fact_id if source == "fact" else row.item_id
        text, tier, is_kept = (facts if source == "fact" else memories).get(subject, ("", "", False))
        shown.append(
            HistoryEvent(source, row.pk, row.kind, row.reason, row.actor, row.at, subject, text, tier, is_kept)
        )
    return shown


def load_facts(user: EndUser, ids: Collection[UUID]) -> dict[UUID, tuple[str, str, bool]]:
    rows = Fact.objects.for_user(user).filter(pk__in=list(ids)).exclude(state=FactState.FORGOTTEN)
    return {pk: (statement, "", True) for pk, statement in rows.values_list("pk", "statement")}


def load_memories(user: EndUser, ids: Collection[UUID]) -> dict[UUID, tuple[str, str, bool]]:
    rows = MemoryItem.objects.for_user(user).filter(pk__in=list(ids))
    return {pk: (text, tier, True) for pk, text, tier in rows.values_list("pk", Left("text", EXCERPT), "tier")}


def count_by_day(user: EndUser, first: date, last: date) -> dict[date, dict[HistoryKind, int]]:
    """How much of each kind happened on each day, a book once, with what was deleted for good."""
    start, end = datetime.combine(first, time.min, UTC), datetime.combine(last, time.max, UTC)
    counts: dict[date, dict[HistoryKind, int]] = defaultdict(lambda: defaultdict(int))
    with user_scope(user):
        for model in (FactEvent, MemoryEvent):
            events: Any = model._default_manager.filter(user=user, at__gte=start, at__lte=end).order_by()
            for day, kind, number in count_days(events):
                counts[day][classify_kind(kind)] += number
        for day, untold in count_untold(user, start, end):
            counts[day][HistoryKind.LEARNED] -= untold
        gone = Tombstone.objects.filter(user=user, deleted_at__gte=start, deleted_at__lte=end).order_by()
        for day, number in gone.values_list(TruncDate("deleted_at", tzinfo=UTC)).annotate(number=Count("*")):
            counts[day][HistoryKind.FORGOTTEN] += number
    return counts


def count_untold(user: EndUser, start: datetime, end: datetime) -> Iterator[tuple[date, int]]:
    """By day how much was stored that is told elsewhere: of facts, and of books beside the passage that is shown."""
    stored = MemoryEvent.objects.filter(user=user, at__gte=start, at__lte=end, kind="stored").order_by()
    by_day = TruncDate("at", tzinfo=UTC)
    # From the facts, which are fewer than the memories.
    published = Fact.objects.for_user(user).filter(bank_item_id__isnull=False).values("bank_item_id")
    yield from stored.filter(item_id__in=published).values_list(by_day).annotate(number=Count("*"))
    # Of what was stored the tier stands in no index: nobody without a book waits for it.
    if MemoryItem.objects.for_user(user).filter(tier=Tier.BOOKS).exists():
        passages = stored.filter(after__tier=Tier.BOOKS).values_list(by_day)
        yield from passages.annotate(number=Count("*") - Count("at", distinct=True))


def count_days(events: QuerySet[Any]) -> list[tuple[date, str, int]]:
    return list(events.values_list(TruncDate("at", tzinfo=UTC), "kind").annotate(number=Count("*")))


def count_memories_until(user: EndUser, moment: datetime) -> dict[str, int]:
    """Active memories of what had happened by then, by the tier that holds them today."""
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).filter(status=Status.ACTIVE, occurred_at__lte=moment).order_by()
        return dict(rows.values_list("tier").annotate(number=Count("*")))
