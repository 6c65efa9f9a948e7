"""Imports a file of chats for one user: checks the whole file, then writes it in batches that are safe to repeat."""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from types import ModuleType

from memory.access.confinement import current_scope
from memory.access.scope import user_scope
from memory.models import EndUser
from memory.signals import messages_imported
from memory.store.admission import NewMemory, WriteRefused, validate_memory
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
    statements,
    zep,
)
from memory.transfer.chats.messages import (
    STATEMENT_KINDS,
    BrokenExport,
    ImportedKind,
    ImportedMessage,
    MalformedRecord,
    SkippedMessage,
    split_text,
)
from memory.transfer.chats.standing import StandingText, StandingTexts
from memory.transfer.chats.statements import Telling

# One transaction each. What a stopped import has written so far stays, and by the digest of kind, thread and message it
# is recognised the next time.
BATCH = 500
# Files that a report names one by one.
MOST_NAMED = 20

FORMATS: dict[str, ModuleType] = {
    module.KIND: module for module in (chatgpt, claude, claude_code, letta, mem0, zep, hindsight, jsonl)
}
ACTOR = "import"
UNKNOWN = "is in none of the known formats"
# Besides the first.
MOST_FAULTS = 4
WORD = re.compile(r"\w+")
STATEMENT_TAGS = {
    ImportedKind.ABOUT_PERSON: "identity",
    ImportedKind.ANSWER_WISH: "preference",
    ImportedKind.MEMORY: "context",
    ImportedKind.PROJECT_MEMORY: "project",
}
# A line each, of which some are no messages.
LINE_FORMATS = frozenset({jsonl.KIND, claude_code.KIND})


@dataclass(slots=True)
class ImportSurvey:
    """What a file contains, counted before anything is written."""

    kind: str
    messages: int = 0
    # Memories of all kinds, and of each.
    memories: int = 0
    holds: Counter[ImportedKind] = field(default_factory=Counter)
    threads: set[str] = field(default_factory=set)
    skipped: Counter[str] = field(default_factory=Counter)
    # By reason the names of what is left out, the first few.
    left: dict[str, list[str]] = field(default_factory=dict)
    earliest: datetime | None = None
    latest: datetime | None = None

    def add(self, message: ImportedMessage, parts: int) -> None:
        self.memories += parts
        self.holds[message.holds] += parts
        if message.holds is not ImportedKind.MESSAGE:
            return
        self.messages += 1
        self.threads.add(message.thread_id)
        if message.said_at is not None:
            self.earliest = min(self.earliest or message.said_at, message.said_at)
            self.latest = max(self.latest or message.said_at, message.said_at)

    def skip(self, message: SkippedMessage) -> None:
        self.skipped[message.reason] += 1
        named = self.left.setdefault(message.reason, []) if message.name else []
        if len(named) < MOST_NAMED:
            named.append(message.name)


@dataclass(slots=True)
class ImportProgress:
    """By kind how many memories are new, were there already, and were refused by the memory bank."""

    told: dict[Telling, Counter[ImportedKind]] = field(default_factory=lambda: {one: Counter() for one in Telling})

    def note(self, telling: Telling, kind: ImportedKind) -> None:
        self.told[telling][kind] += 1

    @property
    def added(self) -> int:
        return self.told[Telling.NEW].total()

    @property
    def already_there(self) -> int:
        return self.told[Telling.THERE].total()


class ChatFile:
    """One file of chats in a known format. Raises BrokenExport as soon as a fault is met, with a few that follow."""

    def __init__(self, path: Path, kind: str = "auto") -> None:
        self.sources = reading.list_sources(path)
        try:
            self.kind = _detect_kind(self.sources) if kind == "auto" else kind
        except BrokenExport as fault:
            fault.others = list_other_faults(self.sources, None, fault)
            raise
        self.format = FORMATS[self.kind]

    def read_messages(self) -> Iterator[ImportedMessage | SkippedMessage]:
        """The messages, then what stands beside the conversations, of which the newest wording is known last."""
        standing = StandingTexts(self.kind)
        for said in self.read_parts():
            if isinstance(said, StandingText):
                standing.add(said)
            else:
                yield said
        for said in standing.read_messages():
            yield _judge_message(said) if isinstance(said, ImportedMessage) else said

    def read_parts(self) -> Iterator[ImportedMessage | SkippedMessage | StandingText]:
        for source in self.sources:
            for record in reading.read_records(source):
                if self.kind not in LINE_FORMATS and not self.recognises(record):
                    if source.is_beside:
                        continue
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
        try:
            for message in self.read_messages():
                if isinstance(message, SkippedMessage):
                    found.skip(message)
                else:
                    found.add(message, sum(1 for _ in split_text(message.text)))
                on_message()
        except BrokenExport as fault:
            fault.others = list_other_faults(self.sources, self.format, fault)
            raise
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
        spoken = [memory for memory in batch if memory.tier is not Tier.MEMORY_BANK]
        stored = store_memories(user, spoken, now=now, actor=ACTOR)
        said = [memory.origin for memory in spoken if get_kind(memory) is ImportedKind.MESSAGE]
        with user_scope(user):
            # Also what was there already: an import by an earlier release, or one that stopped between the two.
            messages_imported.send(EndUser, user=user, origins=said)
        for memory, result in zip(spoken, stored, strict=True):
            written.note(Telling.THERE if result is None else Telling.NEW, get_kind(memory))
        for memory in batch:
            if memory.tier is Tier.MEMORY_BANK:
                written.note(statements.store_statement(user, memory, now=now, actor=ACTOR), get_kind(memory))
        on_batch(written, len(batch))
    return written


def get_kind(memory: NewMemory) -> ImportedKind:
    return ImportedKind(memory.source.get("part", ImportedKind.MESSAGE))


def count_new_memories(user: EndUser, file: ChatFile, tier: Tier) -> Counter[ImportedKind]:
    """How many memories ``import_chats`` would add, by kind."""
    new: Counter[ImportedKind] = Counter()
    waiting = file.iterate_memories(tier)
    while batch := list(islice(waiting, BATCH)):
        with user_scope(user):
            known = find_known_origins(user, [memory.origin for memory in batch if memory.origin])
            for memory in batch:
                is_told = memory.tier is Tier.MEMORY_BANK and statements.is_told(user, validate_memory(memory))
                new[get_kind(memory)] += memory.origin not in known and not is_told
    return new


def _detect_kind(sources: list[reading.ExportSource]) -> str:
    found = ((source, record) for source in sources for record in reading.read_records(source))
    for source, record in found:
        if kind := _recognise_kind(record):
            return kind
        if not source.is_beside:
            raise BrokenExport(record.place, f"{UNKNOWN}; the nearest: {find_nearest_shape(record)}")
    raise BrokenExport("", "the export holds no conversations")


def find_nearest_shape(record: reading.ExportRecord) -> str:
    """That of the format with the most of the record's fields; of plain JSON Lines where none has one."""

    def count_fields(module: ModuleType) -> tuple[int, bool]:
        named = set(WORD.findall(module.SHAPE))
        return len(named & set(record.value)), module is jsonl

    return str(max(FORMATS.values(), key=count_fields).SHAPE)


def list_other_faults(
    sources: Sequence[reading.ExportSource], module: ModuleType | None, first: BrokenExport
) -> tuple[BrokenExport, ...]:
    """What else is wrong, a few of them: whoever mends one line learns of the next ones too."""
    found: list[BrokenExport] = []
    try:
        for source in sources:
            for record in reading.read_records(source, found.append):
                if reason := find_fault(record, module):
                    found.append(BrokenExport(record.place, reason))
                if len(found) > MOST_FAULTS:
                    break
    except BrokenExport as fault:
        found.append(fault)
    return tuple(fault for fault in found if fault.place != first.place)[:MOST_FAULTS]


def find_fault(record: reading.ExportRecord, module: ModuleType | None) -> str:
    if module is None:
        return "" if _recognise_kind(record) else UNKNOWN
    try:
        for _said in module.read_messages(record.value):
            pass
    except MalformedRecord as fault:
        return str(fault)
    return ""


def _recognise_kind(record: reading.ExportRecord) -> str:
    for kind, module in FORMATS.items():
        try:
            if module.recognises(record.value):
                return kind
        except MalformedRecord:
            continue
    return ""


def _judge_message(message: ImportedMessage) -> ImportedMessage | SkippedMessage:
    """The message, unless it is a statement that the memory bank refuses."""
    if message.holds in STATEMENT_KINDS:
        try:
            validate_memory(_build_statement(message, "", ""))
        except WriteRefused as refusal:
            return SkippedMessage(f"refused by the memory bank: {refusal.rule}")
    return message


def _build_statement(message: ImportedMessage, key: str, transfer: str) -> NewMemory:
    held = current_scope()
    is_own = message.speaker == "user"
    return NewMemory(
        text=message.text,
        tier=Tier.MEMORY_BANK,
        tags=(STATEMENT_TAGS[message.holds],),
        source_type=SourceType.USER if is_own else SourceType.ASSISTANT,
        source=_build_source(message, transfer),
        occurred_at=message.said_at,
        metadata={"project": message.title} if message.title else {},
        origin=_digest(key, *((held.agent_id, held.project_id) if held else ())),
        # Who writes custom instructions asks for them to be kept; a model's summary is judged like any statement.
        is_requested=is_own,
    )


def _build_source(message: ImportedMessage, transfer: str) -> dict[str, str]:
    source = {"type": "import", "format": message.kind}
    if message.holds is not ImportedKind.MESSAGE:
        source["part"] = message.holds.value
    return source | ({"transfer": transfer} if transfer else {})


def _build_memories(message: ImportedMessage, key: str, tier: Tier, transfer: str) -> Iterator[NewMemory]:
    if message.holds in STATEMENT_KINDS:
        yield _build_statement(message, key, transfer)
        return
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
        if message.holds is ImportedKind.PROJECT and message.title:
            metadata["project"] = message.title
        if message.attachments:
            metadata["attachments"] = list(message.attachments[:20])
        yield NewMemory(
            text=part,
            tier=tier,
            thread_id=message.thread_id,
            speaker=message.speaker,
            source_type=SourceType.ASSISTANT if message.speaker.casefold() == "assistant" else SourceType.USER,
            source=_build_source(message, transfer),
            occurred_at=message.said_at,
            expires_at=message.until,
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
