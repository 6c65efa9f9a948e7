"""Scenario sets of the project's own: small stores in which plain similarity tempts, written by hand, filled by seed.

A set is a folder of text files, one a language. The files hold what matters to each scenario; the rest of its store is
bystanders of other scenarios. The same files make the same set everywhere, so its figures can be compared over time.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Final

from memory.evaluation.datasets import (
    DatasetError,
    DatasetForm,
    DatasetMemory,
    DatasetQuestion,
    DatasetStore,
    RetrievalDataset,
)

SETS: Final[Mapping[str, Path]] = {
    f"scenarios-{version}": Path(__file__).parent / "scenarios" / version for version in ("v1", "v2")
}
TUNING, HELD_OUT = "tuning", "held-out"
HALVES: Final = (TUNING, HELD_OUT)
# So many of other families: a store of the scenario's own memories alone would be found by any search.
FEWEST_BYSTANDERS, MOST_BYSTANDERS = 3, 7

_TIERS: Final = {"w": "working", "h": "history", "p": "patterns", "m": "memory_bank", "b": "books"}
_OUTCOMES: Final = {"+": "worked", "-": "failed", "~": "partial"}
_GRADES: Final = {"*": 2, "+": 1}
_MEMORY: Final = re.compile(
    r"(?P<mark>[*+!-]) (?P<tier>[whpmb])(?P<days>\d+(?:\.\d+)?)(?: (?P<quality>[\d.]+/[\d.]+))?(?P<words>[^|]*)"
    r"\| (?P<text>.+)"
)


@dataclass(slots=True)
class ScenarioDraft:
    """One block of a file. ``marks`` has what each memory is: the answer, a second, a trap or a bystander."""

    language: str
    family: str
    is_control: bool
    question: str = ""
    marks: list[str] = field(default_factory=list)
    memories: list[DatasetMemory] = field(default_factory=list)

    def list_bystanders(self) -> list[DatasetMemory]:
        return [memory for mark, memory in zip(self.marks, self.memories, strict=True) if mark == "-"]


def read_scenario_set(name: str, half: str | None = None) -> RetrievalDataset:
    """A set by its name, whole or one half of it. Both halves have every family and every language."""
    drafts = [draft for path in sorted(SETS[name].glob("*.txt")) for draft in read_drafts(path)]
    stores = []
    for key, draft in number_drafts(drafts):
        store = build_store(key, draft, drafts)
        if half is None or choose_half(key) == half:
            stores.append(store)
    return RetrievalDataset(name if half is None else f"{name}, {half}", DatasetForm.SCENARIOS, tuple(stores))


def number_drafts(drafts: Sequence[ScenarioDraft]) -> Iterator[tuple[str, ScenarioDraft]]:
    """Each with a key that tells its family, language and number."""
    counts: Counter[tuple[str, str]] = Counter()
    for draft in drafts:
        counts[draft.family, draft.language] += 1
        yield f"{draft.family}-{draft.language}-{counts[draft.family, draft.language]:02}", draft


def choose_half(key: str) -> str:
    """The half a scenario belongs to."""
    # Every other of a family and language; which one begins is left to chance, once and for all.
    group, _, number = key.rpartition("-")
    return HALVES[(int(number) + derive_seed(group)) % 2]


def derive_seed(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def build_store(key: str, draft: ScenarioDraft, drafts: Sequence[ScenarioDraft]) -> DatasetStore:
    """The scenario among bystanders of other families in its language, in an order that tells nothing."""
    chance = Random(derive_seed(key))  # noqa: S311 - repeatable on purpose, nothing secret
    others = [
        memory
        for other in drafts
        if other.language == draft.language and other.family != draft.family
        for memory in other.list_bystanders()
    ]
    extra = chance.sample(others, min(len(others), chance.randint(FEWEST_BYSTANDERS, MOST_BYSTANDERS)))
    marked = [*zip(draft.marks, draft.memories, strict=True), *(("-", memory) for memory in extra)]
    chance.shuffle(marked)
    memories, grades, traps = [], {}, set()
    for number, (mark, memory) in enumerate(marked, start=1):
        place = f"m{number}"
        memories.append(DatasetMemory(place, *(getattr(memory, name) for name in DatasetMemory.__slots__[1:])))
        if mark in _GRADES:
            grades[place] = _GRADES[mark]
        if mark == "!":
            traps.add(place)
    labels = {
        "family": draft.family,
        "language": draft.language,
        "kind": "control" if draft.is_control else "adversarial",
    }
    return DatasetStore(key, tuple(memories), (DatasetQuestion(key, draft.question, grades, labels, frozenset(traps)),))


def read_drafts(path: Path) -> list[ScenarioDraft]:
    drafts: list[ScenarioDraft] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            if line.startswith("= "):
                family, *flags = line[2:].split()
                drafts.append(ScenarioDraft(path.stem, family, flags == ["control"]))
            elif line.startswith("? "):
                drafts[-1].question = line[2:]
            elif line and not line.startswith("#"):
                mark, memory = parse_memory(line)
                drafts[-1].marks.append(mark)
                drafts[-1].memories.append(memory)
        except (ValueError, IndexError) as error:
            raise DatasetError(f"{path}, line {number}: {error}") from error
    for draft in drafts:
        if not draft.question or draft.marks.count("*") != 1 or "!" not in draft.marks:
            raise DatasetError(f"{path}: {draft.question or draft.family}: needs a question, one answer and a trap")
    return drafts


def parse_memory(line: str) -> tuple[str, DatasetMemory]:
    """`* p50 ++++ bike,tools | Text`: mark, tier and age in days, importance/confidence, outcomes, tags, text."""
    match = _MEMORY.fullmatch(line)
    if match is None:
        raise ValueError(f"not a memory: {line}")
    outcomes: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    for word in match["words"].split():
        if set(word) <= _OUTCOMES.keys():
            outcomes = tuple(_OUTCOMES[char] for char in word)
        else:
            tags = tuple(word.split(","))
    importance, confidence = map(float, match["quality"].split("/")) if match["quality"] else (None, None)
    memory = DatasetMemory(
        key="",
        text=match["text"],
        tier=_TIERS[match["tier"]],
        tags=tags,
        importance=importance,
        confidence=confidence,
        days_ago=float(match["days"]),
        outcomes=outcomes,
    )
    return match["mark"], memory
