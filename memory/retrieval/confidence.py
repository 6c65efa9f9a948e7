"""How likely it is that anything found is about the question at all: what silence is decided by.

Logistic regression over a few signs of how well the words and the meaning of the question are met. Its weights were
learned from questions asked of their own and of a stranger's memory (`tests/training/confidence`). Pure: no framework.
"""

import heapq
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from memory.language import build_query_groups
from memory.retrieval.emphasis import is_read_by
from memory.retrieval.pool import CandidateMemory, Pool
from memory.retrieval.query import ALL, Query
from memory.retrieval.ranking import RankedCandidate
from memory.scoring import compute_cosine, squash_logit

LOW, MEDIUM, HIGH = "low", "medium", "high"
WEIGHTS: Final = Path(__file__).parent / "confidence.json"
# What the signs are called in the weights; None of a sign that could not be told counts as its mean.
SIGNS: Final = (
    *("near", "nearer", "covered", "held", "names missed", "words missed", "stands out", "asked fact", "foreign"),
)
Signs = Mapping[str, float | None]
# The reason under which a memory was lifted for telling the very fact that is asked for.
ASKED: Final = "asked_fact"
# And for holding a name of the question in another spelling.
SPELLING: Final = "spelling"
# Of the nearest: what is behind the first few tells how near anything is to such a question.
FIRST_FEW, BEHIND = 3, 40
ENGLISH: Final = ("en",)
# Of a long message the rarest words tell what it is about; nobody's memory holds all of them.
TELLING_WORDS: Final = 8
MOST_NAMES_MISSED, MOST_WORDS_MISSED, MOST_OUTSTANDING = 2, 3, 4.0
SEVERAL, AFTER_FIRST = 3, slice(1, 6)
# So many memories without the word are taken to exist beside: in a store of three one missing word says little.
UNSEEN = 20
# With so many candidates half the threshold holds, of which the model's steepness is taken.
FEW: Final = 40
# Of the threshold, in stores of up to fifteen. With 20 and a third .88 and .75 of two strangers' own questions of the
# first days were answered, with these .98 and .83; of foreign ones .78 and .79 were met with silence, now .65 and .64;
# of questions that nothing answers .92 and now .75 by the author of the rules, .1 by the strangers.
LEAST_SHARE: Final = 0.28
# Of the ranked, among which the one is looked for that holds most of the question's words.
BEST: Final = 12


@dataclass(frozen=True, slots=True)
class SignScale:
    """A sign's mean and spread among the examples, and the weight of one spread."""

    mean: float
    spread: float
    weight: float


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """Below ``low`` nothing is handed over unasked; from ``high`` on what was found is about the question."""

    bias: float
    scales: Mapping[str, SignScale]
    low: float
    high: float
    # How fast the threshold sinks with the size of a small store.
    steepness: float = 1.0

    def estimate(self, signs: Signs) -> float:
        logit = self.bias
        for name, scale in self.scales.items():
            value = signs[name]
            logit += 0.0 if value is None else scale.weight * (value - scale.mean) / scale.spread
        return squash_logit(logit)

    def grade(self, confidence: float, share: float = 1.0) -> str:
        """``share`` of the threshold holds, see `choose_share`."""
        return LOW if confidence < self.low * share**self.steepness else HIGH if confidence >= self.high else MEDIUM


@cache
def load_models() -> dict[str, ConfidenceModel]:
    """By the name of the embedding model."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return {name: build_model(weights) for name, weights in stored.items()}


def build_model(weights: Mapping[str, Any]) -> ConfidenceModel:
    scales = {name: SignScale(*scale) for name, scale in weights["signs"].items()}
    return ConfidenceModel(weights["bias"], scales, weights["low"], weights["high"], weights.get("steepness", 1.0))


def choose_model(embedding_model: str) -> ConfidenceModel:
    """Of a model that was not learned from, nearness is on a scale nobody knows: its words alone are believed."""
    models = load_models()
    return models.get(embedding_model) or models["words"]


def estimate_confidence(
    query: Query,
    pool: Pool,
    ranked: Sequence[RankedCandidate],
    embedding_model: str,
    parts: Sequence[str] = (),
) -> tuple[str, float]:
    """The grade, and the probability that it was made of.

    ``parts`` are the messages that the question was put together of: what meets one of them well is about the matter.
    """
    if not ranked:
        return LOW, 0.0
    model = choose_model(embedding_model)
    everything = range(len(pool.words))
    confidence = max(
        model.estimate(read_signs(query, pool, ranked, places))
        for places in (everything, *(find_places(part, pool) for part in parts))
        if places is everything or places
    )
    grade = model.grade(confidence, choose_share(pool))
    return (MEDIUM, confidence) if grade == LOW and is_about_anything(query) else (grade, confidence)


def choose_share(pool: Pool) -> float:
    """Among few memories what answers stands out less, and silence saves little."""
    return max(LEAST_SHARE, len(pool) / (len(pool) + FEW))


def is_about_anything(query: Query) -> bool:
    """Whether whatever is known answers it: "who am I?", "what do you know about me?", "what was it last time?"."""
    if query.is_about_identity or (query.is_about_me and query.limit == ALL):
        return True
    return not query.words and (query.has_date or query.wants_latest)


def find_places(part: str, pool: Pool) -> list[int]:
    """Which words of the question are of this part of it."""
    groups = set(build_query_groups(part))
    return [place for place, forms in enumerate(pool.words) if forms in groups]


def read_signs(
    query: Query, pool: Pool, ranked: Sequence[RankedCandidate], places: Sequence[int] | None = None
) -> Signs:
    """``places`` are of the words that count; None for all."""
    cosines = sorted((compute_cosine(one.distance) for one in pool if one.distance is not None), reverse=True)
    scores = sorted((one.text_score for one in pool if one.text_score is not None), reverse=True)
    counts = count_holders(pool.memories, len(pool.words))
    held = {place: counts[place] for place in (range(len(counts)) if places is None else places)}
    missed = sum(not count for count in held.values())
    is_spelt = any(SPELLING in one.boosts for one in ranked)
    return {
        "near": cosines[0] if cosines else None,
        "nearer": measure_lead(cosines) if cosines else None,
        "covered": measure_coverage(choose_best(ranked), held, len(pool)) if held else None,
        "held": measure_share(pool.memories, list(held)) if held else None,
        "names missed": float(min(MOST_NAMES_MISSED, 0 if is_spelt else count_missed_names(query, pool, held))),
        "words missed": min(MOST_WORDS_MISSED, missed * min(1.0, TELLING_WORDS / max(1, len(held)))),
        "stands out": min(MOST_OUTSTANDING, scores[0] - mean(scores[AFTER_FIRST])) if len(scores) >= SEVERAL else 0.0,
        "asked fact": float(any(ASKED in one.boosts for one in ranked)),
        # What answers is nearer in the other languages, and so is what does not: without this and ``held``, of others'
        # questions in French and Hebrew .40 are met with silence, with them .62.
        "foreign": float(not is_read_by(ENGLISH, query.text)),
    }


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def measure_lead(cosines: Sequence[float]) -> float:
    """How much nearer the first is than what is behind; of few, than all."""
    behind = cosines[FIRST_FEW:BEHIND] if len(cosines) > FIRST_FEW + 2 else cosines
    return cosines[0] - mean(behind)


def count_holders(memories: Sequence[CandidateMemory], words: int) -> list[int]:
    counts = [0] * words
    for memory in memories:
        for place, holds in enumerate(memory.holds):
            counts[place] += holds
    return counts


def choose_best(ranked: Sequence[RankedCandidate]) -> list[CandidateMemory]:
    return [one.candidate.memory for one in heapq.nlargest(BEST, ranked, key=lambda one: one.total)]


def measure_coverage(memories: Sequence[CandidateMemory], held: Mapping[int, int], size: int) -> float:
    """How much of the weight of the question's words the memory holds that holds most; rare words weigh more."""
    weights = {place: math.log(1 + (size + UNSEEN - count + 0.5) / (count + 0.5)) for place, count in held.items()}
    whole = math.fsum(sorted(weights.values(), reverse=True)[:TELLING_WORDS])
    # One that was added for what it tells was not looked through and holds no word.
    sums = [
        math.fsum(weight for place, weight in weights.items() if memory.holds and memory.holds[place])
        for memory in memories
    ]
    return min(1.0, max(sums, default=0.0) / whole) if whole else 0.0


def measure_share(memories: Sequence[CandidateMemory], places: Sequence[int]) -> float:
    """The largest share of these words that one memory holds, rare or not."""
    return max((sum(memory.holds[place] for place in places) for memory in memories if memory.holds), default=0) / len(
        places
    )


def count_missed_names(query: Query, pool: Pool, held: Mapping[int, int]) -> int:
    """The names of the question that nothing found so much as mentions."""
    missed = 0
    for name in query.names:
        places = [place for place in held if any(form.split(":")[-1] == name for form in pool.words[place])]
        missed += bool(places) and not any(held[place] for place in places)
    return missed
