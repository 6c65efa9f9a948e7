"""How well memories are found: every question of a data set, asked in several modes of the search side by side."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone

from memory.evaluation.datasets import DatasetForm, DatasetQuestion, DatasetStore, RetrievalDataset
from memory.evaluation.loading import LoadedStore, create_benchmark_organization, load_store
from memory.evaluation.timing import Stopwatch
from memory.inference import reranker
from memory.measuring.metrics import (
    Average,
    JudgedRanking,
    Measure,
    ScoredQuestion,
    average_by_label,
    average_figures,
    best_keys,
    find_first_place,
    list_conversation_measures,
    list_cost_measures,
    list_first_days_measures,
    list_scenario_measures,
)
from memory.retrieval.confidence import LOW
from memory.retrieval.results import LEXICAL, STAGES, VECTOR, SearchRequest
from memory.retrieval.search import search
from memory.retrieval.variants import list_boosts


@dataclass(frozen=True, slots=True)
class SearchMode:
    """A part of the search to be asked alone. ``boosts`` None means those of the settings."""

    stages: frozenset[str]
    boosts: tuple[str, ...] | None = ()


FOUND = frozenset({VECTOR, LEXICAL})
PLAIN, HYBRID, RERANKED = "plain", "hybrid", "reranked"
MODES: Mapping[str, SearchMode] = {
    "vector": SearchMode(frozenset({VECTOR})),
    "lexical": SearchMode(frozenset({LEXICAL})),
    "fused": SearchMode(FOUND),
    PLAIN: SearchMode(FOUND),
    HYBRID: SearchMode(FOUND, boosts=None),
    RERANKED: SearchMode(STAGES, boosts=None),
}
# The boosts that say what came of using a memory; ``plain`` is the search without them.
FROM_OUTCOMES = frozenset({"outcomes", "solutions"})
# A reranker is asked only where a small part of what was found is wanted, so of a scenario it gives so many.
READ_BY_RERANKER = 3
# A scenario is ranked as a whole, as far as one answer of the search goes.
DEEPEST = 50
# Wide, so that a busy machine does not change a ranking; a stage that fails all the same is reported in red.
PATIENCE_S = 15.0
# Every question is asked at this moment: dates are part of what is searched, and a figure must not change overnight.
ASKED_AT = datetime(2025, 6, 16, 12, tzinfo=UTC)
HEADLINES = {
    DatasetForm.SCENARIOS: ("Top-1", "MRR", "trap@1"),
    DatasetForm.CONVERSATIONS: ("R@1", "R@10", "MRR"),
    DatasetForm.FIRST_DAYS: ("Top-1", "MRR", "silent"),
}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class MissedQuestion:
    """A question whose best memory did not come first."""

    question: str
    text: str
    labels: Mapping[str, str]
    mode: str
    place: int | None
    first: str

    def render(self) -> str:
        where = f"place {self.place}" if self.place else "not found"
        labels = ", ".join(self.labels.values())
        return f"{self.mode} · {self.question} ({labels}): {where} · {self.text} · first: {self.first}"


@dataclass(slots=True)
class QualityResults:
    form: DatasetForm
    scored: dict[str, list[ScoredQuestion]]
    misses: list[MissedQuestion] = field(default_factory=list)
    watch: Stopwatch = field(default_factory=Stopwatch)
    costs: dict[str, list[ScoredQuestion]] = field(default_factory=dict)
    fallbacks: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)

    def average_all(self) -> dict[str, Average]:
        return {mode: average_figures(rows) for mode, rows in self.scored.items()}

    def average_costs(self) -> dict[str, Average]:
        """What a client pays for the evidence, mode by mode."""
        return {mode: average_figures(rows) for mode, rows in self.costs.items()}

    def list_labels(self) -> list[str]:
        rows = next(iter(self.scored.values()))
        return list(dict.fromkeys(label for row in rows for label in row.labels))

    def split(self, label: str) -> dict[str, dict[str, Average]]:
        return {mode: average_by_label(rows, label) for mode, rows in self.scored.items()}

    def as_json(self) -> dict[str, Any]:
        return {
            "form": self.form,
            "overall": {mode: _to_json(figures) for mode, figures in self.average_all().items()},
            "split": {
                label: {
                    mode: {value: _to_json(figures) for value, figures in groups.items()}
                    for mode, groups in self.split(label).items()
                }
                for label in self.list_labels()
            },
            "cost": {mode: _to_json(figures) for mode, figures in self.average_costs().items()},
            "fallbacks": dict(self.fallbacks),
            "refused": self.refused,
        }


def _to_json(figures: Average) -> dict[str, Any]:
    return {"n": figures.count, **{name: round(value, 5) for name, value in figures.figures.items()}}


def evaluate_dataset(dataset: RetrievalDataset, modes: Sequence[str], k: int, say: Say) -> QualityResults:
    """Load one store at a time, ask everything, erase it. Nothing of the data set is left afterwards."""
    measures = choose_measures(dataset.form, k)
    results = QualityResults(dataset.form, {mode: [] for mode in modes})
    with create_benchmark_organization(timezone.now()) as organization:
        for number, store in enumerate(dataset.stores, start=1):
            say(f"{number}/{len(dataset.stores)} {store.key}: {len(store.memories)} memories")
            with load_store(organization, store, ASKED_AT) as content:
                results.refused |= {f"{store.key}/{key}": rule for key, rule in content.refused.items()}
                depth = choose_depth(dataset.form, store, k)
                ask_questions(store, content, modes, depth, measures, results)
    return results


def choose_depth(form: DatasetForm, store: DatasetStore, k: int) -> int:
    if form is DatasetForm.SCENARIOS:
        return min(DEEPEST, len(store.memories))
    # What was learned of exchanges stands beside them.
    return k if form is DatasetForm.CONVERSATIONS else DEEPEST


def choose_measures(form: DatasetForm, k: int) -> dict[str, Measure]:
    if form is DatasetForm.CONVERSATIONS:
        return list_conversation_measures(k)
    return list_scenario_measures() if form is DatasetForm.SCENARIOS else list_first_days_measures()


def parse_mode(mode: str) -> SearchMode:
    """A mode by its name; ``-date`` is the search as configured without the boost of that name."""
    if mode in MODES and mode != PLAIN:
        return MODES[mode]
    # Everything else stays as configured, so the difference is what the one boost is worth.
    left_out = FROM_OUTCOMES if mode == PLAIN else {mode.removeprefix("-")}
    return SearchMode(FOUND, boosts=tuple(path for name, path in list_boosts().items() if name not in left_out))


def list_available_modes() -> list[str]:
    """All modes that this installation has; without a reranker there is nothing to be reranked."""
    return [mode for mode in MODES if mode != RERANKED or reranker() is not None]


def ask_questions(
    store: DatasetStore,
    content: LoadedStore,
    modes: Sequence[str],
    depth: int,
    measures: Mapping[str, Measure],
    results: QualityResults,
) -> None:
    texts = {memory.key: memory.text for memory in store.memories}
    for question in store.questions:
        for mode in modes:
            ranking, is_silent = ask_question(question, content, mode, depth, results)
            judged = JudgedRanking(ranking, question.grades, texts, question.traps, is_silent)
            results.scored[mode].append(score_question(judged, measures, question))
            place = find_first_place(ranking, best_keys(question.grades))
            if question.grades:
                results.costs.setdefault(mode, []).append(score_question(judged, list_cost_measures(), question))
            if place != 1 if question.grades else not is_silent:
                first = texts[ranking[0]] if ranking else ""
                results.misses.append(MissedQuestion(question.key, question.text, question.labels, mode, place, first))


def score_question(judged: JudgedRanking, measures: Mapping[str, Measure], question: DatasetQuestion) -> ScoredQuestion:
    return ScoredQuestion(question.labels, {name: measure(judged) for name, measure in measures.items()})


def ask_question(
    question: DatasetQuestion, content: LoadedStore, mode: str, depth: int, results: QualityResults
) -> tuple[list[str], bool]:
    """The keys of what was found, best first, and whether an assistant would be told none of it."""
    part = parse_mode(mode)
    depth = min(depth, READ_BY_RERANKER) if mode == RERANKED and len(content.keys) <= DEEPEST else depth
    request = SearchRequest(question.text, limit=depth, stages=part.stages, boosts=part.boosts, deadline_s=PATIENCE_S)
    with results.watch.measure(mode):
        found = search(content.user, request, now=ASKED_AT, remember=False)
    results.fallbacks.update(found.debug.fallbacks_used)
    return content.rank_keys([hit.item.pk for hit in found.hits]), found.debug.retrieval_confidence == LOW
