"""Imports a file of chats for one user: checks the whole file, then writes it in batches that are safe to repeat."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import ModuleType

from memory.access.confinement import current_scope
from memory.access.scope import user_scope
from memory.models import EndUser
from memory.signals import messages_imported
from memory.store.admission import NewMemory
from memory.store.writing import find_known_origins, store_memories
from memory.tiers import SourceType, Tier
from memory.transfer.chats import (
    chatgpt,
    claude,
    claude_code,
    hindsight,
    jsonl,
    letta,
    mem0,
    reading,
    zep,
)
from memory.transfer.chats.messages import BrokenExport, ImportedMessage, MalformedRecord, SkippedMessage, split_text

# One transaction each. What a stopped import has written so far stays, and by the digest of kind, thread and message it
# is recognised the next time.
BATCH = 500

FORMATS: dict[str, ModuleType] = {
    module.KIND: module for module in (chatgpt, claude, claude_code, letta, mem0, zep, hindsight, jsonl)
}
# A line each, of which some are no messages.
LINE_FORMATS = frozenset({jsonl.KIND, claude_code.KIND})


@dataclass(slots=True)
class ImportSurvey:
    """What a file contains, counted before anything is written."""

    kind: str
    messages: int = 0
    memories: int = 0
    threads: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    earliest: datetime | None = None
    latest: datetime | None = None

    def add(self, message: ImportedMessage, parts: int) -> None:
        self.messages += 1
        self.memories += parts
        self.threads.add(message.thread_id)
        if message.said_at is not None:
            self.earliest = min(self.earliest or message.said_at, message.said_at)
            self.latest = max(self.latest or message.said_at, message.said_at)


@dataclass(slots=True)
class ImportProgress:
    added: int = 0
    already_there: int = 0


class ChatFile:
    """One file of chats in a known format. Raises BrokenExport as soon as a fault is met."""

    def __init__(self, path: Path, kind: str = "auto") -> None:
        self.sources = reading.list_sources(path)
        self.kind = _detect_kind(self.sources) if kind == "auto" else kind
        self.format = FORMATS[self.kind]

    def read_messages(self) -> Iterator[ImportedMessage | SkippedMessage]:
        for source in self.sources:
            for record in reading.read_records(source):
                if self.kind not in LINE_FORMATS and not self.recognises(record):
                    raise BrokenExport(record.place, f"is not of a {self.kind} export: {self.format.SHAPE}")
                try:
                    yield from self.format.read_messages(record.value)
                except MalformedRecord as fault:
                    raise BrokenExport(record.place, str(fault)) from None

    def recognises(self, record: reading.ExportRecord) -> bool:
        try:
            return bool(self.format.recognises(record.value))
        except MalformedRecord as fault:
            raise BrokenExport(record.place, str(fault)) from None

    def survey(self, on_message: Callable[[], None] = lambda: None) -> ImportSurvey:
        """Reads the whole file. Nothing may be written before this has returned."""
        # Reading the file twice costs seconds; half an import costs trust.
        found = ImportSurvey(self.kind)
        for message in self.read_messages():
            if isinstance(message, SkippedMessage):
                found.skipped[message.reason] += 1
            else:
                found.add(message, sum(1 for _ in split_text(message.text)))
            on_message()
        return found

    def iterate_memories(self, tier: Tier) -> Iterator[NewMemory]:
        spoken = (message for message in self.read_messages() if isinstance(message, ImportedMessage))
        return build_import(spoken, tier)


def build_import(messages: Iterable[ImportedMessage], tier: Tier, transfer: str = "") -> Iterator[NewMemory]:
    """What a file's messages become. ``transfer`` is the record of the import, by which it can be taken back."""
    keys = _MessageKeys()
    for message in messages:
        yield from _build_memories(message, keys.key(message), tier, transfer)


def _ignore_progress(_written: ImportProgress, _batch: int) -> None:
    """The progress callback that does nothing."""


def import_chats(
    user: EndUser,
    file: ChatFile,
    *,
    tier: Tier,
    now: datetime,
    on_batch: Callable[[ImportProgress, int], None] = _ignore_progress,
) -> ImportProgress:
    """Stores every message that is not stored yet. ``on_batch`` hears the totals and the size of the last batch."""
    return write_import(user, file.iterate_memories(tier), now=now, on_batch=on_batch)


def write_import(
    user: EndUser,
    waiting: Iterator[NewMemory],
    *,
    now: datetime,
    on_batch: Callable[[ImportProgress, int], None] = _ignore_progress,
) -> ImportProgress:
    """Stores what is not there yet, ``BATCH`` in a transaction."""
    written = ImportProgress()
    while batch := list(islice(waiting, BATCH)):
        stored = store_memories(user, batch, now=now, actor="import")
        with user_scope(user):
            # Also what was there already: an import by an earlier release, or one that stopped between the two.
            messages_imported.send(EndUser, user=user, origins=[memory.origin for memory in batch])
        written.added += sum(1 for item_id in stored if item_id is not None)
        written.already_there += sum(1 for item_id in stored if item_id is None)
        on_batch(written, len(batch))
    return written


def count_new_memories(user: EndUser, file: ChatFile, tier: Tier) -> int:
    """How many memories ``import_chats`` would add."""
    new = 0
    waiting = file.iterate_memories(tier)
    while batch := list(islice(waiting, BATCH)):
        origins = [memory.origin for memory in batch if memory.origin]
        with user_scope(user):
            new += len(origins) - len(find_known_origins(user, origins))
    return new


def _detect_kind(sources: list[reading.ExportSource]) -> str:
    first = next((record for source in sources for record in reading.read_records(source)), None)
    if first is None:
        raise BrokenExport("", "the export holds no conversations")
    for kind, module in FORMATS.items():
        try:
            if module.recognises(first.value):
                return kind
        except MalformedRecord:
            continue
    shapes = "; ".join(module.SHAPE for module in FORMATS.values())
    raise BrokenExport(first.place, f"is in none of the known formats: {shapes}")


def _build_memories(message: ImportedMessage, key: str, tier: Tier, transfer: str) -> Iterator[NewMemory]:
    parts = list(split_text(message.text))
    # The same file in two projects is two memories, of which neither sees the other.
    held = current_scope()
    scope = (held.agent_id, held.project_id) if held else ()
    for number, part in enumerate(parts, start=1):
        metadata: dict[str, object] = {"thread_id": message.thread_id}
        if message.title:
            metadata["thread_title"] = message.title
        if len(parts) > 1:
            metadata |= {"part": number, "parts": len(parts)}
        if message.attachments:
            metadata["attachments"] = list(message.attachments[:20])
        yield NewMemory(
            text=part,
            tier=tier,
            thread_id=message.thread_id,
            speaker=message.speaker,
            source_type=SourceType.ASSISTANT if message.speaker.casefold() == "assistant" else SourceType.USER,
            source={"type": "import", "format": message.kind} | ({"transfer": transfer} if transfer else {}),
            occurred_at=message.said_at,
            metadata=metadata,
            origin=_digest(key, str(number), *scope),
        )


class _MessageKeys:
    """Stable keys of messages. Identical lines with the same time are told apart by counting them.

    Keeps digests only: sixteen bytes for each line without an id.
    """

    def __init__(self) -> None:
        self.seen: set[bytes] = set()
        self.counts: Counter[bytes] = Counter()

    def key(self, message: ImportedMessage) -> str:
        # An id is the same in every export of the account, also after the text was edited.
        if message.message_id:
            return _digest(message.kind, message.thread_id, message.message_id)
        said_at = message.said_at.isoformat() if message.said_at else ""
        base = _digest(message.kind, message.thread_id, said_at, message.speaker, message.text)
        short = bytes.fromhex(base)[:16]
        if short in self.seen:
            self.counts[short] += 1
        self.seen.add(short)
        return _digest(base, str(self.counts[short]))


def _digest(*parts: str) -> str:
    # With lengths, ("a", "bc") and ("ab", "c") differ.
    joined = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(joined.encode()).hexdigest()
