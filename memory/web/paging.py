"""Paging cursors: signed, and bound to the user and the list they came from.

``listing`` says whose list in which order under which filters, a cursor's ``position`` where its page ended.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.core import signing

from memory.models import MemoryItem
from memory.store.listing import SCORE, ItemCursor, build_item_cursor
from memory.web.problems import invalid_field

SALT = "commonplace.cursor"
Row = TypeVar("Row")


def cut_page(rows: Sequence[Row], limit: int, cursor_of: Callable[[Row], str]) -> tuple[Sequence[Row], str | None]:
    """The rows of a page, and the cursor of the next one if ``rows`` has more than ``limit``."""
    page = rows[:limit]
    return page, cursor_of(page[-1]) if len(rows) > limit else None


def sign_cursor(listing: list[Any], position: list[Any]) -> str:
    # Signed, or a client could hand in a position that reads past its filters.
    return signing.dumps([listing, position], salt=SALT)


def read_cursor(listing: list[Any], cursor: str | None) -> list[Any] | None:
    """The position a cursor names. Raises Problem for one that is not ours, or of another list."""
    if cursor is None:
        return None
    try:
        its_listing, position = signing.loads(cursor, salt=SALT)
    except (signing.BadSignature, ValueError) as error:
        raise invalid_field("cursor", "is not a cursor of this API") from error
    # A cursor of another order would skip or repeat rows without anybody noticing.
    if its_listing != listing:
        raise invalid_field("cursor", "belongs to another list: keep the same filters from page to page")
    return list(position)


def read_number_cursor(listing: list[Any], cursor: str | None) -> int | None:
    position = read_cursor(listing, cursor)
    return int(position[0]) if position else None


def read_moment_cursor(listing: list[Any], cursor: str | None) -> tuple[datetime, UUID] | None:
    """The position in a list that is ordered by time and then by id."""
    position = read_cursor(listing, cursor)
    return (datetime.fromisoformat(str(position[0])), UUID(str(position[1]))) if position else None


def sign_moment_cursor(listing: list[Any], moment: datetime, row_id: UUID) -> str:
    return sign_cursor(listing, [moment.isoformat(), str(row_id)])


def read_item_cursor(sort: str, listing: list[Any], cursor: str | None) -> ItemCursor | None:
    position = read_cursor(listing, cursor)
    if position is None:
        return None
    key, item_id = position
    return ItemCursor(key if sort == SCORE else datetime.fromisoformat(key), UUID(item_id))


def cut_item_page(
    rows: Sequence[MemoryItem], limit: int, sort: str, listing: list[Any]
) -> tuple[Sequence[MemoryItem], str | None]:
    def sign(item: MemoryItem) -> str:
        last = build_item_cursor(item, sort)
        key = last.key.isoformat() if isinstance(last.key, datetime) else last.key
        return sign_cursor(listing, [key, str(last.item_id)])

    return cut_page(rows, limit, sign)
