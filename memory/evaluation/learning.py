"""How the first hit gets better while outcomes are recorded: rounds of questions and verdicts, as of a client."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.utils import timezone

from knowledge_graph.tasks import learn_everything
from memory.evaluation.datasets import DatasetQuestion, DatasetStore, RetrievalDataset
from memory.evaluation.loading import ACTOR, LoadedStore, create_benchmark_organization, load_store
from memory.evaluation.quality import ASKED_AT, DEEPEST, HYBRID, PATIENCE_S, SearchMode, parse_mode
from memory.facade import MemoryFacade
from memory.measuring.metrics import (
    Average,
    JudgedRanking,
    ScoredQuestion,
    average_figures,
    best_keys,
    list_scenario_measures,
)
from memory.retrieval.results import SearchRequest, SearchResult
from memory.tiers import Outcome

VECTOR = "vector"
SHOWN = ("Top-1", "MRR", "trap@1")
BETWEEN_ROUNDS = timedelta(hours=1)

Say = Callable[[str], None]


@dataclass(slots=True)
class LearningCurve:
    """The figures of every round, the search that learns beside the vectors alone, which cannot."""

    rounds: int
    scored: dict[str, list[list[ScoredQuestion]]] = field(default_factory=dict)

    def add(self, mode: str, round_: int, scored: ScoredQuestion) -> None:
        self.scored.setdefault(mode, [[] for _ in range(self.rounds + 1)])[round_].append(scored)

    def average_rounds(self) -> dict[str, list[Average]]:
        return {mode: [average_figures(rows) for rows in rounds] for mode, rounds in self.scored.items()}

    def build_table(self) -> dict[str, Average]:
        """One row a round; the modes beside each other."""
        return {
            f"after {number}" if number else "before any": join_modes(
                {mode: rounds[number] for mode, rounds in self.average_rounds().items()}
            )
            for number in range(self.rounds + 1)
        }

    def as_json(self) -> dict[str, Any]:
        return {
            mode: [{"n": one.count, **{name: round(one.figures[name], 5) for name in SHOWN}} for one in rounds]
            for mode, rounds in self.average_rounds().items()
        }


def join_modes(modes: Mapping[str, Average]) -> Average:
    count = max((one.count for one in modes.values()), default=0)
    return Average(count, {f"{mode} {name}": one.figures[name] for mode, one in modes.items() for name in SHOWN})


def select_adversarial(dataset: RetrievalDataset) -> RetrievalDataset:
    """The stores in which plain similarity points to the wrong memory."""
    stores = tuple(
        store for store in dataset.stores if all(one.labels.get("kind") != "control" for one in store.questions)
    )
    return RetrievalDataset(dataset.name, dataset.form, stores)


def measure_rounds(dataset: RetrievalDataset, rounds: int, say: Say) -> LearningCurve:
    """Ask, record whether the first hit was the right one, ask again. Nothing of the data set is left afterwards."""
    curve = LearningCurve(rounds)
    with create_benchmark_organization(timezone.now()) as organization:
        for number, store in enumerate(dataset.stores, start=1):
            say(f"{number}/{len(dataset.stores)} {store.key}")
            with load_store(organization, store, ASKED_AT) as content:
                for question in store.questions:
                    ask_and_record(content, store, question, curve)
    return curve


def ask_and_record(content: LoadedStore, store: DatasetStore, question: DatasetQuestion, curve: LearningCurve) -> None:
    texts = {memory.key: memory.text for memory in store.memories}
    facade = MemoryFacade(ACTOR)
    for round_ in range(curve.rounds + 1):
        now = ASKED_AT + round_ * BETWEEN_ROUNDS
        for mode in (VECTOR, HYBRID):
            request = search_once(question, parse_mode(mode), min(DEEPEST, len(store.memories)))
            found = facade.search(content.user, request, now=now, remember=mode == HYBRID)
            ranking = content.rank_keys([hit.item.pk for hit in found.hits])
            judged = JudgedRanking(ranking, question.grades, texts, question.traps)
            figures = {name: measure(judged) for name, measure in list_scenario_measures().items() if name in SHOWN}
            curve.add(mode, round_, ScoredQuestion(question.labels, figures))
            if mode == HYBRID:
                record_verdict(facade, content, question, found)
        learn_everything(content.user, now=now)


def search_once(question: DatasetQuestion, part: SearchMode, depth: int) -> SearchRequest:
    return SearchRequest(question.text, limit=depth, stages=part.stages, boosts=part.boosts, deadline_s=PATIENCE_S)


def record_verdict(facade: MemoryFacade, content: LoadedStore, question: DatasetQuestion, found: SearchResult) -> None:
    """Record the outcome of the first hit, by turn and position, as a client names it."""
    if not found.hits:
        return
    was_right = not best_keys(question.grades).isdisjoint(content.keys.get(found.hits[0].item.pk, ()))
    outcome = Outcome.WORKED if was_right else Outcome.FAILED
    facade.record_outcome(content.user, outcome, now=timezone.now(), turn_id=found.turn_id, related=[1])
