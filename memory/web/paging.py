"""Paging cursors: signed, and bound to the user and the list they came from."""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.core import signing

from memory.store.listing import SCORE, ItemCursor
from memory.web.problems import invalid_field

SALT = "commonplace.cursor"
Row = TypeVar("Row")


def cut_page(rows: Sequence[Row], limit: int, cursor_of: Callable[[Row], str]) -> tuple[Sequence[Row], str | None]:
    """The rows of a page, and the cursor of the next one if ``rows`` has more than ``limit``."""
    page = rows[:limit]
    return page, cursor_of(page[-1]) if len(rows) > limit else None


def sign_cursor(listing: list[Any], place: list[Any]) -> str:
    """``listing`` says whose list in which order under which filters, ``place`` where its page ended."""
    return signing.dumps([listing, place], salt=SALT)


def read_cursor(listing: list[Any], given: str | None) -> list[Any] | None:
    """The place a cursor names. Raises Problem for one that is not ours, or of another list."""
    if given is None:
        return None
    try:
        told, place = signing.loads(given, salt=SALT)
    except (signing.BadSignature, ValueError) as error:
        raise invalid_field("cursor", "is not a cursor of this API") from error
    if told != listing:
        raise invalid_field("cursor", "belongs to another list: keep the same filters from page to page")
    return list(place)


def read_item_cursor(sort: str, listing: list[Any], given: str | None) -> ItemCursor | None:
    place = read_cursor(listing, given)
    if place is None:
        return None
    key, item_id = place
    return ItemCursor(key if sort == SCORE else datetime.fromisoformat(key), uuid.UUID(item_id))


def sign_item_cursor(sort: str, listing: list[Any], place: ItemCursor) -> str:
    key = place.key.isoformat() if isinstance(place.key, datetime) else place.key
    return sign_cursor(listing, [key, str(place.item_id)])
