"""Lists of a user's rows, page by page from where the last one ended. Each page is one query in the user's scope."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL

from memory.access import user_scope
from memory.models import EndUser, MemoryEvent, MemoryItem, MemoryVersion
from memory.models.items import ItemQuerySet
from memory.tiers import Status, Tier
from memory.words import query_groups, tsquery_literal

RECENT, SCORE = "recent", "score"


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """``words`` None means any text; words that say nothing (only stop words) match nothing."""

    status: Status = Status.ACTIVE
    tier: Tier | None = None
    tag: str | None = None
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The last row of a page: its sort key, then its id to break ties."""

    key: datetime | float
    item_id: uuid.UUID


def list_items(
    user: EndUser, wanted: ItemFilter, *, sort: str = RECENT, after: Place | None = None, limit: int = 50
) -> list[MemoryItem]:
    """Newest or best first, ties by id."""
    column = "score" if sort == SCORE else "occurred_at"
    with user_scope(user):
        rows = filtered(MemoryItem.objects.for_user(user), wanted, user.pk)
        if after is not None:
            rows = rows.filter(Q((f"{column}__lt", after.key)) | Q((column, after.key), pk__gt=after.item_id))
        return list(rows.defer("lexemes").order_by(f"-{column}", "pk")[:limit])


def place_of(item: MemoryItem, sort: str) -> Place:
    return Place(item.score if sort == SCORE else item.occurred_at, item.pk)


def filtered(rows: ItemQuerySet, wanted: ItemFilter, owner: int) -> ItemQuerySet:
    rows = rows.filter(status=wanted.status)
    if wanted.tier is not None:
        rows = rows.filter(tier=wanted.tier)
    if wanted.tag is not None:
        rows = rows.filter(tags__contains=[wanted.tag.strip().lower()])
    if wanted.words is not None:
        groups = query_groups(wanted.words)
        if not groups:
            return rows.none()
        for group in groups:
            holds: Any = RawSQL("lexemes @@ %s::tsquery", [tsquery_literal(group, owner)], output_field=BooleanField())
            rows = rows.filter(holds)
    return rows


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
