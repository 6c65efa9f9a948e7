"""Writes all that is kept of a person as JSON Lines: a header, a line a row, a line that says how many there were.

One snapshot of the database, so that no row refers to one that is not there. It is spooled to a file first: a client
that reads slowly must hold no transaction open, under which Postgres could clean up nothing of anybody.
"""

import json
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import IO, Any, Final

from django.db import connection, transaction

from memory.access.scope import UNHURRIED, user_scope
from memory.models import EndUser
from memory.portability.belonging import iterate_belonging
from memory.portability.tables import TABLES, PortableTable
from memory.portability.values import is_left_out, write_value

FORMAT: Final = "commonplace-export"
VERSION: Final = 1
END: Final = "end"
# Rows the server sends at once: memory does not grow with the person.
CHUNK: Final = 2_000


def write_export(
    user: EndUser, out: IO[bytes], *, now: datetime, on_lines: Callable[[int], None] = lambda _: None
) -> Counter[str]:
    """Returns how many lines of each type were written."""
    counts: Counter[str] = Counter()
    out.write(render_line({"format": FORMAT, "version": VERSION, "user": user.external_id, "at": write_value(now)}))
    with open_snapshot(user):
        numbers: dict[str, array[int]] = {}
        for table in TABLES:
            if table.is_numbered:
                numbers[table.name] = number_rows(user, table)
            for line in iterate_lines(user, table, numbers):
                out.write(line)
                counts[table.name] += 1
                if not counts[table.name] % CHUNK:
                    on_lines(CHUNK)
        for told in iterate_belonging(user):
            out.write(render_line(told))
            counts[told["type"]] += 1
    out.write(render_line({"type": END, "lines": counts.total()}))
    return counts


@contextmanager
def open_snapshot(user: EndUser) -> Iterator[None]:
    """The person's rows as they are at one moment, read only."""
    is_outermost = not connection.in_atomic_block
    with transaction.atomic():
        with connection.cursor() as cursor:
            if is_outermost:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        with user_scope(user, settings=UNHURRIED):
            yield


def iterate_lines(user: EndUser, table: PortableTable, numbers: dict[str, "array[int]"]) -> Iterator[bytes]:
    columns = table.columns
    names = [column.attname for column in columns]
    rows = table.model._default_manager.filter(user=user).order_by(*table.order).values_list("pk", *names)
    for key, *values in rows.iterator(chunk_size=CHUNK):
        line: dict[str, Any] = {"type": table.name}
        if table.has_uuid:
            line["id"] = str(key)
        elif table.is_numbered:
            line["number"] = find_number(numbers[table.name], key)
        for column, name, value in zip(columns, names, values, strict=True):
            if name in table.numbers:
                number = find_number(numbers[table.numbers[name]], value)
                if number is not None:
                    line[name] = number
            elif not is_left_out(column, value):
                line[name] = write_value(value)
        if all(name in line for name in table.numbers if not table.model._meta.get_field(name).null):
            yield render_line(line)


def number_rows(user: EndUser, table: PortableTable) -> "array[int]":
    """The ids of rows that have no id a file could carry, in order: eight bytes a row."""
    rows = table.model._default_manager.filter(user=user).order_by("pk").values_list("pk", flat=True)
    return array("q", rows.iterator(chunk_size=CHUNK))


def find_number(ids: "array[int]", key: int | None) -> int | None:
    """The place of a row in the file, from 1; None for one that is gone."""
    place = bisect_left(ids, key) if key is not None else len(ids)
    return place + 1 if place < len(ids) and ids[place] == key else None


def render_line(line: dict[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
