"""Measures what the hot path lays beside turns: whether anything should be, and whether the right things are.

A file has one JSON object a line: `store` (triples of a person, in the order they were learned), `query`, `relevant`
(their places), `expect_inject` and `lang`. Nothing is stored: gating and ranking are asked as a turn asks them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from knowledge_graph.hotmem.bullets import word_triple
from knowledge_graph.hotmem.cues import read_cue
from knowledge_graph.hotmem.edges import HotEdge
from knowledge_graph.hotmem.gating import list_entities, select_about
from knowledge_graph.hotmem.ranking import ScoreWeights, choose_edges, rank_edges
from memory.claims.turns import read_turn
from memory.conf import memory_conf
from memory.facts.keys import fold_key

FIRST: Final = 3
CONFIDENCE: Final = 0.9
LEARNED_AT: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class ProbeFigures:
    """``relevance`` and ``precision`` are of the first three, of each probe that expects something, or shows it."""

    probes: int = 0
    gated_right: int = 0
    silent: int = 0
    spoken_up: int = 0
    relevance: list[float] = field(default_factory=list)
    precision: list[float] = field(default_factory=list)
    by_language: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    misses: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        yield "probes", f"{self.probes}, of which {self.silent} expect nothing"
        yield "relevance@3", f"{average(self.relevance):.3f} (wanted 0.85)"
        yield "precision@3", f"{average(self.precision):.3f}"
        yield "gating", f"{self.gated_right / max(1, self.probes):.3f} (wanted 0.92)"
        yield "something said where nothing should be", f"{self.spoken_up} of {self.silent}"
        for lang, values in sorted(self.by_language.items()):
            yield f"relevance@3, {lang}", f"{average(values):.3f} of {len(values)}"

    def as_json(self) -> dict[str, Any]:
        return {
            "probes": self.probes,
            "relevance_at_3": average(self.relevance),
            "precision_at_3": average(self.precision),
            "gating": self.gated_right / max(1, self.probes),
            "over_injection": self.spoken_up / max(1, self.silent),
        }


def average(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def measure_probes(rows: Sequence[Mapping[str, Any]]) -> ProbeFigures:
    figures = ProbeFigures()
    for row in rows:
        count_probe(row, find_places(row), figures)
    return figures


def find_places(row: Mapping[str, Any]) -> list[int]:
    """The places in the store of what a turn is given, best first."""
    conf = memory_conf().hot
    edges = [build_edge(place, triple, row["lang"]) for place, triple in enumerate(row["store"])]
    reading = read_turn(row["query"])
    cue = read_cue(row["query"], reading.intent, reading.lang, tells=bool(reading.triples))
    gated = select_about(edges, cue, list_entities(edges, cue))
    ranked = rank_edges(gated, ScoreWeights(*conf.weights), now=LEARNED_AT, recency_days=conf.recency_days)
    return [one.edge.fact_id.int for one in choose_edges(ranked, threshold=conf.threshold, most=conf.bullets_max)]


def build_edge(place: int, triple: Sequence[str], lang: str) -> HotEdge:
    subject, relation, value = triple
    said = word_triple(subject, relation, value, lang=lang)
    keys = fold_key(subject), fold_key(value)
    return HotEdge(UUID(int=place), subject, relation, value, *keys, said, lang, CONFIDENCE, LEARNED_AT)


def count_probe(row: Mapping[str, Any], places: Sequence[int], figures: ProbeFigures) -> None:
    wanted, shown = set(row["relevant"]), places[:FIRST]
    is_right = bool(places) == row["expect_inject"]
    figures.probes += 1
    figures.gated_right += is_right
    share = len(wanted & set(shown)) / min(FIRST, len(wanted)) if wanted else 1.0
    if row["expect_inject"]:
        figures.relevance.append(share)
        figures.by_language[row["lang"]].append(share)
        figures.precision += [len(wanted & set(shown)) / len(shown)] if shown else []
    else:
        figures.silent += 1
        figures.spoken_up += bool(places)
    if not is_right or share < 1.0:
        told, missed = ([" ".join(row["store"][place]) for place in some] for some in (places, sorted(wanted)))
        figures.misses.append(f"{row['id']}: {row['query']} || {told}, not {missed}")


def count_repeated(said: Iterable[tuple[int, tuple[str, str, str]]], turns: int) -> int:
    """Bullets that were said in one of the turns just before: only what was asked for is."""
    last: dict[tuple[str, str, str], int] = {}
    count = 0
    for number, triple in said:
        count += triple in last and 0 < number - last[triple] <= turns
        last[triple] = number
    return count
