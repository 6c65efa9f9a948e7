"""The events of all facts and memories of a person in one order, latest first, and how many a day had.

What was learned stands at the time it was said, which of an import is long before it was stored.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db import connection
from django.db.models import Case, Count, Exists, F, Model, OuterRef, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Least, Left, TruncDate

from memory.access.scope import user_scope
from memory.models import EndUser, Fact, FactEvent, MemoryEvent, MemoryItem, Tombstone
from memory.models.facts import FactState
from memory.tiers import Status, Tier

EXCERPT: Final = 240
EVENT_SOURCES: Final = ("fact", "memory")
# In the order of events of one moment.
SOURCES: Final = (*EVENT_SOURCES, "stored")
SAID_TIERS: Final = tuple(tier for tier in Tier if tier != Tier.BOOKS)
# What a sentence does by each of the facts that it tells, and is read once.
TOLD_ONCE: Final = ("added", "superseded")
MOST_DIGITS: Final = 18
# Looks for one page, where books lie between what is shown.
MOST_LOOKS: Final = 4
# The index has the latest in order within a status and a tier alone: to sort all memories of a person with 100,000 for
# the first 61 took 90 ms of Postgres's time.
LATEST_STORED: Final = """
SELECT latest.occurred_at, latest.id
FROM unnest(%(statuses)s::text[]) AS of_status(name), unnest(%(tiers)s::text[]) AS of_tier(name), LATERAL (
    SELECT item.occurred_at, item.id FROM memory_item AS item
    WHERE item.user_id = %(user)s AND item.status = of_status.name AND item.tier = of_tier.name
      AND item.occurred_at <= %(until)s
      AND (item.occurred_at < %(until)s OR %(after)s::uuid IS NULL OR item.id > %(after)s::uuid)
      AND NOT EXISTS (SELECT FROM fact WHERE fact.user_id = item.user_id AND fact.bank_item_id = item.id)
    ORDER BY item.occurred_at DESC, item.id LIMIT %(limit)s
) AS latest
ORDER BY latest.occurred_at DESC, latest.id LIMIT %(limit)s
"""


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
    """Where a page ends: its last event, by its number, or by the memory that was stored."""

    at: datetime
    source: str
    key: int | UUID

    def __str__(self) -> str:
        return f"{self.at.isoformat()}~{self.source}~{self.key}"


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """An event, or of a memory that was stored the memory. ``at`` is when it happened, or what it tells was said."""

    place: HistoryPlace
    kind: str
    subject_id: UUID
    is_passage: bool = False
    reason: str = ""
    actor: str = ""

    @property
    def order(self) -> tuple[float, int, int]:
        """Within a moment the numbers of events fall; memories come in the order of their ids."""
        newest = -self.place.key if isinstance(self.place.key, int) else 0
        return -self.place.at.timestamp(), SOURCES.index(self.place.source), newest


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """``text`` is what the fact or memory says today; not ``is_kept``: nothing is left of it."""

    source: str
    kind: str
    reason: str
    actor: str
    at: datetime
    subject_id: UUID
    text: str
    tier: str
    is_kept: bool


def classify_kind(kind: str) -> HistoryKind:
    return next((one for one, starts in KINDS.items() if kind.startswith(starts)), HistoryKind.CHANGED)


def read_place(written: str) -> HistoryPlace | None:
    """None for what is no place: the list then begins at its beginning."""
    moment, _, rest = written.partition("~")
    source, _, key = rest.partition("~")
    is_number = key.isascii() and key.isdigit() and len(key) <= MOST_DIGITS
    if source not in SOURCES or (source != "stored" and not is_number):
        return None
    try:
        at = datetime.fromisoformat(moment)
        place = HistoryPlace(at, source, UUID(key) if source == "stored" else int(key))
    except ValueError:
        return None
    return place if at.tzinfo else None


def where_kind(kind: HistoryKind | None) -> Q:
    if kind is None:
        return Q()
    if kind is HistoryKind.CHANGED:
        return ~Q(*(where_kind(other) for other in KINDS), _connector=Q.OR)
    return Q(*(Q(kind__startswith=start) for start in KINDS[kind]), _connector=Q.OR)


def where_before(place: HistoryPlace | None, source: str) -> Q:
    """Within a moment the numbers of events fall, the ids of memories rise."""
    if place is None:
        return Q()
    if source == place.source:
        beside = Q(pk__gt=place.key) if source == "stored" else Q(pk__lt=place.key)
        return Q(told_at__lt=place.at) | (Q(told_at=place.at) & beside)
    # Of one moment those of the earlier source stand first.
    return Q(told_at__lt=place.at) if SOURCES.index(source) < SOURCES.index(place.source) else Q(told_at__lte=place.at)


def list_history(
    user: EndUser, kind: HistoryKind | None, *, until: datetime, after: HistoryPlace | None, limit: int
) -> tuple[list[HistoryEvent], HistoryPlace | None]:
    """The events up to a moment, latest first, and where the next page begins if there is one.

    The passages of a book are stored at one moment, by the thousand: one of them stands for all.
    """
    kept: list[HistoryRow] = []
    with user_scope(user):
        for _look in range(MOST_LOOKS):
            rows = load_rows(user, kind, until=until, after=after, limit=limit)
            for row in rows[:limit]:
                if not (kept and is_of_the_same_book(kept[-1], row)):
                    kept.append(row)
            if len(rows) <= limit:
                return describe_rows(user, kept), None
            after = place_after(rows[limit - 1])
            if len(kept) >= limit // 2:
                break
        return describe_rows(user, kept), after


def load_rows(
    user: EndUser, kind: HistoryKind | None, *, until: datetime, after: HistoryPlace | None, limit: int
) -> list[HistoryRow]:
    """One more than asked for, where there is one."""
    rows: list[HistoryRow] = []
    sources = [*zip(EVENT_SOURCES, (list_told(FactEvent, user), list_told(MemoryEvent, user)), strict=True)]
    if has_books(user):
        sources.append(("memory", list_passages(user)))
    for source, told in sources:
        events = told.filter(where_kind(kind), where_before(after, source), told_at__lte=until)
        rows += [describe_told(source, row) for row in events.defer("before").order_by("-told_at", "-pk")[: limit + 1]]
    if kind in {None, HistoryKind.LEARNED}:
        rows += list_latest_stored(user, until=until, after=after, limit=limit + 1)
    rows.sort(key=lambda row: row.order)
    return rows[: limit + 1]


def list_latest_stored(user: EndUser, *, until: datetime, after: HistoryPlace | None, limit: int) -> list[HistoryRow]:
    """The first of ``list_stored`` behind a place: latest first, ids rising within a moment. In the user's scope."""
    is_reached = after is not None and after.at <= until
    values: dict[str, Any] = {
        "user": user.pk,
        "statuses": list(Status),
        "tiers": list(SAID_TIERS),
        "until": after.at if after and is_reached else until,
        "after": after.key if after and is_reached and after.source == "stored" else None,
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(LATEST_STORED, values)
        return [HistoryRow(HistoryPlace(at, "stored", pk), "stored", pk) for at, pk in cursor.fetchall()]


def list_told(model: type[Model], user: EndUser) -> Any:  # noqa: ANN401 -- a query set with one more column
    """The events with when they are told: what a fact tells at the time it was said, as what took its place.

    What is stored in the memory is told by ``list_stored``, and books, which nobody said, by ``list_passages``.
    """
    events: QuerySet[Any] = model._default_manager.filter(user=user)
    if model is FactEvent:
        said = Case(When(kind="added", then=F("fact__first_seen")), When(kind="superseded", then=F("fact__valid_to")))
        return events.annotate(told_at=Least(F("at"), Coalesce(said, F("at"))))
    return events.exclude(kind="stored").annotate(told_at=F("at"))


def list_passages(user: EndUser) -> Any:  # noqa: ANN401 -- a query set with one more column
    """That the passages of books were stored, which an index has alone.

    By the tier of their memories the planner read the events of all memories, now and then: 0.4 s for a day before the
    first book.
    """
    return MemoryEvent.objects.filter(user=user, kind="stored", after__tier=Tier.BOOKS.value).annotate(told_at=F("at"))


def list_stored(user: EndUser) -> Any:  # noqa: ANN401 -- a query set with one more column
    """Of a fact and the memory that says it in the bank the fact alone is told as learned."""
    published = Fact.objects.for_user(user).filter(bank_item_id=OuterRef("pk"))
    items = MemoryItem.objects.for_user(user).filter(tier__in=SAID_TIERS).exclude(Exists(published))
    return items.annotate(told_at=F("occurred_at"))


def has_books(user: EndUser) -> bool:
    return MemoryItem.objects.for_user(user).filter(tier=Tier.BOOKS).exists()


def describe_told(source: str, row: Any) -> HistoryRow:  # noqa: ANN401 -- an event with when it is told
    is_fact = source == "fact"
    is_passage = not is_fact and row.kind == "stored"
    subject = row.fact_id if is_fact else row.item_id
    return HistoryRow(HistoryPlace(row.told_at, source, row.pk), row.kind, subject, is_passage, row.reason, row.actor)


def is_of_the_same_book(earlier: HistoryRow, row: HistoryRow) -> bool:
    return earlier.place.at == row.place.at and earlier.is_passage and row.is_passage


def place_after(row: HistoryRow) -> HistoryPlace:
    """Behind all passages of a book, if the row is one: nothing else is written at their moment."""
    return replace(row.place, key=0) if row.is_passage else row.place


def describe_rows(user: EndUser, rows: Sequence[HistoryRow]) -> list[HistoryEvent]:
    """A sentence that told several facts stands once among what was learned of it."""
    facts = load_facts(user, {row.subject_id for row in rows if row.place.source == "fact"})
    memories = load_memories(user, {row.subject_id for row in rows if row.place.source != "fact"})
    stored = [row.subject_id for row in rows if row.place.source == "stored"]
    by_item = {
        event.item_id: event for event in MemoryEvent.objects.filter(user=user, item_id__in=stored, kind="stored")
    }
    shown: dict[tuple[Any, ...], HistoryEvent] = {}
    for row in rows:
        source = "fact" if row.place.source == "fact" else "memory"
        text, tier, is_kept = (facts if source == "fact" else memories).get(row.subject_id, ("", "", False))
        written = by_item.get(row.subject_id) if row.place.source == "stored" else None
        reason, actor = (written.reason, written.actor) if written else (row.reason, row.actor)
        told = HistoryEvent(source, row.kind, reason, actor, row.place.at, row.subject_id, text, tier, is_kept)
        is_sentence = source == "fact" and row.kind in TOLD_ONCE and is_kept
        shown.setdefault((row.kind, row.place.at, text) if is_sentence else (row.place,), told)
    return list(shown.values())


def load_facts(user: EndUser, ids: Collection[UUID]) -> dict[UUID, tuple[str, str, bool]]:
    rows = Fact.objects.for_user(user).filter(pk__in=list(ids)).exclude(state=FactState.FORGOTTEN)
    return {pk: (statement, "", True) for pk, statement in rows.values_list("pk", "statement")}


def load_memories(user: EndUser, ids: Collection[UUID]) -> dict[UUID, tuple[str, str, bool]]:
    rows = MemoryItem.objects.for_user(user).filter(pk__in=list(ids))
    return {pk: (text, tier, True) for pk, text, tier in rows.values_list("pk", Left("text", EXCERPT), "tier")}


def count_by_day(user: EndUser, first: date, last: date) -> dict[date, dict[HistoryKind, int]]:
    """How much of each kind happened on each day, a sentence and a book once, with what was deleted for good."""
    start, end = datetime.combine(first, time.min, UTC), datetime.combine(last, time.max, UTC)
    counts: dict[date, dict[HistoryKind, int]] = defaultdict(lambda: defaultdict(int))
    with user_scope(user):
        facts = list_told(FactEvent, user).filter(told_at__gte=start, told_at__lte=end)
        sentences, others = facts.filter(kind__in=TOLD_ONCE), facts.exclude(kind__in=TOLD_ONCE)
        events = MemoryEvent.objects.filter(user=user, at__gte=start, at__lte=end).annotate(told_at=F("at"))
        for one, number in (
            (sentences, Count("fact__statement", distinct=True)),
            (others, Count("*")),
            (events.exclude(kind="stored"), Count("*")),
        ):
            for day, kind, found in count_days(one.annotate(told_as=F("kind")), number):
                counts[day][classify_kind(kind)] += found
        stored = list_stored(user).filter(told_at__gte=start, told_at__lte=end)
        learned = count_days(stored.annotate(told_as=Value("stored")), Count("*"))
        if has_books(user):
            books = list_passages(user).filter(at__gte=start, at__lte=end).annotate(told_as=F("kind"))
            learned += count_days(books, Count("at", distinct=True))
        for day, _kind, found in learned:
            counts[day][HistoryKind.LEARNED] += found
        gone = Tombstone.objects.filter(user=user, deleted_at__gte=start, deleted_at__lte=end).order_by()
        for day, number_gone in gone.values_list(TruncDate("deleted_at", tzinfo=UTC)).annotate(number=Count("*")):
            counts[day][HistoryKind.FORGOTTEN] += number_gone
    return counts


def count_days(told: QuerySet[Any], number: Count) -> list[tuple[date, str, int]]:
    by_day = told.order_by().values_list(TruncDate("told_at", tzinfo=UTC), "told_as")
    return list(by_day.annotate(number=number))


def count_memories_until(user: EndUser, moment: datetime) -> dict[str, int]:
    """Active memories of what had happened by then, by the tier that holds them today."""
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).filter(status=Status.ACTIVE, occurred_at__lte=moment).order_by()
        return dict(rows.values_list("tier").annotate(number=Count("*")))
