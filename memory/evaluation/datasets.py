"""Reads retrieval data sets: small stores with one question each (JSONL), and dated conversations (LoCoMo's JSON).

Both become the same thing: stores of memories with graded questions. Nothing here touches the database.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

# Identifiers of turns are written "D8:6"; people's files also hold "D8:6; D9:17", "D:11:26" and "D30:05".
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
# As in "1:56 pm on 8 May, 2023", the form of LoCoMo's files.
_WHEN = "%I:%M %p on %d %B, %Y"

# The fifth category asks about things that were never said, so there is no turn to find.
CONVERSATION_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}


class DatasetForm(StrEnum):
    SCENARIOS = "scenarios"
    CONVERSATIONS = "conversations"
    FIRST_DAYS = "first-days"


class DatasetError(Exception):
    """The file is in neither form; the message names the place and the reason."""


@dataclass(frozen=True, slots=True)
class DatasetMemory:
    key: str
    text: str
    tier: str
    tags: tuple[str, ...] = ()
    importance: float | None = None
    confidence: float | None = None
    days_ago: float | None = None
    occurred_at: datetime | None = None
    speaker: str = ""
    thread_id: str = ""
    outcomes: tuple[str, ...] = ()
    # Outcomes of turns that showed it alone: each with its question.
    judged_turns: tuple[tuple[str, str], ...] = ()
    # Of an exchange, which is stored and read as a client's: what the assistant answered.
    reply: str = ""


@dataclass(frozen=True, slots=True)
class DatasetQuestion:
    key: str
    text: str
    grades: Mapping[str, int]
    labels: Mapping[str, str] = field(default_factory=dict)
    traps: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DatasetStore:
    """The memories of one user, and the questions asked of them."""

    key: str
    memories: tuple[DatasetMemory, ...]
    questions: tuple[DatasetQuestion, ...]


@dataclass(frozen=True, slots=True)
class RetrievalDataset:
    name: str
    form: DatasetForm
    stores: tuple[DatasetStore, ...]

    @property
    def question_count(self) -> int:
        return sum(len(store.questions) for store in self.stores)

    @property
    def memory_count(self) -> int:
        return sum(len(store.memories) for store in self.stores)


def read_dataset(path: Path) -> RetrievalDataset:
    """Tell the form by the content, not by the file's name. Raise DatasetError for anything else."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: {error}") from error
    if text.lstrip().startswith("["):
        stores, form = _read_conversations(path, text), DatasetForm.CONVERSATIONS
    else:
        stores, form = _read_scenarios(path, text), DatasetForm.SCENARIOS
    if not stores:
        raise DatasetError(f"{path}: no store in it")
    return RetrievalDataset(path.name, form, stores)


def limit_questions(dataset: RetrievalDataset, limit: int) -> RetrievalDataset:
    """Keep the first questions of a data set and only the stores that they need."""
    stores: list[DatasetStore] = []
    for store in dataset.stores:
        room = limit - sum(len(earlier.questions) for earlier in stores)
        if room <= 0:
            break
        stores.append(DatasetStore(store.key, store.memories, store.questions[:room]))
    return RetrievalDataset(dataset.name, dataset.form, tuple(stores))


def _read_scenarios(path: Path, text: str) -> tuple[DatasetStore, ...]:
    stores = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                stores.append(_read_scenario(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise DatasetError(f"{path}, line {number}: not a scenario: {_describe_error(error)}") from error
    return tuple(stores)


def _read_scenario(row: Mapping[str, Any]) -> DatasetStore:
    memories = tuple(_read_scenario_memory(memory) for memory in row["memories"])
    grades = {str(key): int(grade) for key, grade in row["relevant"].items()}
    unknown = (set(grades) | set(row["must_not_top1"])) - {memory.key for memory in memories}
    if unknown:
        raise ValueError(f"judged keys without a memory: {', '.join(sorted(unknown))}")
    if not any(grade > 0 for grade in grades.values()):
        raise ValueError("nothing is relevant")
    labels = {
        "family": str(row["family"]),
        "language": str(row["lang"]),
        "kind": "control" if row.get("control") else "adversarial",
    }
    question = DatasetQuestion(str(row["id"]), str(row["query"]), grades, labels, frozenset(row["must_not_top1"]))
    return DatasetStore(question.key, memories, (question,))


def _read_scenario_memory(row: Mapping[str, Any]) -> DatasetMemory:
    return DatasetMemory(
        key=str(row["key"]),
        text=str(row["text"]),
        tier=str(row["tier"]),
        tags=tuple(row.get("tags") or ()),
        importance=row.get("importance"),
        confidence=row.get("confidence"),
        days_ago=row.get("days_ago"),
        speaker=str(row.get("speaker") or ""),
        thread_id=str(row.get("thread_id") or ""),
        outcomes=tuple(row.get("outcomes") or ()),
        judged_turns=tuple((str(outcome), str(question)) for outcome, question in row.get("told") or ()),
    )


def _read_conversations(path: Path, text: str) -> tuple[DatasetStore, ...]:
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise DatasetError(f"{path}: not JSON: {error}") from error
    stores = []
    for number, row in enumerate(rows, start=1):
        try:
            stores.append(_read_conversation(row, number))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DatasetError(f"{path}, conversation {number}: {_describe_error(error)}") from error
    return tuple(stores)


def _read_conversation(row: Mapping[str, Any], number: int) -> DatasetStore:
    key = str(row.get("sample_id") or f"conversation-{number}")
    memories = tuple(_read_turns(row["conversation"]))
    keys = {memory.key for memory in memories}
    return DatasetStore(key, memories, tuple(_read_questions(key, row["qa"], keys)))


def _read_turns(conversation: Mapping[str, Any]) -> Iterator[DatasetMemory]:
    sessions = sorted(int(match[1]) for name in conversation if (match := _SESSION.fullmatch(name)))
    for session in sessions:
        said_at = parse_when(conversation[f"session_{session}_date_time"])
        for turn in conversation[f"session_{session}"]:
            caption = turn.get("blip_caption")
            yield DatasetMemory(
                key=_normalize_turn_id(turn["dia_id"]),
                text=f"{turn['text']} [shares {caption}]" if caption else str(turn["text"]),
                tier="history",
                occurred_at=said_at,
                speaker=str(turn["speaker"]),
                thread_id=f"session-{session}",
            )


def _read_questions(store: str, rows: Sequence[Mapping[str, Any]], keys: set[str]) -> Iterator[DatasetQuestion]:
    for number, row in enumerate(rows, start=1):
        category = CONVERSATION_CATEGORIES.get(row["category"])
        evidence = [key for key in parse_evidence(row.get("evidence") or ()) if key in keys]
        if category and evidence:
            grades = dict.fromkeys(evidence, 1)
            yield DatasetQuestion(f"{store}/{number}", str(row["question"]), grades, {"category": category})


def parse_evidence(written: Sequence[str]) -> list[str]:
    """Return canonical turn ids in order, each once; what cannot be read as one is dropped."""
    found = (f"D{int(session)}:{int(turn)}" for entry in written for session, turn in _EVIDENCE.findall(entry))
    return list(dict.fromkeys(found))


def _normalize_turn_id(turn_id: str) -> str:
    keys = parse_evidence([turn_id])
    if len(keys) != 1:
        raise ValueError(f"{turn_id!r} is not a turn's id")
    return keys[0]


def parse_when(text: str) -> datetime:
    return datetime.strptime(text, _WHEN).replace(tzinfo=UTC)


def _describe_error(error: Exception) -> str:
    return f"{error} is missing" if isinstance(error, KeyError) else str(error)
