"""Reads files and zip archives record by record, with the position of each.

An export may be hundreds of megabytes in one line of JSON. The array is decoded element by element from a buffer that
holds one conversation and a read-ahead, so memory follows the largest conversation and not the file.
"""

import codecs
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, NoReturn

from memory.transfer.chats.messages import BrokenExport

# The standard decoder on a growing buffer reads 22 MB a second in constant memory, so no parser package is needed.
_CHUNK = 1 << 20
# Decoded characters of one conversation, and bytes of one line of JSON Lines.
_MAX_RECORD = 64 << 20
_MAX_UNPACKED = 2 << 30
# Chat text deflates to a tenth, indented JSON to a thirtieth. A bomb reaches a thousandth.
_MAX_RATIO = 150
_RATIO_MATTERS_ABOVE = 16 << 20

_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json", re.IGNORECASE)
# What an account keeps beside its conversations, and what varies by account: nothing in it makes a file unreadable.
_BESIDE = re.compile(r"(user|custom_instructions|memories|projects)(-\d+)?\.json", re.IGNORECASE)
_BLANK = re.compile(r"[ \t\r\n]*")
# A decoder that ran out of text complains at most this far before the end: the longest literal or escape.
_CUT_OFF = 16


@dataclass(frozen=True, slots=True)
class ExportRecord:
    """One JSON object of the file and where it was found."""

    place: str
    value: dict[str, object]


@dataclass(frozen=True, slots=True)
class ExportSource:
    """A file to read from, directly or inside a zip. ``name`` is empty for the file itself."""

    path: Path
    name: str = ""
    # What places in it are called by, where there are several files.
    label: str = ""
    # Whether it stands beside the conversations: what it does not hold is missed by nobody.
    is_beside: bool = False

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        if not self.name:
            with self.path.open("rb") as stream:
                yield stream
            return
        try:
            with zipfile.ZipFile(self.path) as archive, archive.open(self.name) as stream:
                yield stream
        except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError) as fault:
            raise BrokenExport(self.name, f"cannot be unpacked: {fault}") from fault


def list_sources(path: Path) -> list[ExportSource]:
    """The file itself, or the conversation files of the zip in the order of their names."""
    if path.is_dir():
        return _list_transcripts(path)
    if not path.is_file():
        raise BrokenExport("", f"{path} is not a file")
    if path.stat().st_size == 0:
        raise BrokenExport("", "the file is empty")
    if not zipfile.is_zipfile(path):
        with path.open("rb") as stream:
            if stream.read(4) == b"PK\x03\x04":
                raise BrokenExport("", "the zip is cut off or damaged")
        return [ExportSource(path, is_beside=_BESIDE.fullmatch(path.name) is not None)]
    try:
        with zipfile.ZipFile(path) as archive:
            entries = [entry for entry in archive.infolist() if _is_read(entry)]
    except zipfile.BadZipFile as fault:
        raise BrokenExport("", f"the zip is damaged: {fault}") from fault
    # Of an account alone a zip tells no more than who it is; much else comes with a user.json.
    if all(_get_name(entry.filename).casefold() == "user.json" for entry in entries):
        raise BrokenExport("", "the zip holds no conversations.json")
    _refuse_bombs(entries)
    names = sorted(entry.filename for entry in entries)
    return [ExportSource(path, name, is_beside=_BESIDE.fullmatch(_get_name(name)) is not None) for name in names]


def _list_transcripts(folder: Path) -> list[ExportSource]:
    """The files of JSON Lines in a folder and below it: a coding agent keeps one a session."""
    found = sorted(path for path in folder.rglob("*.jsonl") if path.is_file() and path.stat().st_size)
    if not found:
        raise BrokenExport("", f"{folder} holds no .jsonl files")
    return [ExportSource(path, label=str(path.relative_to(folder))) for path in found]


def _is_read(entry: zipfile.ZipInfo) -> bool:
    name = _get_name(entry.filename)
    if entry.filename.startswith("__MACOSX/"):
        return False
    return _CONVERSATIONS.fullmatch(name) is not None or _BESIDE.fullmatch(name) is not None


def _get_name(filename: str) -> str:
    return filename.rpartition("/")[2]


def _refuse_bombs(entries: list[zipfile.ZipInfo]) -> None:
    """Checks the sizes the directory states; reading an entry never yields more than its stated size."""
    if sum(entry.file_size for entry in entries) > _MAX_UNPACKED:
        raise BrokenExport("", f"the zip unpacks to more than {_MAX_UNPACKED >> 30} GiB")
    for entry in entries:
        if entry.flag_bits & 0x1:
            raise BrokenExport(entry.filename, "is encrypted")
        packed_tightly = entry.file_size > _MAX_RATIO * max(entry.compress_size, 1)
        if entry.file_size > _RATIO_MATTERS_ABOVE and packed_tightly:
            raise BrokenExport(entry.filename, f"unpacks to more than {_MAX_RATIO} times its size")


def read_first_character(source: ExportSource) -> str:
    """The first character of the text that is not blank; empty when all of it is."""
    with source.open() as stream:
        while chunk := stream.read(4096):
            text = chunk.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n")
            if text:
                return chr(text[0])
    return ""


def read_records(
    source: ExportSource, on_fault: Callable[[BrokenExport], None] | None = None
) -> Iterator[ExportRecord]:
    """The elements of a JSON array, or the lines of JSON Lines, whichever the file is.

    With ``on_fault`` the reading goes on behind a line that is no JSON.
    """
    opening = read_first_character(source)
    if source.is_beside and opening not in {"[", "{"}:
        return
    if not opening:
        raise BrokenExport(source.name, "there is nothing in the file but blanks")
    if opening not in "[{":
        raise BrokenExport(_format_place(source, "line 1"), "is neither a JSON array nor JSON Lines")
    is_one_object = opening == "{" and _is_one_object(source)
    with source.open() as stream:
        if opening == "[":
            yield from _ArrayReader(source, stream).records()
        elif is_one_object:
            yield _read_whole(source, stream)
        else:
            yield from _read_lines(source, stream, on_fault)


def _is_one_object(source: ExportSource) -> bool:
    """Whether an object goes on after the first line, as it does where it was written to be read."""
    with source.open() as stream:
        line = stream.readline(_MAX_RECORD + 1).removeprefix(codecs.BOM_UTF8)
        while line and not line.strip():
            line = stream.readline(_MAX_RECORD + 1)
    try:
        json.loads(line)
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as fault:
        # A line that is merely broken ends in a brace, and its fault stands before.
        return isinstance(fault, json.JSONDecodeError) and not line.rstrip().endswith(b"}")
    return False


def _read_whole(source: ExportSource, stream: IO[bytes]) -> ExportRecord:
    place = _format_place(source, "line 1")
    text = stream.read(_MAX_RECORD + 1)
    if len(text) > _MAX_RECORD:
        raise BrokenExport(place, f"is larger than {_MAX_RECORD >> 20} MiB")
    value = _decode_line(place, text.removeprefix(codecs.BOM_UTF8))
    if value is None:
        raise BrokenExport(place, "is empty")
    return ExportRecord(place, value)


def _format_place(source: ExportSource, place: str) -> str:
    name = source.name or source.label
    return f"{name}, {place}" if name else place


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


JSON_FAULTS: Final = {
    "Expecting property name enclosed in double quotes": "a name in double quotes is missing",
    "Expecting value": "a value is missing",
    "Expecting ','": "a comma is missing",
    "Expecting ':'": "a colon is missing",
    "Illegal trailing comma before end of array": "there is a comma behind the last entry",
    "Illegal trailing comma before end of object": "there is a comma behind the last entry",
    "Extra data": "something follows where it should end",
    "Unterminated string": "a text is not closed",
    "Invalid control character": "a text holds a line break",
}
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _read_lines(
    source: ExportSource, stream: IO[bytes], on_fault: Callable[[BrokenExport], None] | None
) -> Iterator[ExportRecord]:
    number = 0
    while line := stream.readline(_MAX_RECORD + 1):
        number += 1
        place = _format_place(source, f"line {number}")
        if len(line) > _MAX_RECORD:
            raise BrokenExport(place, f"is longer than {_MAX_RECORD >> 20} MiB")
        try:
            value = _decode_line(place, line.removeprefix(codecs.BOM_UTF8) if number == 1 else line)
        except BrokenExport as fault:
            if on_fault is None:
                raise
            on_fault(fault)
            continue
        if value is not None:
            yield ExportRecord(place, value)


def _decode_line(place: str, line: bytes) -> dict[str, object] | None:
    if not line.strip():
        return None
    try:
        value = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as fault:
        raise BrokenExport(place, f"is not UTF-8 text (byte {fault.start + 1})") from None
    except json.JSONDecodeError as fault:
        raise BrokenExport(place, f"is not JSON: {describe_fault(fault)} at column {fault.colno}") from None
    except RecursionError:
        raise BrokenExport(place, "is nested too deeply") from None
    except ValueError as fault:
        raise BrokenExport(place, str(fault)) from None
    if not isinstance(value, dict):
        raise BrokenExport(place, "must be a JSON object")
    return value


def describe_fault(fault: json.JSONDecodeError) -> str:
    """What Python finds missing, for whoever wrote the file."""
    said = fault.msg.partition(" starting at")[0].removesuffix(" at").removesuffix(" delimiter")
    return JSON_FAULTS.get(said, said[:1].lower() + said[1:])


class _ArrayReader:
    """Decodes a JSON array of objects from a stream, element by element."""

    def __init__(self, source: ExportSource, stream: IO[bytes]) -> None:
        self.source = source
        self.stream = stream
        self.decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
        self.buffer = ""
        self.at = 0
        # Newlines before ``counted``, a position in the buffer.
        self.lines = 0
        self.counted = 0
        self.ended = False

    def records(self) -> Iterator[ExportRecord]:
        self.expect("[")
        number = 0
        if self.peek() != "]":
            while True:
                number += 1
                yield self.element(number)
                if self.peek() != ",":
                    break
                self.at += 1
        self.expect("]")
        if self.peek():
            self.refuse("there is text after the end of the array")

    def element(self, number: int) -> ExportRecord:
        opening = self.peek()
        if opening != "{" and not (opening and self.source.is_beside):
            self.refuse(f"conversation {number} must be a JSON object" if opening else "the file ends too early")
        place = _format_place(self.source, f"line {self.line()}, conversation {number}")
        while True:
            try:
                value, end = _DECODER.raw_decode(self.buffer, self.at)
            except json.JSONDecodeError as fault:
                self.wait_or_refuse(fault, place)
            except RecursionError:
                raise BrokenExport(place, "is nested too deeply") from None
            except ValueError as fault:
                raise BrokenExport(place, str(fault)) from None
            else:
                self.at = end
                return ExportRecord(place, value if isinstance(value, dict) else {})

    def wait_or_refuse(self, fault: json.JSONDecodeError, place: str) -> None:
        """Read more when the text was merely cut off; doubling each time keeps decoding linear."""
        # The decoder does not tell a fault from an end: it complains in both cases, but of an end only near it.
        cut_off = fault.msg.startswith("Unterminated string") or fault.pos >= len(self.buffer) - _CUT_OFF
        if cut_off and not self.ended:
            if len(self.buffer) - self.at > _MAX_RECORD:
                raise BrokenExport(place, f"is larger than {_MAX_RECORD >> 20} MiB")
            self.more()
            return
        line = self.lines + self.buffer.count("\n", self.counted, fault.pos) + 1
        reason = "the file ends too early" if cut_off else f"is not JSON: {describe_fault(fault)} (line {line})"
        raise BrokenExport(place, reason)

    def more(self) -> None:
        self.line()
        rest = self.buffer[self.at :]
        chunk = self.stream.read(max(_CHUNK, len(rest)))
        self.ended = not chunk
        self.at = self.counted = 0
        try:
            self.buffer = rest + self.decoder.decode(chunk, final=self.ended)
        except UnicodeDecodeError as fault:
            line = self.lines + rest.count("\n") + chunk.count(b"\n", 0, fault.start) + 1
            raise BrokenExport(_format_place(self.source, f"line {line}"), "is not UTF-8 text") from None

    def peek(self) -> str:
        """The next character that is not blank; empty at the end of the file."""
        while True:
            blank = _BLANK.match(self.buffer, self.at)
            self.at = blank.end() if blank else self.at
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if self.ended:
                return ""
            self.more()

    def expect(self, character: str) -> None:
        found = self.peek()
        if found != character:
            self.refuse(f"expected {character!r}, found {found!r}" if found else "the file ends too early")
        self.at += 1

    def line(self) -> int:
        """The line of the next character. Counts on from where it counted last: every element asks."""
        self.lines += self.buffer.count("\n", self.counted, self.at)
        self.counted = self.at
        return self.lines + 1

    def refuse(self, reason: str) -> NoReturn:
        raise BrokenExport(_format_place(self.source, f"line {self.line()}"), reason)
