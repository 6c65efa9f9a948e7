"""Statements that a connection plans once and keeps, for those whose planning takes as long as their answer."""

from collections.abc import Mapping
from typing import Any

import psycopg
from django.db.backends.utils import CursorWrapper

PLANNED_ONCE = {"plan_cache_mode": "force_generic_plan"}
"""A setting of the scope: the plan must not depend on the values, or it would be made anew for them."""


def rows_of(cursor: CursorWrapper, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Every row of a statement, through the connection of a cursor and under its limits.

    For statements that reach every table through an index of the user's, so that one plan is right for all users, and
    that are the same text each time. A value that is cast from text is written as a subselect: in a plan without values
    the cast is done for each row otherwise. Where `DATABASE_PREPARED` is off, as behind a pooler that lends
    connections by transaction, the server plans each time.
    """
    with cursor.db.wrap_database_errors, psycopg.Cursor(cursor.connection) as own:
        own.execute(statement, values, prepare=True)
        return own.fetchall()
