"""A cursor for one user's question to Postgres that ends in time, shared by the indexes that live there."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf

from django.db import DataError, InterfaceError, InternalError, OperationalError, connection
from django.db.backends.utils import CursorWrapper

from memory.access import user_scope
from memory.resilience import Deadline, Unavailable


@contextmanager
def bounded_cursor(
    dependency: str, user_id: int, deadline: Deadline, settings: Mapping[str, str]
) -> Iterator[CursorWrapper]:
    """A cursor in the user's scope, under these settings, that Postgres interrupts when the deadline has passed.

    Inside somebody else's transaction it is a savepoint, so a failure here leaves that transaction usable. Raises
    Unavailable, naming the dependency.
    """
    left = deadline.require(dependency)
    try:
        with user_scope(user_id, savepoint=True), connection.cursor() as cursor:
            before = set_local(cursor, {**interrupt_after(left), **settings})
            yield cursor
            if connection.savepoint_ids and before:
                set_local(cursor, before)
    except (OperationalError, InterfaceError, InternalError, DataError) as error:
        raise Unavailable(dependency, " ".join(str(error).split()) or type(error).__name__) from error


def set_local(cursor: CursorWrapper, settings: Mapping[str, str]) -> dict[str, str]:
    """Set for this transaction; returns what was set before, without the settings that had no value."""
    read = ", ".join(["current_setting(%s, true)"] * len(settings))
    write = ", ".join(["set_config(%s, %s, true)"] * len(settings))
    # Left to right: the old values are read before the new ones are written.
    cursor.execute(f"SELECT {read}, {write}", [*settings, *(part for pair in settings.items() for part in pair)])
    previous = cursor.fetchone()[: len(settings)]
    return {name: value for name, value in zip(settings, previous, strict=True) if value is not None}


def interrupt_after(seconds: float) -> dict[str, str]:
    return {"statement_timeout": "0" if seconds == inf else str(max(1, round(seconds * 1000)))}
