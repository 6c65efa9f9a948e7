"""Writes whose answer nobody reads at once. Inside `defer_writes` they wait, and go to the database with the next
statement.

The database sees everything in the order of the program; only the messages are fewer. Each took the hot path .3 ms of
waiting and .2 ms of the process, and a turn that tells where somebody lives and works now sent 25 of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, cast

from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import Field, Model
from psycopg import ClientCursor

if TYPE_CHECKING:
    from django.db.backends.postgresql.operations import DatabaseOperations

Values = Sequence[Any] | Mapping[str, Any]
# Is told how many rows a write moved.
TakeCount = Callable[[int], object]


class WaitingWrite(NamedTuple):
    statement: str
    values: Sequence[Any]
    take_count: TakeCount | None


_waiting: ContextVar[list[WaitingWrite] | None] = ContextVar("deferred_writes", default=None)
END: Final = ";\n"


class ExecuteStatement(Protocol):
    def __call__(self, sql: str, values: object, many: bool, context: dict[str, Any], /) -> object: ...  # noqa: FBT001


@contextmanager
def defer_writes() -> Iterator[None]:
    """Inside an open transaction. What still waits at the end is sent; after an error nothing is."""
    if _waiting.get() is not None:
        yield
        return
    token = _waiting.set([])
    try:
        with connection.execute_wrapper(send_along):
            yield
        send_waiting(take_waiting())
    finally:
        _waiting.reset(token)


def write_later(statement: str, values: Values, take_count: TakeCount | None = None) -> None:
    """Outside `defer_writes` at once. ``take_count`` is told the number of rows once the write was sent."""
    waiting = _waiting.get()
    if waiting is not None:
        if isinstance(values, Mapping):
            statement, values = compose_sql(statement, values).replace("%", "%%"), []
        waiting.append(WaitingWrite(statement, values, take_count))
        return
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        count = cursor.rowcount
    if take_count is not None:
        take_count(count)


def insert_later(row: Model) -> None:
    """A new row as it now stands: what is set on it afterwards is not written."""
    fields = row._meta.concrete_fields
    columns = ", ".join(f'"{field.column}"' for field in fields)
    places = ", ".join(["%s"] * len(fields))
    write_later(f'INSERT INTO "{row._meta.db_table}" ({columns}) VALUES ({places})', read_values(row, fields))  # noqa: S608
    row._state.adding = False
    row._state.db = connection.alias


def update_later(row: Model, names: Iterable[str]) -> None:
    """Fields of a row that is there, by its primary key; none is not noticed."""
    fields = [cast("Field[Any, Any]", row._meta.get_field(name)) for name in names]
    moved = ", ".join(f'"{field.column}" = %s' for field in fields)
    key = row._meta.pk
    values = [*read_values(row, fields), *read_values(row, [key])]
    write_later(f'UPDATE "{row._meta.db_table}" SET {moved} WHERE "{key.column}" = %s', values)  # noqa: S608


def read_values(row: Model, fields: Iterable["Field[Any, Any]"]) -> list[Any]:
    return [field.get_db_prep_save(getattr(row, field.attname), connection) for field in fields]


def send_along(
    execute: ExecuteStatement,
    sql: str,
    values: object,
    many: bool,  # noqa: FBT001 -- as Django calls it
    context: dict[str, Any],
) -> object:
    """Of `connection.execute_wrapper`: what waits goes first, in the same message where the cursor can."""
    waiting = take_waiting()
    if not waiting:
        return execute(sql, values, many, context)
    cursor = context["cursor"]
    if many or not isinstance(sql, str) or not isinstance(cursor.cursor, ClientCursor):
        send_waiting(waiting)
        return execute(sql, values, many, context)
    statements = END.join([*(one.statement for one in waiting), ""])
    if isinstance(values, (list, tuple)):
        # Filled in at once: one by one the writes of a turn took a fourteenth of what it takes of the process.
        answer = execute(statements + sql, [*list_values(waiting), *values], many, context)
    else:
        own = compose_sql(sql, cast("Values", values)) if values is not None else sql
        answer = execute(compose_sql(statements, list_values(waiting)) + own, None, many, context)
    tell_counts(waiting, cursor)
    return answer


def send_waiting(waiting: Sequence[WaitingWrite]) -> None:
    if waiting:
        with connection.cursor() as cursor:
            cursor.execute(compose_waiting(waiting))
            tell_counts(waiting, cursor)


def compose_waiting(waiting: Sequence[WaitingWrite]) -> str:
    return compose_sql(END.join(one.statement for one in waiting), list_values(waiting))


def compose_sql(statement: str, values: Values) -> str:
    return str(cast("DatabaseOperations", connection.ops).compose_sql(statement, values))


def list_values(waiting: Sequence[WaitingWrite]) -> list[Any]:
    return [value for one in waiting for value in one.values]


def tell_counts(sent: Sequence[WaitingWrite], cursor: CursorWrapper) -> None:
    """Go on to the answer of what was sent behind them; each write has one of its own before it."""
    counts = []
    for _ in sent:
        counts.append(cursor.rowcount)
        cursor.nextset()
    for one, count in zip(sent, counts, strict=True):
        if one.take_count is not None:
            one.take_count(count)


def take_waiting() -> list[WaitingWrite]:
    waiting = _waiting.get() or []
    taken = waiting[:]
    waiting.clear()
    return taken
