"""The common form of a message, and the rules that apply to every format (pure)."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import MAXYEAR, UTC, datetime, timedelta
from enum import StrEnum

from memory.language.text import BLANK, CONTROL, SMUGGLED
from memory.tiers import FIRST_YEAR, MAX_TEXT_CHARS, MOST_AHEAD

# Of a time that names a day alone: "2026-03-02".
DAY_CHARS = 10
MAX_THREAD = 200

# A part is ended at the last paragraph, line, sentence or word that starts within its final eighth.
_SOFT_ENDS = ("\n\n", "\n", ". ", " ")
_SOFT_ZONE = MAX_TEXT_CHARS // 8
_MOST_MARKS = 32

_NEWLINES = re.compile(r"\r\n?")
_HALF_PAIRS = re.compile("[\ud800-\udfff]")


class MalformedRecord(ValueError):
    """One record does not have the shape its format promises. Carries the reason, not the place."""


class BrokenExport(Exception):
    """The file cannot be imported: where the fault is and what it is."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}" if place else reason)
        self.place = place
        self.reason = reason
        # What is wrong further on, a few of them.
        self.others: tuple[BrokenExport, ...] = ()


class ImportedKind(StrEnum):
    """What an imported text is. The values are stored and shown."""

    MESSAGE = "messages"
    ABOUT_PERSON = "custom instructions"
    ANSWER_WISH = "wishes about answers"
    MEMORY = "memory"
    PROJECT_MEMORY = "project memory"
    PROJECT = "projects"


# Single statements of the person, which go into the memory bank whatever the tier of the import.
STATEMENT_KINDS = frozenset(
    {ImportedKind.ABOUT_PERSON, ImportedKind.ANSWER_WISH, ImportedKind.MEMORY, ImportedKind.PROJECT_MEMORY}
)


@dataclass(frozen=True, slots=True)
class ImportedMessage:
    """One thing said. ``message_id`` is stable across exports; ``said_at`` is None when the export does not know.

    What ``holds`` something else than a message stood beside the conversations; ``title`` is then the project's name.
    ``until`` is when it is over, where the other memory knows.
    """

    kind: str
    thread_id: str
    title: str
    message_id: str
    speaker: str
    text: str
    said_at: datetime | None
    attachments: tuple[str, ...] = field(default=())
    holds: ImportedKind = ImportedKind.MESSAGE
    until: datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.until is not None and self.until <= datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SkippedMessage:
    """A message that is left out on purpose, with the reason the summary shows, and its name where it has one."""

    reason: str
    name: str = ""


def clean_text(text: str) -> str:
    """The text without characters a memory may not hold, stripped; empty when nothing readable is left."""
    text = _NEWLINES.sub("\n", text)
    for forbidden in (CONTROL, SMUGGLED, _HALF_PAIRS):
        text = forbidden.sub("", text)
    return "" if BLANK.fullmatch(text) else text.strip()


def clean_label(text: str, limit: int) -> str:
    """A title, a name or an id on one line, at most ``limit`` characters."""
    return " ".join(clean_text(text).split())[:limit].rstrip()


def clean_thread_id(value: str) -> str:
    """A thread's id as it is stored. Refused rather than cut: two threads must not become one."""
    name = clean_label(value, len(value))
    if not name:
        raise MalformedRecord("the thread has no id")
    if len(name) > MAX_THREAD:
        raise MalformedRecord(f"the thread's id is longer than {MAX_THREAD} characters")
    return name


def split_text(text: str, limit: int = MAX_TEXT_CHARS) -> Iterator[str]:
    """Consecutive parts of at most ``limit`` characters that together are the text. A part of blanks is left out."""
    start = 0
    while len(text) - start > limit:
        end = _find_soft_end(text, start, start + limit)
        if not BLANK.fullmatch(text, start, end):
            yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _find_soft_end(text: str, start: int, end: int) -> int:
    for mark in _SOFT_ENDS:
        found = text.rfind(mark, max(start + 1, end - _SOFT_ZONE), end)
        if found > 0:
            return found + len(mark)
    # Never between a letter and the marks that belong to it; a longer row of marks belongs to no letter, and a text of
    # nothing else would be walked back to its beginning for every character.
    soft_end, earliest = end, max(start + 1, end - _MOST_MARKS)
    while soft_end > earliest and unicodedata.combining(text[soft_end]):
        soft_end -= 1
    return end if unicodedata.combining(text[soft_end]) else soft_end


def parse_time(value: object) -> datetime:
    """When something was said: an ISO 8601 string or seconds since 1970, as UTC. A time without a zone is UTC."""
    read = parse_any_time(value)
    if read.year < FIRST_YEAR:
        raise MalformedRecord(f"time {str(value)[:40]!r} is before {FIRST_YEAR}")
    # As REST has it: dated today, what was said would hold from today on.
    if read > datetime.now(UTC) + MOST_AHEAD:
        raise MalformedRecord(f"time {str(value)[:40]!r} lies more than a day in the future")
    return read


def parse_end(record: dict[str, object], name: str) -> datetime | None:
    """When something is over, past or to come. A day alone belongs to it."""
    value = record.get(name)
    if value is None or value == "":
        return None
    read = parse_any_time(value)
    is_day = isinstance(value, str) and len(value.strip()) == DAY_CHARS and read.year < MAXYEAR
    return read + timedelta(days=1) if is_day else read


def parse_any_time(value: object) -> datetime:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise MalformedRecord("time must be an ISO 8601 string or seconds since 1970")
    try:
        if isinstance(value, str):
            read = datetime.fromisoformat(value.strip())
            return read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC)
        return datetime.fromtimestamp(value, tz=UTC)
    except (ValueError, OverflowError, OSError):
        raise MalformedRecord(f"time {str(value)[:40]!r} is not an ISO 8601 time") from None


def get_text(record: dict[str, object], name: str, default: str | None = None) -> str:
    """The string at ``name``; ``default`` stands in for a missing or null one, and without it there must be one."""
    value = record.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise MalformedRecord(f"{name} must be a string" if value is not None else f"{name} is missing")
    return value


def get_object(record: dict[str, object], name: str) -> dict[str, object]:
    """The object at ``name``, empty when missing or null."""
    value = record.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise MalformedRecord(f"{name} must be an object")
    return value


def get_list(record: dict[str, object], name: str) -> list[object]:
    """The list at ``name``, empty when missing or null."""
    value = record.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise MalformedRecord(f"{name} must be a list")
    return value


def iterate_objects(
    record: dict[str, object], names: Sequence[str], most: int | None = None
) -> Iterator[dict[str, object]]:
    """The objects of the first of these lists that the record has; the record itself when it has none."""
    name = next((name for name in names if isinstance(record.get(name), list)), "")
    if not name:
        yield record
        return
    yield from iterate_named(record, name, most)


def iterate_named(record: dict[str, object], name: str, most: int | None = None) -> Iterator[dict[str, object]]:
    """The objects of one list of the record."""
    for number, row in enumerate(get_list(record, name)[:most], start=1):
        if not isinstance(row, dict):
            raise MalformedRecord(f"{name}: entry {number} must be an object")
        yield row


def parse_time_or_none(record: dict[str, object], name: str) -> datetime | None:
    value = record.get(name)
    return None if value is None or value == "" else parse_time(value)
