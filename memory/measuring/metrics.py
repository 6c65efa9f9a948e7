"""Measures of a ranking against graded judgements. Pure: keys, grades and texts in, numbers out.

A ranking is a list of keys, best first, without repetition. Grades map the relevant keys to a whole number above zero;
every key that is missing there is irrelevant. "Best" keys are those with the highest grade of the question.
"""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

Grades = Mapping[str, int]
COST_DEPTHS = (3, 5)

# Words and single marks: what a client pays for, near enough, without a model's tokenizer.
_TOKEN = re.compile(r"\w+|[^\w\s]")


def recall_at(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    return len(set(ranking[:k]) & set(relevant)) / len(relevant) if relevant else 0.0


def hit_at(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    return float(bool(set(ranking[:k]) & set(relevant)))


def all_at(ranking: Sequence[str], relevant: Collection[str], k: int) -> float:
    return float(bool(relevant) and set(relevant) <= set(ranking[:k]))


def best_keys(grades: Grades) -> frozenset[str]:
    top = max(grades.values(), default=0)
    return frozenset(key for key, grade in grades.items() if grade == top and grade > 0)


def find_first_place(ranking: Sequence[str], targets: Collection[str]) -> int | None:
    """Return the place, from 1, of the first wanted key; None when there is none."""
    return next((place for place, key in enumerate(ranking, start=1) if key in targets), None)


def reciprocal_rank(ranking: Sequence[str], targets: Collection[str]) -> float:
    place = find_first_place(ranking, targets)
    return 1 / place if place else 0.0


def sum_discounted_gain(grades: Iterable[int]) -> float:
    return float(sum((2**grade - 1) / math.log2(place + 1) for place, grade in enumerate(grades, start=1)))


def ndcg_at(ranking: Sequence[str], grades: Grades, k: int) -> float:
    """Normalised discounted cumulative gain."""
    # The ideal is the question's own grades in order, so a perfect ranking is 1 whatever the number of them.
    ideal = sum_discounted_gain(sorted(grades.values(), reverse=True)[:k])
    return sum_discounted_gain(grades.get(key, 0) for key in ranking[:k]) / ideal if ideal else 0.0


def count_tokens(text: str) -> int:
    return len(_TOKEN.findall(text))


def tokens_at(ranking: Sequence[str], texts: Mapping[str, str], k: int) -> int:
    return sum(count_tokens(texts[key]) for key in ranking[:k])


def tokens_to_hit(ranking: Sequence[str], texts: Mapping[str, str], targets: Collection[str]) -> int:
    """Tokens read down to the first wanted memory; the whole store when it never comes."""
    place = find_first_place(ranking, targets)
    return sum(count_tokens(texts[key]) for key in (ranking[:place] if place else texts))


@dataclass(frozen=True, slots=True)
class JudgedRanking:
    """One question with its ranking and everything that is needed to measure it."""

    ranking: Sequence[str]
    grades: Grades
    texts: Mapping[str, str]
    traps: frozenset[str] = frozenset()
    # Whether the search is too unsure to tell an assistant any of it.
    is_silent: bool = False


Measure = Callable[[JudgedRanking], float]


def _build_measure(function: Callable[[Sequence[str], Collection[str], int], float], k: int) -> Measure:
    return lambda judged: function(judged.ranking, judged.grades.keys(), k)


def list_conversation_measures(k: int) -> dict[str, Measure]:
    """What a conversation with evidence turns is measured by; k is the depth of the ranking that was asked for."""
    recalls: dict[str, Measure] = {
        f"R@{depth}": _build_measure(recall_at, depth) for depth in sorted({1, 5, 10, k}) if depth <= k
    }
    return recalls | {
        f"hit@{k}": _build_measure(hit_at, k),
        f"all@{k}": _build_measure(all_at, k),
        "MRR": lambda judged: reciprocal_rank(judged.ranking, judged.grades),
        f"nDCG@{k}": lambda judged: ndcg_at(judged.ranking, judged.grades, k),
        f"tok@{k}": lambda judged: float(tokens_at(judged.ranking, judged.texts, k)),
    }


def list_personal_measures() -> dict[str, Measure]:
    """What a person's own questions are measured by. Tokens are of all that was found."""
    return {
        "hit@1": _build_measure(hit_at, 1),
        "R@5": _build_measure(recall_at, 5),
        "R@10": _build_measure(recall_at, 10),
        "MRR": lambda judged: reciprocal_rank(judged.ranking, judged.grades),
        "tokens": lambda judged: float(tokens_at(judged.ranking, judged.texts, len(judged.ranking))),
    }


def list_scenario_measures() -> dict[str, Measure]:
    """What a small store with one best answer and named traps is measured by."""
    return {
        "Top-1": lambda judged: float(find_first_place(judged.ranking, best_keys(judged.grades)) == 1),
        "MRR": lambda judged: reciprocal_rank(judged.ranking, best_keys(judged.grades)),
        "nDCG@5": lambda judged: ndcg_at(judged.ranking, judged.grades, 5),
        "trap@1": lambda judged: hit_at(judged.ranking, judged.traps, 1),
        "R@5": _build_measure(recall_at, 5),
        "tok@5": lambda judged: float(tokens_at(judged.ranking, judged.texts, 5)),
        "tok-hit": lambda judged: float(tokens_to_hit(judged.ranking, judged.texts, best_keys(judged.grades))),
    }


def list_first_days_measures() -> dict[str, Measure]:
    """What a small store of many kinds is measured by. Where it holds no answer, silence counts as first."""
    return {
        "Top-1": lambda judged: float(
            find_first_place(judged.ranking, judged.grades) == 1 if judged.grades else judged.is_silent
        ),
        "MRR": lambda judged: (
            reciprocal_rank(judged.ranking, judged.grades) if judged.grades else float(judged.is_silent)
        ),
        "trap@1": lambda judged: hit_at(judged.ranking, judged.traps, 1),
        "silent": lambda judged: float(judged.is_silent),
    }


def list_cost_measures() -> dict[str, Measure]:
    """What a client pays to hold the evidence: in the first three, in the first five, and however far it is."""
    measures: dict[str, Measure] = {}
    for depth in COST_DEPTHS:
        measures[f"held@{depth}"] = build_held_measure(depth)
        measures[f"tok@{depth}"] = build_cost_measure(depth)
    measures["tok-hit"] = lambda judged: float(tokens_to_hit(judged.ranking, judged.texts, best_keys(judged.grades)))
    return measures


def build_held_measure(depth: int) -> Measure:
    return lambda judged: hit_at(judged.ranking, best_keys(judged.grades), depth)


def build_cost_measure(depth: int) -> Measure:
    return lambda judged: float(tokens_at(judged.ranking, judged.texts, depth))


@dataclass(frozen=True, slots=True)
class ScoredQuestion:
    """The figures of one question and the labels by which they are split."""

    labels: Mapping[str, str]
    figures: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Average:
    count: int
    figures: Mapping[str, float]


def average_figures(rows: Sequence[ScoredQuestion]) -> Average:
    if not rows:
        return Average(0, {})
    names = rows[0].figures
    return Average(len(rows), {name: math.fsum(row.figures[name] for row in rows) / len(rows) for name in names})


def average_by_label(rows: Iterable[ScoredQuestion], label: str) -> dict[str, Average]:
    """Group by the value of one label, values in alphabetical order; rows without the label are left out."""
    groups: dict[str, list[ScoredQuestion]] = defaultdict(list)
    for row in rows:
        if label in row.labels:
            groups[row.labels[label]].append(row)
    return {value: average_figures(groups[value]) for value in sorted(groups)}
