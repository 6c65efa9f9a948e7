"""Reads all of a file before anything is written: the shape of each line, what it refers to, and that it is complete.

Memory does not grow with the file: what a later line may refer to stands in a table of SQLite's that spills to a
temporary file.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import IO, Any, Final
from uuid import UUID

from memory.language.text import SURROGATE
from memory.portability.ancestry import find_cycle
from memory.portability.belonging import check_told_line
from memory.portability.exporting import END, FORMAT, VERSION
from memory.portability.tables import TABLE_NAMED, PortableTable
from memory.portability.values import BadValue, fill_in, limit_range, list_readers, read_integer, read_uuid
from memory.web.bodies import parse_json
from memory.web.problems import Problem

MAX_BYTES: Final = 256 * 1024 * 1024
# The longest text of an exchange, twice, escaped.
MAX_LINE: Final = 16 * 1024 * 1024
MAX_LINES: Final = 3_000_000
MOST_FAULTS: Final = 20

LINEAGE: Final = {"memory": ("parents",), "fact": ("merged_into", "superseded_by")}
SCHEMA: Final = """
PRAGMA journal_mode = OFF;
CREATE TABLE known (type TEXT, id BLOB, line INTEGER, PRIMARY KEY (type, id)) WITHOUT ROWID;
CREATE TABLE descent (type TEXT, id BLOB, ancestor BLOB);
"""


@dataclass(frozen=True, slots=True)
class LineFault:
    """What is wrong with a line: ``field`` is a path of it, empty for the line as a whole."""

    line: int
    field: str
    rule: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.field + ': ' if self.field else ''}{self.rule}"


class BrokenFile(Exception):
    """The file cannot be imported. Nothing was written."""

    def __init__(self, faults: list[LineFault]) -> None:
        super().__init__("; ".join(map(str, faults[:3])))
        self.faults = faults


@dataclass(slots=True)
class FileCheck:
    """What a file holds, once all of it has been read."""

    lines: int = 0
    counts: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line with its values as the columns hold them; ``key`` is its id or its number in the file."""

    table: PortableTable
    key: UUID | int | None
    values: dict[str, Any]


def check_file(stream: IO[bytes], on_lines: Callable[[int], None] = lambda _: None) -> FileCheck:
    """Raises BrokenFile, with the first faults."""
    with closing(sqlite3.connect("")) as store:
        store.executescript(SCHEMA)
        return FileReader(stream, store, on_lines).check()


class FileReader:
    """One pass over a file."""

    def __init__(self, stream: IO[bytes], store: sqlite3.Connection, on_lines: Callable[[int], None]) -> None:
        self.stream = stream
        self.store = store
        self.on_lines = on_lines
        self.faults: list[LineFault] = []
        self.found = FileCheck()
        self.is_complete = False

    def check(self) -> FileCheck:
        number = 0
        for number, raw in iterate_raw_lines(self.stream):
            try:
                self.check_line(number, raw)
            except LineRefused as refusal:
                self.faults += [LineFault(number, name, rule) for name, rule in refusal.rules]
            if len(self.faults) >= MOST_FAULTS:
                break
            if not number % 1_000:
                self.on_lines(1_000)
        if not self.faults and not self.is_complete:
            self.faults.append(LineFault(number + 1, "", f'the file ends before its last line, {{"type": "{END}"}}'))
        if not self.faults:
            self.check_descent()
        if self.faults:
            raise BrokenFile(self.faults)
        return self.found

    def check_line(self, number: int, raw: bytes) -> None:
        value = parse_line(raw)
        if number == 1:
            check_header(value)
        elif self.is_complete:
            raise LineRefused("", "stands after the end")
        elif value.get("type") == END:
            self.check_end(value, number - 2)
        elif check_told_line(value, LineRefused):
            self.found.lines += 1
            self.found.counts[value["type"]] += 1
        else:
            line = read_line(value)
            self.remember(number, line)
            self.found.lines += 1
            self.found.counts[line.table.name] += 1

    def check_end(self, value: dict[str, Any], before: int) -> None:
        if value.get("lines") != before:
            raise LineRefused("lines", f"says {str(value.get('lines'))[:20]}, but {before} lines stand before it")
        self.is_complete = True

    def remember(self, number: int, line: ReadLine) -> None:
        for name, kind in {**line.table.owners, **line.table.required, **line.table.numbers}.items():
            wanted = line.values[name]
            if wanted is not None and not self.knows(kind, wanted):
                raise LineRefused(name, f"names no {kind} of a line before")
        if line.key is None:
            return
        try:
            self.store.execute("INSERT INTO known VALUES (?, ?, ?)", (line.table.name, pack_key(line.key), number))
        except sqlite3.IntegrityError:
            name = "number" if line.table.is_numbered else "id"
            raise LineRefused(name, f"is that of another {line.table.name} of this file") from None
        for name in LINEAGE.get(line.table.name, ()):
            given = line.values[name]
            for ancestor in given if isinstance(given, list) else [given] if given else []:
                row = (line.table.name + name, pack_key(line.key), pack_key(ancestor))
                self.store.execute("INSERT INTO descent VALUES (?, ?, ?)", row)

    def knows(self, kind: str, key: UUID | int) -> bool:
        found = self.store.execute("SELECT 1 FROM known WHERE type = ? AND id = ?", (kind, pack_key(key)))
        return found.fetchone() is not None

    def check_descent(self) -> None:
        for kind, names in LINEAGE.items():
            for name in names:
                key = find_cycle(self.store, kind + name)
                if key is not None:
                    at = self.store.execute("SELECT line FROM known WHERE type = ? AND id = ?", (kind, key))
                    self.faults.append(LineFault(at.fetchone()[0], name, f"the {kind} descends from itself"))


class LineRefused(Exception):
    """A line that cannot be imported, with each field and its rule."""

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(rule)
        self.rules = [(name, rule)]


def iterate_raw_lines(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    while raw := stream.readline(MAX_LINE + 1):
        number += 1
        if number > MAX_LINES:
            raise BrokenFile([LineFault(number, "", f"a file may have {MAX_LINES:,} lines")])
        if len(raw) > MAX_LINE:
            # The rest of it is no line of its own.
            raise BrokenFile([LineFault(number, "", f"a line may have {MAX_LINE:,} bytes")])
        yield number, raw


def parse_line(raw: bytes) -> dict[str, Any]:
    try:
        value = parse_json(raw.rstrip(b"\r\n"))
    except Problem as problem:
        fault = problem.errors[0] if problem.errors else None
        rule = (fault.message if fault else problem.detail).replace("the body", "the line")
        raise LineRefused(fault.field if fault else "", rule) from None
    except RecursionError:
        raise LineRefused("", "the line is nested too deeply") from None
    if not isinstance(value, dict):
        raise LineRefused("", "must be a JSON object")
    # What is written in plain UTF-8 holds neither: NUL is no JSON, and bytes that are no UTF-8 became surrogates.
    if b"\\u" in raw or not is_utf8(raw):
        check_texts(value, "")
    return value


def is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def check_texts(value: object, path: str) -> None:
    if isinstance(value, str):
        if "\x00" in value:
            raise LineRefused(path, "holds a NUL character")
        if SURROGATE.search(value):
            raise LineRefused(path, "is not valid UTF-8")
    elif isinstance(value, dict):
        for name, inner in value.items():
            check_texts(name, path)
            check_texts(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            check_texts(inner, f"{path}[{place}]")


def check_header(value: dict[str, Any]) -> None:
    if value.get("format") != FORMAT:
        raise LineRefused("format", f'must be "{FORMAT}": this is not an export of a person')
    if value.get("version") != VERSION:
        raise LineRefused("version", f"must be {VERSION}, the one this release reads")


def read_line(value: dict[str, Any]) -> ReadLine:
    """Raises LineRefused."""
    kind = value.get("type")
    table = TABLE_NAMED.get(kind) if isinstance(kind, str) else None
    if table is None:
        raise LineRefused("type", "is none that this release knows")
    values, readers = {}, list_readers(table)
    for name, (column, read) in readers.items():
        try:
            values[name] = read(value[name]) if name in value else fill_in(column)
        except BadValue as fault:
            raise LineRefused(name, str(fault)) from None
    known = readers.keys() | {"type"} | ({"id"} if table.has_uuid else {"number"} if table.is_numbered else set())
    for name in value:
        if name not in known:
            raise LineRefused(name[:64], "unknown field")
    return ReadLine(table, read_key(table, value), values)


def read_key(table: PortableTable, value: dict[str, Any]) -> UUID | int | None:
    if not table.has_uuid and not table.is_numbered:
        return None
    name, read = ("id", read_uuid) if table.has_uuid else ("number", limit_range(read_integer, 1, MAX_LINES))
    try:
        key: UUID | int = read(value.get(name))
    except BadValue as fault:
        raise LineRefused(name, str(fault)) from None
    return key


def pack_key(key: UUID | int) -> bytes:
    return key.bytes if isinstance(key, UUID) else key.to_bytes(8, "big")
