"""Times as people give them to a command."""

from argparse import ArgumentTypeError
from datetime import UTC, datetime

from django.utils.dateparse import parse_date, parse_datetime


def parse_moment(text: str) -> datetime:
    """An ISO 8601 date or time; one without a zone is in UTC. Raises ArgumentTypeError."""
    try:
        found = parse_datetime(text)
        day = None if found else parse_date(text)
    except ValueError as fault:
        raise ArgumentTypeError(f"{text!r}: {fault}") from None
    if day is not None:
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    if found is None:
        raise ArgumentTypeError(f"{text!r} is no ISO 8601 time, like 2027-01-31 or 2027-01-31T09:30:00Z")
    return found if found.tzinfo else found.replace(tzinfo=UTC)
