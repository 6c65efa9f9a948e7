"""A database cursor with a deadline, for the indexes in Postgres."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import inf
from typing import Any

import psycopg
from django.db import DataError, InterfaceError, InternalError, OperationalError, ProgrammingError, connection
from django.db.backends.utils import CursorWrapper

from memory.access.scope import user_scope
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, Unavailable

# A table, column, function or type that is not there or is another: the database is not the one that was left here,
# as after a restore without its extension or between an update and its migrations.
SHAPE_MISMATCH_CODES = frozenset({"42P01", "42703", "42883", "42704", "42804"})


@contextmanager
def open_bounded_cursor(
    dependency: str, user_id: int, deadline: Deadline, settings: Mapping[str, str]
) -> Iterator[CursorWrapper]:
    """A cursor in the user's scope, under these settings, that Postgres interrupts when the deadline has passed.

    Inside somebody else's transaction it is a savepoint, so a failure here leaves that transaction usable. Raises
    Unavailable, naming the dependency; BadReply where tables are not what the statement takes them for.
    """
    limits = {**cancel_after(deadline.require(dependency)), **settings}
    try:
        with user_scope(user_id, savepoint=True, settings=limits), connection.cursor() as cursor:
            yield cursor
    except (OperationalError, InterfaceError, InternalError, DataError) as error:
        raise Unavailable(dependency, " ".join(str(error).split()) or type(error).__name__) from error
    except ProgrammingError as error:
        if getattr(error.__cause__, "sqlstate", None) not in SHAPE_MISMATCH_CODES:
            raise
        raise BadReply(dependency, str(error).partition("\n")[0]) from error


@contextmanager
def open_bounded_scope(user: EndUser, deadline: Deadline) -> Iterator[None]:
    """The user's scope, in which no statement takes longer than what is left of the deadline when it begins.

    Inside somebody else's transaction it is a savepoint, as the cursor is.
    """
    with user_scope(user, savepoint=True, settings=cancel_after(deadline.remaining())):
        yield


def cancel_after(seconds: float) -> dict[str, str]:
    return {"statement_timeout": "0" if seconds == inf else str(max(1, round(seconds * 1000)))}


# For statements over ten tables under row-level security, whose planning took longer than their answer: 4.3 ms with
# planning, 2.6 without. Each table is reached through an index that begins with the user, so one plan is right for
# everybody; the lexical and vector statements are planned each time, because theirs depends on words and sizes.
# A setting of the scope: the plan must not depend on the values, or it would be made anew for them.
GENERIC_PLAN = {"plan_cache_mode": "force_generic_plan"}


def fetch_prepared(cursor: CursorWrapper, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Every row of a statement, through the connection of a cursor and under its limits.

    For statements that reach every table through an index of the user's, so that one plan is right for all users, and
    that are the same text each time. A value that is cast from text is written as a subselect: in a plan without values
    the cast is done for each row otherwise. Where `DATABASE_PREPARED` is off, as behind a pooler that lends
    connections by transaction, the server plans each time.
    """
    with cursor.db.wrap_database_errors, psycopg.Cursor(cursor.connection) as own:
        own.execute(statement, values, prepare=True)
        return own.fetchall()


def execute_prepared(cursor: CursorWrapper, statement: str, values: Mapping[str, Any]) -> None:
    """A statement that gives no rows, as `fetch_prepared`."""
    with cursor.db.wrap_database_errors, psycopg.Cursor(cursor.connection) as own:
        own.execute(statement, values, prepare=True)
