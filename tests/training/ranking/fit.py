"""Fits the weights of the ranking's signals, and measures each set with the weights that the others give.

    manage.py shell -c "from tests.training.ranking.fit import main; main('FILE', 'FILE')"

takes data sets as `bench quality` reads them; none is part of the project. The product's own search finds the
candidates and its signals value them, so what is fitted is what is served. A listwise model: of all candidates of a
question the relevant ones should be chosen. Signs are fixed by what a signal means, and a ridge draws each weight to
the one it has.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray
from scipy.optimize import minimize

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.evaluation.datasets import DatasetQuestion, read_dataset
from memory.evaluation.loading import LoadedStore, create_benchmark_organization, load_store
from memory.evaluation.quality import ASKED_AT, PATIENCE_S
from memory.measuring.metrics import best_keys, recall_at, reciprocal_rank
from memory.retrieval import late
from memory.retrieval.candidates import RowFilter, read_pool
from memory.retrieval.finding import find_matches
from memory.retrieval.ranking import load_signals
from memory.retrieval.results import SearchDebug, SearchRequest
from memory.retrieval.search import fuse_pool, start_deadline, understand_for_user

Numbers = NDArray[np.float64]

RIDGE = 1e-3
DEPTH = 10


@dataclass(frozen=True, slots=True)
class FittedQuestion:
    """A question's candidates: the relevance and each signal's value of each, and which of them are the best."""

    values: Numbers
    is_best: NDArray[np.bool_]
    keys: Sequence[Sequence[str]]
    asked: DatasetQuestion

    def measure(self, weights: Numbers) -> tuple[float, float]:
        """Recall at ten and the reciprocal rank."""
        order = np.argsort(-(self.values @ weights), kind="stable")
        ranking = [key for place in order for key in self.keys[place]]
        best = best_keys(self.asked.grades)
        return recall_at(ranking, self.asked.grades.keys(), DEPTH), reciprocal_rank(ranking, best)


def name_columns() -> list[str]:
    return ["relevance", *(signal.name for signal in load_signals(memory_conf().ranking.boosts))]


def list_weights() -> Numbers:
    return np.array([1.0, *(signal.weight for signal in load_signals(memory_conf().ranking.boosts))])


def collect_questions(path: Path) -> list[FittedQuestion]:
    with create_benchmark_organization(timezone.now()) as organization:
        found = []
        for store in read_dataset(path).stores:
            with load_store(organization, store, ASKED_AT) as content:
                found += [value_candidates(content, question) for question in store.questions]
        return found


def value_candidates(content: LoadedStore, question: DatasetQuestion) -> FittedQuestion:
    request = SearchRequest(question.text, limit=DEPTH, deadline_s=PATIENCE_S)
    deadline, debug = start_deadline(request), SearchDebug(question.text, [])
    query = understand_for_user(content.user, question.text, ASKED_AT)
    matches = find_matches(content.user, query, request, debug, deadline)
    with user_scope(content.user):
        pool = read_pool(RowFilter(content.user, ASKED_AT), matches.matches, query.words)
        signs = late.read_signs(content.user, pool, matches.encoded, debug, deadline)
    fuse_pool(query, pool)
    if matches.encoded is not None and signs:
        late.compare_tokens(pool, signs, matches.encoded)
    signals = load_signals(memory_conf().ranking.boosts)
    values = np.array([pool.relevance, *(list(signal.value(query, pool)) for signal in signals)], float).T
    keys = [content.keys.get(memory.id, []) for memory in pool.memories]
    best = best_keys(question.grades)
    return FittedQuestion(values, np.array([not best.isdisjoint(held) for held in keys], bool), keys, question)


def fit_weights(sets: Sequence[Sequence[FittedQuestion]]) -> Numbers:
    """Every set counts alike, however many questions it has."""
    given = list_weights()
    known = [
        (one, 1 / len(questions)) for questions in sets for one in questions if one.is_best.any() and len(one.keys) > 1
    ]
    spread = np.concatenate([one.values for one, _ in known]).std(axis=0) + 1e-9

    def lose(scaled: Numbers) -> tuple[float, Numbers]:
        loss = RIDGE * float(((scaled - given * spread) ** 2).sum())
        slope = 2 * RIDGE * (scaled - given * spread)
        for one, share in known:
            values = one.values / spread
            scores = values @ scaled
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            wanted = one.is_best / one.is_best.sum()
            loss -= share * float(wanted @ np.log(chances + 1e-300))
            slope += share * (chances - wanted) @ values
        return loss, slope

    bounds = [(0, None) if weight > 0 else (None, 0) for weight in given]
    fitted = minimize(lose, given * spread, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(fitted.x / spread)


def describe_measure(questions: Sequence[FittedQuestion], weights: Numbers) -> str:
    recall, rank = np.mean([one.measure(weights) for one in questions], axis=0)
    return f"R@{DEPTH} {recall:.3f}, MRR {rank:.3f}"


def main(*files: str) -> None:
    sets = {Path(name).stem: collect_questions(Path(name)) for name in files}
    names = name_columns()
    for left_out, questions in sets.items():
        weights = fit_weights([others for name, others in sets.items() if name != left_out])
        sys.stdout.write(f"{left_out} left out: {describe_measure(questions, weights)}\n")
        for place, name in enumerate(names[1:], start=1):
            without = weights.copy()
            without[place] = 0.0
            if any(one.values[:, place].any() for one in questions):
                sys.stdout.write(f"  without {name}: {describe_measure(questions, without)}\n")
    for name, weight in zip(names, fit_weights(list(sets.values())), strict=True):
        sys.stdout.write(f"{name}: {weight:.2f}\n")
