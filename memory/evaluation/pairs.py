"""Measures the judge of pairs: on labelled pairs of statements, and on conversations in which something changes.

A file has one JSON object a line, of either form: `a`, `b` and `label`, or `turns` with `current_turns`, `stale_turns`
and `ending_turns`. In a conversation a stale turn must be contradicted by a later one that is current or ends it; no
other two turns may contradict each other, nor any of a `control`. Nothing is stored.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np

from memory.claims import read_claims
from memory.conf import memory_conf
from memory.facts.pairs import PairStatement, judge_pair, read_statement
from memory.facts.pairs.statement import build_pair_statement
from memory.inference import embedder
from memory.inference.base import Vector
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable

DEADLINE_S: Final = 60.0

# The cosine of two texts, or None where there is no embedder.
CompareTexts = Callable[[str, str], float | None]


@dataclass(slots=True)
class PairFigures:
    """``destructive``: merged though they say different things. ``replaced``: stale turns that are contradicted."""

    pairs: int = 0
    right: int = 0
    destructive: int = 0
    contradictions: int = 0
    contradictions_found: int = 0
    unsure: int = 0
    stale: int = 0
    replaced: int = 0
    others: int = 0
    others_replaced: int = 0
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        """The figures that the file gave cause for."""
        for name, count, of in (
            ("right", self.right, self.pairs),
            ("destructive", self.destructive, self.pairs),
            ("contradictions found", self.contradictions_found, self.contradictions),
            ("unsure", self.unsure, self.pairs),
            ("stale statements replaced", self.replaced, self.stale),
            ("others replaced", self.others_replaced, self.others),
        ):
            if of:
                yield name, f"{count} of {of} ({count / of:.3f})"

    def as_json(self) -> dict[str, Any]:
        names = ("pairs", "right", "destructive", "contradictions", "contradictions_found", "unsure")
        figures = {name: getattr(self, name) for name in (*names, "stale", "replaced", "others", "others_replaced")}
        confusion = {f"{gold} as {said}": count for (gold, said), count in sorted(self.confusion.items())}
        return {**figures, "confusion": confusion}


def compare_embeddings() -> CompareTexts:
    """Compares by the product's embedder, and by nothing where it does not answer."""

    @cache
    def embed(text: str) -> Vector | None:
        try:
            return embedder().embed_passages([text], Deadline(DEADLINE_S))[0]
        except Unavailable:
            return None

    def compare(a: str, b: str) -> float | None:
        one, other = embed(a), embed(b)
        calibrate = memory_conf().embedding.calibrate_cosine
        return None if one is None or other is None else calibrate(float(np.dot(one, other)))

    return compare


def measure_pairs(rows: Iterable[Mapping[str, Any]], compare: CompareTexts) -> PairFigures:
    figures = PairFigures()
    for row in rows:
        if "turns" in row:
            measure_changes(row, compare, figures)
        else:
            measure_pair(row, compare, figures)
    return figures


def measure_pair(row: Mapping[str, Any], compare: CompareTexts, figures: PairFigures) -> None:
    a, b, gold = row["a"], row["b"], row["label"]
    said = judge_pair(read_statement(a), read_statement(b), compare(a, b))
    figures.pairs += 1
    figures.confusion[gold, said] += 1
    figures.right += said == gold
    figures.unsure += said == "unsure"
    figures.destructive += said == "merge" and gold != "merge"
    figures.contradictions += gold == "contradiction"
    figures.contradictions_found += said == gold == "contradiction"
    if said != gold:
        figures.misses.append(f"{said}, not {gold}: {a} || {b}")


def measure_changes(row: Mapping[str, Any], compare: CompareTexts, figures: PairFigures) -> None:
    turns = [turn["user"] for turn in row["turns"]]
    later = {*row["current_turns"], *row["ending_turns"]}
    told = {*row["stale_turns"], *later}
    read = [read_turn(turn, turns[:at], is_told=at in told) for at, turn in enumerate(turns)]
    for old in row["stale_turns"]:
        figures.stale += 1
        if any(is_replaced(read[old], read[new], compare) for new in sorted(later) if new > old):
            figures.replaced += 1
        else:
            figures.misses.append(f"not replaced: {turns[old]} || {[turns[new] for new in sorted(later)]}")
    apart = set(range(len(turns))) if row.get("control") else set(row["current_turns"])
    for old in sorted(apart):
        for new in range(old + 1, len(turns)):
            figures.others += 1
            if is_replaced(read[old], read[new], compare):
                figures.others_replaced += 1
                figures.misses.append(f"replaced: {turns[old]} || {turns[new]}")


def read_turn(text: str, previous: Sequence[str], *, is_told: bool) -> list[PairStatement]:
    """What a turn claims; where no claim is read from one that tells something, the turn itself."""
    claims = [build_pair_statement(claim, claim.statement) for claim in read_claims(text, previous)]
    return claims or ([read_statement(text)] if is_told else [])


def is_replaced(old: Iterable[PairStatement], new: Sequence[PairStatement], compare: CompareTexts) -> bool:
    return any(
        judge_pair(a, b, compare(a.statement, b.statement), is_ordered=True) == "contradiction"
        for a in old
        for b in new
    )
