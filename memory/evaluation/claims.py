"""Measures what is read from turns: what should be kept and is, and what should teach nothing and does.

A file has one JSON object a line. Its form is told by its fields: `answer` (a statement or request; one of the
substrings must stand in what is kept), `why` (a turn that must teach nothing), `turns` with `answer_now` (a
conversation in which something changes), `marked` (every fact of a text as its author marked it, and in `not` what a
bad reader would take it for). Only texts are read: nothing is stored.
"""

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from memory.claims import Claim, read_claims
from memory.claims.claim import SPEAKER
from memory.evaluation.answers import any_text_holds
from memory.evaluation.datasets import DatasetError
from memory.facts.profile.rules import find_facts_by_rules
from memory.scoring import find_percentile

MS: Final = 1000.0
# The relations of ours that an author's kind means, where it is not called the same.
RELATIONS_OF_KIND: Final = {
    "illness": frozenset({"has_condition", "has"}),
    "allergy": frozenset({"allergic_to"}),
    "intolerance": frozenset({"allergic_to", "intolerant_to"}),
    "vehicle": frozenset({"car", "bike", "motorbike", "owns"}),
    "studies": frozenset({"studies", "school"}),
    "dose": frozenset({"takes_dose"}),
    "partner": frozenset({"partner", "married_to", "wife", "husband", "girlfriend", "boyfriend"}),
}


@dataclass(slots=True)
class ClaimFigures:
    """``claimed`` counts what the reader claims, ``kept`` what passes on to the bank."""

    turns: int = 0
    claimed: int = 0
    kept: int = 0
    silent: int = 0
    silent_claimed: int = 0
    silent_kept: int = 0
    changes: int = 0
    changes_claimed: int = 0
    changes_kept: int = 0
    lookalikes: int = 0
    lookalikes_claimed: int = 0
    facts: int = 0
    facts_told: int = 0
    mistakable: int = 0
    mistaken: int = 0
    times: list[float] = field(default_factory=list)
    misses: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        """The figures that the file gave cause for, as a table."""
        for name, count, of in (
            ("claimed", self.claimed, self.turns),
            ("kept", self.kept, self.turns),
            ("silent turns claimed", self.silent_claimed, self.silent),
            ("silent turns kept", self.silent_kept, self.silent),
            ("new value claimed", self.changes_claimed, self.changes),
            ("new value kept", self.changes_kept, self.changes),
            ("look-alike claimed of the person", self.lookalikes_claimed, self.lookalikes),
            ("marked facts told", self.facts_told, self.facts),
            ("marked mistakes made", self.mistaken, self.mistakable),
        ):
            if of:
                yield name, f"{count} of {of} ({count / of:.3f})"
        if self.times:
            yield "reading a turn, p95", f"{find_percentile(self.times, 0.95):.1f} ms"

    def as_json(self) -> dict[str, Any]:
        figures = asdict(self)
        del figures["times"], figures["misses"]
        return figures


def read_turns(path: Path) -> list[dict[str, Any]]:
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path}: {error}") from error
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise DatasetError(f"{path}: no JSON objects, one a line")
    return rows


def measure_claims(rows: Iterable[Mapping[str, Any]]) -> ClaimFigures:
    figures = ClaimFigures()
    for row in rows:
        if "turns" in row:
            measure_conversation(row, figures)
        elif "marked" in row and "why" not in row:
            measure_marked(row, figures)
        elif "why" in row:
            claims, kept = read_turn(row["text"], (), figures)
            figures.silent += 1
            figures.silent_claimed += bool(claims)
            figures.silent_kept += bool(kept)
            if kept:
                figures.misses.append(f"kept: {row['text']}")
        else:
            claims, kept = read_turn(row["text"], (), figures)
            figures.turns += 1
            figures.claimed += any_text_holds([claim.statement for claim in claims], row["answer"])
            if any_text_holds(kept, row["answer"]):
                figures.kept += 1
            else:
                figures.misses.append(f"not kept: {row['text']}")
    return figures


def measure_marked(row: Mapping[str, Any], figures: ClaimFigures) -> None:
    """Which of the marked facts a claim's words hold, and which wrong ones it makes."""
    claims, _ = read_turn(row["text"], (), figures)
    said = [claim.statement for claim in claims]
    for fact in row["marked"]:
        figures.facts += 1
        if any_text_holds(said, [fact["value"]]):
            figures.facts_told += 1
        else:
            figures.misses.append(f"not told: {fact['value']} of {row['text']}")
    for wrong in row.get("not", ()):
        figures.mistakable += 1
        if any(is_mistake(claim, wrong) for claim in claims):
            figures.mistaken += 1
            figures.misses.append(f"mistaken: {wrong['kind']} {wrong['value']} of {row['text']}")


def is_mistake(claim: Claim, wrong: Mapping[str, Any]) -> bool:
    relations = RELATIONS_OF_KIND.get(wrong["kind"], frozenset({wrong["kind"]}))
    is_own = (claim.subject == SPEAKER) == (wrong["who"] in {"me", "we"})
    is_same = claim.polarity == wrong.get("yes", True) and claim.object == wrong["value"].casefold()
    return is_own and is_same and claim.relation in relations


def measure_conversation(row: Mapping[str, Any], figures: ClaimFigures) -> None:
    turns = [turn["user"] for turn in row["turns"]]
    read = [read_turn(turn, turns[:at], figures) for at, turn in enumerate(turns)]
    if row.get("control"):
        if row.get("lookalike"):
            said = [claim.statement for claims, _ in read for claim in claims if claim.subject == SPEAKER]
            figures.lookalikes += 1
            figures.lookalikes_claimed += any_text_holds(said, row["lookalike"])
        return
    now = [read[at] for at in row["current_turns"]]
    figures.changes += 1
    figures.changes_claimed += any_text_holds([c.statement for claims, _ in now for c in claims], row["answer_now"])
    if any_text_holds([one for _, kept in now for one in kept], row["answer_now"]):
        figures.changes_kept += 1
    else:
        figures.misses.append(f"new value not kept: {[turns[at] for at in row['current_turns']]}")


def read_turn(text: str, previous: Sequence[str], figures: ClaimFigures) -> tuple[list[Claim], list[str]]:
    started = time.perf_counter()
    claims = read_claims(text, previous)
    figures.times.append((time.perf_counter() - started) * MS)
    return claims, [fact.statement for fact in find_facts_by_rules(text, previous)]
