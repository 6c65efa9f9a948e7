"""Sets of the project's own of first days: stores of three to some twenty memories, each with several questions.

A person's first memories are few and of many kinds: statements of the bank, exchanges with an assistant, notes, lines
of an imported chat. Some questions are about nothing in the store: of these silence is the right answer. Text files,
one a language; a store belongs to one half with all its questions. The visitor's and the newcomer's sets are of authors
who had read no rule, and their halves lie in folders of their own.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from memory.evaluation.datasets import (
    DatasetError,
    DatasetForm,
    DatasetMemory,
    DatasetQuestion,
    DatasetStore,
    RetrievalDataset,
)
from memory.evaluation.scenarios import HALVES, choose_half

FIRST_DAYS: Final = "first-days"
FOLDER: Final = Path(__file__).parent / "scenarios" / FIRST_DAYS
VISITOR: Final = "first-days-visitor"
NEWCOMER: Final = "first-days-newcomer"
SILENCE: Final = "silence"
_KINDS: Final = {"s": "statement", "e": "exchange", "n": "note", "t": "imported"}
_MEMORY: Final = re.compile(
    r"(?P<key>[a-z]) (?P<kind>[sent])(?P<days>\d+(?:\.\d+)?)(?: (?P<speaker>[^|]+))? \| (?P<text>.+)"
)
_QUESTION: Final = re.compile(r"\? (?P<answers>-|[a-z](?: [a-z])*)(?: (?P<traps>![a-z](?: ![a-z])*))? \| (?P<text>.+)")


def read_first_days(half: str | None = None) -> RetrievalDataset:
    stores = [store for path in sorted(FOLDER.glob("*.txt")) for store in read_stores(path)]
    chosen = tuple(store for store in stores if half is None or choose_half(store.key) == half)
    return RetrievalDataset(FIRST_DAYS if half is None else f"{FIRST_DAYS}, {half}", DatasetForm.FIRST_DAYS, chosen)


def read_visitor_days(half: str | None = None) -> RetrievalDataset:
    return read_halves(VISITOR, half)


def read_newcomer_days(half: str | None = None) -> RetrievalDataset:
    return read_halves(NEWCOMER, half)


def read_halves(key: str, half: str | None) -> RetrievalDataset:
    folder = FOLDER.parent / key
    paths = [path for one in HALVES if half in {None, one} for path in sorted((folder / one).glob("*.txt"))]
    name = key if half is None else f"{key}, {half}"
    stores = tuple(store for path in paths for store in read_stores(path, f"{key}-{path.parent.name}"))
    return RetrievalDataset(name, DatasetForm.FIRST_DAYS, stores)


SETS: Final[Mapping[str, Callable[[str | None], RetrievalDataset]]] = {
    FIRST_DAYS: read_first_days,
    VISITOR: read_visitor_days,
    NEWCOMER: read_newcomer_days,
}


def read_stores(path: Path, name: str = FIRST_DAYS) -> Iterator[DatasetStore]:
    """The stores of a file. Raise DatasetError that names the line."""
    blocks: list[list[tuple[int, str]]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("= "):
            blocks.append([])
        elif line and not line.startswith("#"):
            if not blocks:
                raise DatasetError(f"{path}, line {number}: no store before it")
            blocks[-1].append((number, line))
    for place, lines in enumerate(blocks, start=1):
        yield read_store(path, f"{name}-{path.stem}-{place:02}", lines)


def read_store(path: Path, key: str, lines: list[tuple[int, str]]) -> DatasetStore:
    memories: list[DatasetMemory] = []
    kinds: dict[str, str] = {}
    questions: list[DatasetQuestion] = []
    for number, line in lines:
        asked, told = _QUESTION.fullmatch(line), _MEMORY.fullmatch(line)
        if told is not None:
            memory = build_memory(told)
            memories.append(memory)
            kinds[memory.key] = _KINDS[told["kind"]]
        elif asked is not None and set(list_keys(asked)) <= kinds.keys():
            questions.append(build_question(f"{key}/{len(questions) + 1}", path.stem, asked, kinds))
        else:
            raise DatasetError(f"{path}, line {number}: neither a memory nor a question of one: {line}")
    return DatasetStore(key, tuple(memories), tuple(questions))


def list_keys(asked: re.Match[str]) -> list[str]:
    return [char for char in f"{asked['answers']} {asked['traps'] or ''}" if char.isalpha()]


def build_memory(match: re.Match[str]) -> DatasetMemory:
    """`b e3 | What was said | What was answered`: key, kind and age in days; `d t5 Ann | text`: with its speaker."""
    kind, days = match["kind"], float(match["days"])
    text, _, reply = match["text"].partition(" | ") if kind == "e" else (match["text"], "", "")
    is_said = kind in "et"
    return DatasetMemory(
        key=match["key"],
        text=text,
        tier="memory_bank" if kind == "s" else "history",
        tags=("context",) if kind == "s" else (),
        days_ago=days,
        speaker=match["speaker"] or "",
        thread_id=f"{_KINDS[kind]}-{match['days']}" if is_said else "",
        reply=reply,
    )


def build_question(key: str, language: str, match: re.Match[str], kinds: dict[str, str]) -> DatasetQuestion:
    answers = [] if match["answers"] == "-" else match["answers"].split()
    labels = {"answer": kinds[answers[0]] if answers else SILENCE, "language": language}
    traps = frozenset((match["traps"] or "").replace("!", "").split())
    return DatasetQuestion(key, match["text"], dict.fromkeys(answers, 1), labels, traps)
