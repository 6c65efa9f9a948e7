"""Measures what the hot path reads from turns: triples, intents, retractions, in seven languages.

A file has one JSON object a line: `text`, `context` (earlier turns of the person), `lang`, `intent`, `facts` and
`optional` (triples that must, and that may, be read) and `retracts`. Triples are compared without case, articles,
leading possessives and punctuation; who is married and who is friends may be told in either order.
"""

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from memory.claims.frames import HotTriple
from memory.claims.taxonomy import SYMMETRIC
from memory.claims.turns import read_turn
from memory.language.loader import read_entries
from memory.scoring import find_percentile

MS: Final = 1000.0
# Share of the words of an object that two triples have in common, from which a retraction is the same.
ALIKE: Final = 0.67
SAME_RELATIONS: Final = {"wife": "married_to", "husband": "married_to", "friend": "friend_of", "parents": "parent"}
NOMINATIVES: Final = {"jahren": "jahre", "monaten": "monate", "tagen": "tage"}
WORD: Final = re.compile(r"\w+")

Words = tuple[str, ...]
Key = tuple[Words, str, Words]


@dataclass(slots=True)
class TripleCount:
    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0

    def add(self, right: int, told: int, asked: int) -> None:
        self.right += right
        self.wrong += told - right
        self.missed += asked - right

    def __str__(self) -> str:
        return f"precision {self.precision:.3f}, recall {self.recall:.3f} ({self.right}/{self.wrong}/{self.missed})"


@dataclass(slots=True)
class HotFigures:
    """``empty`` counts turns that tell nothing to keep, ``empty_told`` those of them something was read from."""

    turns: int = 0
    facts: TripleCount = field(default_factory=TripleCount)
    retracts: TripleCount = field(default_factory=TripleCount)
    by_language: dict[str, TripleCount] = field(default_factory=dict)
    intents: int = 0
    confused: Counter[tuple[str, str]] = field(default_factory=Counter)
    empty: int = 0
    empty_told: int = 0
    languages: int = 0
    times: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        yield "triples", str(self.facts)
        for language, count in sorted(self.by_language.items()):
            yield f"triples, {language}", str(count)
        yield "false facts", f"{self.empty_told} of {self.empty} turns that tell none"
        yield "retractions", str(self.retracts)
        yield "intents", f"{self.intents} of {self.turns} ({self.intents / max(1, self.turns):.3f})"
        for (asked, told), often in self.confused.most_common():
            yield f"intents, {asked}", f"{often} as {told}"
        yield "languages", f"{self.languages} of {self.turns}"
        yield "reading a turn, p95 of processor time", f"{find_percentile(self.times, 0.95):.1f} ms"

    def as_json(self) -> dict[str, Any]:
        return {
            "turns": self.turns,
            "precision": self.facts.precision,
            "recall": self.facts.recall,
            "by_language": {code: [one.precision, one.recall] for code, one in self.by_language.items()},
            "false_fact_rate": self.empty_told / max(1, self.empty),
            "retraction_precision": self.retracts.precision,
            "retraction_recall": self.retracts.recall,
            "intents": self.intents / max(1, self.turns),
        }


def measure_hot(rows: Sequence[Mapping[str, Any]]) -> HotFigures:
    figures = HotFigures()
    if rows:
        # Words are loaded when they are first needed, which is no part of reading a turn.
        for language in {str(row["lang"]) for row in rows}:
            read_turn(str(rows[0]["text"]), (), language)
    for row in rows:
        measure_turn(row, figures)
    return figures


def measure_turn(row: Mapping[str, Any], figures: HotFigures) -> None:
    started = time.process_time()
    reading = read_turn(row["text"], row.get("context", ()))
    figures.times.append((time.process_time() - started) * MS)
    language = row["lang"]
    asked = list_keys(row["facts"], language)
    optional = list_keys(row.get("optional", ()), language)
    told = [
        one for one in list_keys(map(split_triple, reading.triples), language) if one in asked or one not in optional
    ]
    right = sum(one in asked for one in told)
    for count in (figures.facts, figures.by_language.setdefault(language, TripleCount())):
        count.add(right, len(told), len(asked))
    figures.turns += 1
    figures.languages += reading.lang == language
    figures.empty += not asked
    figures.empty_told += not asked and bool(told)
    figures.intents += reading.intent == row["intent"]
    if reading.intent != row["intent"]:
        figures.confused[row["intent"], reading.intent] += 1
    back = list_keys(map(split_triple, reading.retracted), language)
    meant = list_keys(row.get("retracts", ()), language)
    figures.retracts.add(count_alike(back, meant), len(back), len(meant))
    if right < max(len(told), len(asked)):
        wrong = [one for one in told if one not in asked]
        figures.misses.append(f"{row['text']} | missed {[a for a in asked if a not in told]} | wrong {wrong}")


def split_triple(triple: HotTriple) -> tuple[str, str, str]:
    return triple.key


def list_keys(triples: Iterable[Sequence[str]], language: str) -> list[Key]:
    return list(dict.fromkeys(normalise_triple(*one, language=language) for one in triples))


def normalise_triple(subject: str, relation: str, spoken: str, *, language: str) -> Key:
    relation = SAME_RELATIONS.get(relation, relation)
    first, last = normalise_words(subject, language), normalise_words(spoken, language)
    if relation in SYMMETRIC and last < first:
        first, last = last, first
    return first, relation, last


def normalise_words(spoken: str, language: str) -> Words:
    words = WORD.findall(unicodedata.normalize("NFC", str(spoken)).casefold().replace("_", " "))
    articles, possessives = load_small_words(language)
    while len(words) > 1 and words[0] in possessives:
        words = words[1:]
    kept = [word for word in words if word not in articles] or words
    return tuple(NOMINATIVES.get(word, word) for word in kept)


@cache
def load_small_words(language: str) -> tuple[frozenset[str], frozenset[str]]:
    return (
        frozenset(read_entries(language, "frames", "article words")),
        frozenset((*read_entries(language, "frames", "my"), *read_entries(language, "frames", "his"))),
    )


def count_alike(told: Sequence[Key], asked: Sequence[Key]) -> int:
    """How many of what is asked for are told, each once, up to the words of the object."""
    left = list(told)
    count = 0
    for one in asked:
        found = next((other for other in left if is_alike(one, other)), None)
        if found is not None:
            left.remove(found)
            count += 1
    return count


def is_alike(one: Key, other: Key) -> bool:
    if one[:2] != other[:2]:
        return False
    common = sum((Counter(one[2]) & Counter(other[2])).values())
    return one[2] == other[2] or 2 * common / max(1, len(one[2]) + len(other[2])) >= ALIKE
