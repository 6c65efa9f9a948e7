"""Keyset-paged lists of a user's rows; each page is one query in the user's scope."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL
from django.utils import timezone

from memory.access.confinement import RowScope, ScopeFilter
from memory.access.scope import user_scope
from memory.language import build_query_groups, build_tsquery
from memory.models import EndUser, MemoryEvent, MemoryItem, MemoryVersion
from memory.models.conditions import RowConditions
from memory.models.items import ItemQuerySet, has_ended
from memory.tiers import Indexing, Status, Tier

RECENT, SCORE = "recent", "score"
MOST_SCOPES = 200


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """``words`` None means any text; a query of nothing but stop words matches nothing."""

    # None is any.
    status: Status | None = Status.ACTIVE
    tier: Tier | None = None
    tag: str | None = None
    words: str | None = None
    # The last of ``words`` may be the beginning of one: they are still being typed.
    is_typing: bool = False
    indexing: Indexing | None = None
    rows: RowConditions = field(default_factory=RowConditions)
    review: bool | None = None
    # The very agents and projects; those a reader sees are the transaction's to say.
    scope: ScopeFilter = field(default_factory=ScopeFilter)
    # Of books there may be thousands.
    has_passages: bool = True
    # None that is a passage of a book or of a thread's document, which goes with it.
    is_loose: bool = False


@dataclass(frozen=True, slots=True)
class ItemCursor:
    """The last row of a page: its sort key, then its id to break ties."""

    key: datetime | float
    item_id: uuid.UUID


def list_items(
    user: EndUser, criteria: ItemFilter, *, sort: str = RECENT, after: ItemCursor | None = None, limit: int = 50
) -> list[MemoryItem]:
    """Newest or best first, ties by id."""
    column = "score" if sort == SCORE else "occurred_at"
    with user_scope(user):
        rows = apply_item_filter(MemoryItem.objects.for_user(user), criteria, user.pk)
        if after is not None:
            rows = filter_after(rows, column, after)
        rows = rows.defer("lexemes").order_by(f"-{column}", "pk")
        if sort == RECENT and is_unfiltered(criteria):
            tiers = [tier for tier in Tier if criteria.has_passages or tier is not Tier.BOOKS]
            rows = union_tiers(rows, limit, tiers).order_by(f"-{column}", "pk")
        return list(rows[:limit])


def list_page(
    user: EndUser,
    wanted: RowConditions,
    *,
    statuses: Collection[Status],
    tiers: Collection[Tier] = tuple(Tier),
    start: int,
    limit: int,
) -> tuple[list[MemoryItem], int]:
    """Newest first from a numbered place on, and how many there are: for those who turn pages by number."""
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).filter(status__in=statuses)
        if Status.ARCHIVED not in statuses:
            # As good as archived; who asks for those as well, to delete them, means every one.
            rows = rows.exclude(has_ended(timezone.now()))
        if len(tiers) < len(Tier):
            rows = rows.filter(tier__in=tiers)
        for condition in wanted.build_expressions(user.pk):
            rows = rows.filter(condition)
        found = rows.defer("lexemes").order_by("-occurred_at", "-arrival")[start : start + limit]
        return list(found), rows.count()


def list_matching_ids(user: EndUser, criteria: ItemFilter, *, limit: int) -> tuple[list[uuid.UUID], int]:
    """Of the newest, and how many there are."""
    with user_scope(user):
        rows = apply_item_filter(MemoryItem.objects.for_user(user), criteria, user.pk)
        return list(rows.order_by("-occurred_at", "pk").values_list("pk", flat=True)[:limit]), rows.count()


def list_known_ids(user: EndUser, ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    with user_scope(user):
        return set(MemoryItem.objects.for_user(user).filter(pk__in=list(ids)).values_list("pk", flat=True))


def list_newest(
    user: EndUser, *, statuses: Collection[Status], tiers: Collection[Tier], start: int, limit: int
) -> list[MemoryItem]:
    """Newest first from a numbered place on, without counting them."""
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).defer("lexemes").order_by("-occurred_at", "pk")
        first, *others = (
            rows.filter(status=status, tier=tier)[: start + limit] for status in statuses for tier in tiers
        )
        # The index is in order within a status and a tier: to sort 100,000 rows for the first 30 took 0.7 s of
        # processor time.
        return list(first.union(*others, all=True).order_by("-occurred_at", "pk")[start : start + limit])


def count_kept(user: EndUser, *, statuses: Collection[Status], tiers: Collection[Tier]) -> int:
    with user_scope(user):
        return MemoryItem.objects.for_user(user).filter(status__in=statuses, tier__in=tiers).count()


def filter_after(rows: ItemQuerySet, column: str, after: ItemCursor) -> ItemQuerySet:
    """The rows that follow a cursor."""
    # No index begins at what an "or" says, so the bound is given beside it.
    bounded = rows.filter((f"{column}__lte", after.key))
    return bounded.filter(Q((f"{column}__lt", after.key)) | Q(pk__gt=after.item_id))


def is_unfiltered(criteria: ItemFilter) -> bool:
    """Whether all memories of one status are asked for, or all but passages."""
    return criteria == ItemFilter(status=criteria.status, has_passages=criteria.has_passages)


def union_tiers(rows: ItemQuerySet, limit: int, tiers: Collection[Tier] = tuple(Tier)) -> ItemQuerySet:
    """The first of each tier, to be sorted once more together."""
    # The index of recent rows is in order within a tier only; sorting 100,000 rows to show eight took a tenth of a
    # second.
    first, *others = (rows.filter(tier=tier)[:limit] for tier in tiers)
    return first.union(*others, all=True)


def build_item_cursor(item: MemoryItem, sort: str) -> ItemCursor:
    return ItemCursor(item.score if sort == SCORE else item.occurred_at, item.pk)


def apply_item_filter(rows: ItemQuerySet, criteria: ItemFilter, owner: int) -> ItemQuerySet:
    if criteria.status is not None:
        rows = rows.filter(status=criteria.status)
    if criteria.status is Status.ACTIVE:
        rows = rows.exclude(has_ended(timezone.now()))
    if criteria.tier is not None:
        rows = rows.filter(tier=criteria.tier)
    if not criteria.has_passages:
        rows = rows.exclude(tier=Tier.BOOKS)
    if criteria.is_loose:
        unbound = "NOT EXISTS (SELECT 1 FROM book_chunk WHERE user_id = %s AND item_id = memory_item.id)"
        loose: Any = RawSQL(unbound, [owner], output_field=BooleanField())  # noqa: S611 -- no word of a client's
        rows = rows.filter(loose)
    conditions = criteria.rows
    if criteria.tag is not None:
        conditions = replace(conditions, tags=conditions.tags | {criteria.tag.strip().lower()})
    for condition in conditions.build_expressions(owner):
        rows = rows.filter(condition)
    rows = rows.filter(**criteria.scope.lookups)
    if criteria.review is not None:
        rows = rows.filter(review=criteria.review)
    if criteria.indexing is not None:
        rows = rows.filter(indexing=criteria.indexing)
    return rows if criteria.words is None else filter_words(rows, criteria.words, criteria, owner)


def filter_words(rows: ItemQuerySet, words: str, criteria: ItemFilter, owner: int) -> ItemQuerySet:
    groups = build_query_groups(words)
    for place, group in enumerate(groups, start=1):
        query = build_tsquery(group, owner, is_beginning=criteria.is_typing and place == len(groups))
        holds: Any = RawSQL("lexemes @@ %s::tsquery", [query], output_field=BooleanField())
        rows = rows.filter(holds)
    return rows if groups else rows.none()


def list_scopes(user: EndUser) -> list[RowScope]:
    """The agents and projects that memories of any status belong to."""
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).exclude(agent_id="", project_id="").order_by()
        found = rows.values_list("agent_id", "project_id").distinct()[:MOST_SCOPES]
        return [RowScope(agent_id, project_id) for agent_id, project_id in found]


def list_versions(user: EndUser, item_id: uuid.UUID, *, before: int | None, limit: int) -> Sequence[MemoryVersion]:
    """Newest first, those with a number under ``before``."""
    with user_scope(user):
        rows = MemoryVersion.objects.filter(user=user, item_id=item_id)
        if before is not None:
            rows = rows.filter(version__lt=before)
        return list(rows.order_by("-version")[:limit])


def list_events(user: EndUser, item_id: uuid.UUID, *, before: int | None, limit: int) -> Sequence[MemoryEvent]:
    """Newest first, those with an id under ``before``."""
    with user_scope(user):
        rows = MemoryEvent.objects.filter(user=user, item_id=item_id)
        if before is not None:
            rows = rows.filter(pk__lt=before)
        return list(rows.order_by("-pk")[:limit])
