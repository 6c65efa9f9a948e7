"""What an account keeps beside its conversations: custom instructions, memories, projects (pure).

Such a text stands until it is reworded, and exports repeat it: ChatGPT puts the custom instructions into every
conversation. The newest wording counts.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from memory.language.sentences import split_sentences
from memory.transfer.chats.messages import (
    MAX_THREAD,
    STATEMENT_KINDS,
    ImportedKind,
    ImportedMessage,
    MalformedRecord,
    SkippedMessage,
    clean_label,
    clean_text,
    parse_time,
)

_LIST_MARK = re.compile(r"(?:[-*+•·▪]|\d{1,3}[.)])\s+")
# A line in bold is a heading unless it is a sentence.
_HEADING = re.compile(r"#{1,6}\s.*|\*\*[^*]*[^*.!?…。！？]\*\*:?|__[^_]*[^_.!?…。！？]__:?")
_BOLD = re.compile(r"\*\*([^*]+)\*\*|(?<!\w)__([^_]+)__(?!\w)")
_RULE = re.compile(r"[-*_=\s]+")
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class StandingText:
    """``place`` tells apart what stands side by side; ``said_at`` is None where the text is the one of now."""

    holds: ImportedKind
    text: str
    said_at: datetime | None
    speaker: str = "user"
    place: str = ""
    project_id: str = ""
    project: str = ""


@dataclass(slots=True)
class StandingTexts:
    """The newest wording of each, and how many earlier ones there were."""

    kind: str
    newest: dict[tuple[ImportedKind, str, str], StandingText] = field(default_factory=dict)
    wordings: dict[tuple[ImportedKind, str, str], set[bytes]] = field(default_factory=dict)
    projects: dict[str, str] = field(default_factory=dict)

    def add(self, found: StandingText) -> None:
        if found.project:
            self.projects[found.project_id] = found.project
        if not found.text:
            return
        key = (found.holds, found.project_id, found.place)
        self.wordings.setdefault(key, set()).add(hashlib.sha256(found.text.encode()).digest())
        held = self.newest.get(key)
        if held is None or _is_later(found.said_at, held.said_at):
            self.newest[key] = found

    def read_messages(self) -> Iterator[ImportedMessage | SkippedMessage]:
        for key, found in self.newest.items():
            yield from _build_messages(self.kind, found, found.project or self.projects.get(found.project_id, ""))
            for _ in range(len(self.wordings[key]) - 1):
                yield SkippedMessage(f"earlier wording of {found.holds.value}")


def _is_later(one: datetime | None, other: datetime | None) -> bool:
    return other is not None and (one is None or one > other)


def _build_messages(kind: str, found: StandingText, project: str) -> Iterator[ImportedMessage]:
    texts = split_statements(found.text) if found.holds in STATEMENT_KINDS else [found.text]
    for text in dict.fromkeys(texts):
        yield ImportedMessage(
            kind=kind,
            thread_id=found.project_id or found.holds.value,
            title=project,
            # By its words: what is reworded there is told anew here.
            message_id=hashlib.sha256(f"{found.holds.value} {text}".encode()).hexdigest(),
            speaker=found.speaker,
            text=text,
            said_at=found.said_at,
            holds=found.holds,
        )


def split_statements(text: str) -> Iterator[str]:
    """Every sentence and every line of a list by itself; a line that leads to a list is told with each of its lines."""
    lead = ""
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped or _HEADING.fullmatch(stripped) or _RULE.fullmatch(stripped):
            lead = lead if not stripped else ""
            continue
        mark = _LIST_MARK.match(stripped)
        told = clean_text(_BOLD.sub(r"\1\2", stripped[mark.end() :] if mark else stripped))
        if told.endswith(":"):
            lead = told
            continue
        lead = lead if mark else ""
        yield from (f"{lead} {one}".strip() for one in split_sentences(told) if any(map(str.isalnum, one)))


def strip_fence(text: str) -> str:
    """What stands between the marks of a block, where a product has wrapped the person's words in words of its own."""
    _before, fence, rest = text.partition(_FENCE)
    inner, closing, _after = rest.rpartition(_FENCE)
    return clean_text(inner if closing else rest if fence else text)


def read_loosely(record: dict[str, object], name: str) -> str:
    """The text at ``name``, empty where there is none: what stands beside the conversations varies by account."""
    value = record.get(name)
    return clean_text(value) if isinstance(value, str) else ""


def read_time_loosely(record: dict[str, object], *names: str) -> datetime | None:
    for name in names:
        try:
            return parse_time(record.get(name))
        except MalformedRecord:
            continue
    return None


def read_id_loosely(value: object) -> str:
    return clean_label(value, MAX_THREAD) if isinstance(value, str) else ""
