"""Lists of memories as a page shows them: a page at a time, with a cursor for the address bar."""

import base64
import binascii
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.utils.dateparse import parse_datetime

from memory.models import EndUser, MemoryItem
from memory.store.listing import SCORE, ItemCursor, ItemFilter, build_item_cursor, list_items

PAGE = 40


@dataclass(frozen=True, slots=True)
class ListPage:
    items: list[MemoryItem]
    next_cursor: str


def list_page(user: EndUser, wanted: ItemFilter, *, sort: str, cursor: str = "", limit: int = PAGE) -> ListPage:
    """One page. A cursor that does not read starts from the beginning."""
    found = list_items(user, wanted, sort=sort, after=read_cursor(cursor, sort), limit=limit + 1)
    items = found[:limit]
    return ListPage(items, write_cursor(build_item_cursor(items[-1], sort)) if len(found) > limit else "")


def write_cursor(place: ItemCursor) -> str:
    mark = place.key.isoformat() if isinstance(place.key, datetime) else repr(place.key)
    return base64.urlsafe_b64encode(f"{mark}|{place.item_id}".encode()).decode().rstrip("=")


def read_cursor(cursor: str, sort: str) -> ItemCursor | None:
    """The row a page ended with; None when the cursor is none of ours."""
    try:
        mark, _, last = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition("|")
        key = float(mark) if sort == SCORE else parse_datetime(mark)
        last_id = uuid.UUID(last)
    except (ValueError, binascii.Error):
        return None
    if isinstance(key, datetime) and key.tzinfo is not None:
        return ItemCursor(key, last_id)
    return ItemCursor(key, last_id) if isinstance(key, float) and 0 <= key <= 1 else None
