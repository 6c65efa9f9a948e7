"""Memories in lists: newest or best first, a page at a time, with a cursor that survives new rows."""

import base64
import binascii
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.dateparse import parse_datetime

from memory.access import user_scope
from memory.models import EndUser, MemoryItem
from memory.tiers import Status

PAGE = 40


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which memories to list. Empty strings leave a filter out."""

    tier: str = ""
    status: str = Status.ACTIVE
    tag: str = ""
    words: str = ""
    by_score: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    items: list[MemoryItem]
    next_cursor: str


def matching(user: EndUser, wanted: Wanted) -> QuerySet[MemoryItem]:
    rows = MemoryItem.objects.for_user(user).filter(status=wanted.status).defer("lexemes")
    if wanted.tier:
        rows = rows.filter(tier=wanted.tier)
    if wanted.tag:
        rows = rows.filter(tags__contains=[wanted.tag])
    if wanted.words:
        rows = rows.filter(text__icontains=wanted.words)
    return rows


def listed(user: EndUser, wanted: Wanted, cursor: str = "", limit: int = PAGE) -> Listed:
    """One page. A cursor that does not read starts from the beginning."""
    with user_scope(user):
        rows = matching(user, wanted)
        if place := read_cursor(cursor, by_score=wanted.by_score):
            rows = rows.filter(place)
        order = ("-score", "pk") if wanted.by_score else ("-occurred_at", "pk")
        found = list(rows.order_by(*order)[: limit + 1])
    items = found[:limit]
    return Listed(items, write_cursor(items[-1], by_score=wanted.by_score) if len(found) > limit else "")


def write_cursor(item: MemoryItem, *, by_score: bool) -> str:
    mark = repr(item.score) if by_score else item.occurred_at.isoformat()
    return base64.urlsafe_b64encode(f"{mark}|{item.pk}".encode()).decode().rstrip("=")


def read_cursor(cursor: str, *, by_score: bool) -> Q | None:
    """What comes after the row the cursor was written at; None when it is none of ours."""
    try:
        plain = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
        mark, _, last = plain.partition("|")
        last_id = uuid.UUID(last)
        value: float | datetime | None = float(mark) if by_score else parse_datetime(mark)
    except (ValueError, binascii.Error):
        return None
    if value is None or value != value or (isinstance(value, datetime) and value.tzinfo is None):
        return None
    name = "score" if by_score else "occurred_at"
    return Q(**{f"{name}__lt": value}) | Q(**{name: value, "pk__gt": last_id})
