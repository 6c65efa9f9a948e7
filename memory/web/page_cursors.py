"""Cursors in the addresses of pages: the sort key and the id of the last row. Not signed: they grant nothing."""

import base64
import binascii
from datetime import datetime
from uuid import UUID

from django.utils.dateparse import parse_datetime


def write_page_cursor(key: str, row_id: UUID) -> str:
    return base64.urlsafe_b64encode(f"{key}|{row_id}".encode()).decode().rstrip("=")


def read_page_cursor(cursor: str) -> tuple[str, UUID] | None:
    """None for what is no cursor of ours: such a page starts from the beginning."""
    try:
        # Padding is left out of addresses and put back here.
        key, _, row_id = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().partition("|")
        return key, UUID(row_id)
    except (ValueError, binascii.Error):
        return None


def parse_moment(key: str) -> datetime | None:
    try:
        moment = parse_datetime(key)
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None
