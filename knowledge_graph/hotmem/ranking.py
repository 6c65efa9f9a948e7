"""Ranks what a turn is about: the score, its parts, and how many of them are said. Pure."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from knowledge_graph.hotmem.edges import HotEdge
from knowledge_graph.hotmem.gating import FAVORITE, GatedEdge
from memory.claims.claim import SPEAKER

# As the source design has them, per cent.
PRIORITIES: Final = {
    "lives_in": 100, "works_at": 95, "works_as": 93,
    "born_in": 90, "moved_from": 85, "participated_in": 80,
    "married_to": 79, "friend_of": 78, "name": 75, "time": 72, "age": 70, "allergic_to": 90, "likes": 65,
    "dislikes": 65,
    "went_to": 62, "owns": 61, "has": 60, "is": 55, "duration": 50, "quantity": 45,
}  # fmt: skip
FAVORITE_PRIORITY: Final = 70
# Names of people and animals, and whatever else is told by a noun of its own.
OTHER_PRIORITY: Final = 76
SECONDS_A_DAY: Final = 86_400.0
SAME_THREAD: Final = 1.2
# Two of a relation where the second is as good as this.
GOOD: Final = 0.6


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """How much each part of a score counts: the priority of a relation, the age, shared words, the confidence."""

    priority: float
    recency: float
    words: float
    confidence: float


@dataclass(frozen=True, slots=True)
class RankedEdge:
    """``as_sentence``: its sentence is what is said of it. ``is_near``: by the meaning of that alone."""

    edge: HotEdge
    score: float
    overlap: float
    as_sentence: bool = False
    is_near: bool = False


def rank_edges(
    gated: Iterable[GatedEdge], weights: ScoreWeights, *, now: datetime, recency_days: float, thread_id: str = ""
) -> list[RankedEdge]:
    """Best first; of equals what was said last."""
    ranked = [
        RankedEdge(one.edge, score_edge(one, weights, now, recency_days, thread_id), one.overlap) for one in gated
    ]
    return sorted(ranked, key=lambda one: (-one.score, -one.edge.said_at.timestamp(), str(one.edge.fact_id)))


def score_edge(one: GatedEdge, weights: ScoreWeights, now: datetime, recency_days: float, thread_id: str) -> float:
    edge = one.edge
    recency = measure_recency(edge.said_at, now, recency_days)
    if thread_id and edge.thread_id == thread_id:
        recency = min(1.0, recency * SAME_THREAD)
    return (
        weights.priority * find_priority(edge.relation)
        + weights.recency * recency
        + weights.words * one.overlap
        + weights.confidence * edge.confidence
    )


def find_priority(relation: str) -> float:
    if relation.startswith(FAVORITE):
        return FAVORITE_PRIORITY / 100
    return PRIORITIES.get(relation, OTHER_PRIORITY) / 100


def measure_recency(said_at: datetime, now: datetime, days: float) -> float:
    """Falls from 1 for what was just said to 1/e after ``days``."""
    age = max(0.0, (now - said_at).total_seconds() / SECONDS_A_DAY)
    return math.exp(-age / days)


def choose_edges(
    ranked: Sequence[RankedEdge], *, threshold: float, most: int, resting: Collection[object] = ()
) -> list[RankedEdge]:
    """What is said: not what was said a moment ago (``resting``), one of a relation, two where both are good.

    Of other subjects than the person one relation may stand for each.
    """
    chosen: list[RankedEdge] = []
    used: Counter[tuple[str, str]] = Counter()
    for one in ranked:
        if one.score < threshold or one.edge.fact_id in resting:
            continue
        slot = (one.edge.subject_key if one.edge.subject_key != SPEAKER else "", one.edge.relation)
        if used[slot] and (used[slot] > 1 or one.score < GOOD):
            continue
        used[slot] += 1
        chosen.append(one)
        if len(chosen) == most:
            break
    return chosen
