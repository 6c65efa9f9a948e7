"""The final score: relevance plus named signals, squashed into 0..1. Pure except for logging.

Memories are ordered by the sum. Each signal's share is rounded as it is shown, and the sum is taken over the rounded
shares, so that an explanation adds up exactly to the score.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from uuid import UUID

import structlog
from django.utils.module_loading import import_string

from memory.retrieval.pool import SHRINKAGE, Candidate, Pool
from memory.retrieval.query import Query
from memory.scoring import compute_cosine, squash_logit

logger = structlog.get_logger(__name__)

# To which each share is rounded before they are summed: whoever recomputes a score from its explanation finds it
# exactly.
DIGITS = 6
# Of the sum, before it is squashed. Sums lie between about -10 and 20; divided by this they keep apart after squashing.
SOFTNESS = 5.0
# Of a share, from which on something speaks against a memory.
AGAINST = -0.5
# Of nearness behind the nearest that nothing speaks against: up to the one a memory may well be what is asked about,
# from the other on it hardly is. With .15 and .3 the first days gain .03 more and `scenarios-v1` loses 2 of 114,
# whose answers share nothing with the question.
BEHIND, FAR_BEHIND = 0.25, 0.5


@dataclass(frozen=True, slots=True)
class RankingSignal:
    """One reason to rank a memory higher or lower. ``value`` gives a number for each candidate of the pool."""

    name: str
    weight: float
    value: Callable[[Query, Pool], Sequence[float]]
    # Whether it says of a memory only what kind it is, so that it may lift none that is far behind another.
    is_of_kind: bool = False


@dataclass(slots=True)
class RankedCandidate:
    """A candidate with its sum, the share of each signal that said anything of it, and the cross-encoder's score."""

    candidate: Candidate
    total: float
    final: float
    boosts: dict[str, float] = field(default_factory=dict)
    ce: float | None = None
    # The facts that it tells, as far as they were read.
    facts: frozenset[UUID] = frozenset()


@cache
def load_signals(paths: tuple[str, ...]) -> tuple[RankingSignal, ...]:
    """The signals a setting names by dotted path, in its order."""
    return tuple(import_string(path) for path in paths)


def rank_pool(query: Query, pool: Pool, reasons: Sequence[RankingSignal]) -> list[RankedCandidate]:
    """Every candidate with its final score, in the pool's order. A signal that fails is left out and logged."""
    ranked = [RankedCandidate(candidate, 0.0, 0.0) for candidate in pool]
    kinds = []
    for signal in reasons:
        found = compute_values(signal, query, pool)
        if not any(found):
            continue
        if signal.is_of_kind:
            kinds.append((signal, found))
        else:
            add_shares(signal, found, ranked)
    if kinds:
        fitting = measure_fitting(pool, ranked)
        for signal, found in kinds:
            lifted = [
                value * fit if signal.weight * value > 0 else value for value, fit in zip(found, fitting, strict=True)
            ]
            add_shares(signal, lifted, ranked)
    for one in ranked:
        one.total = round(round(one.candidate.relevance, DIGITS) + math.fsum(one.boosts.values()), DIGITS)
        one.final = squash_score(one.total)
    return ranked


def add_shares(signal: RankingSignal, found: Sequence[float], ranked: Sequence[RankedCandidate]) -> None:
    for one, value in zip(ranked, found, strict=True):
        if value and (share := round(signal.weight * value, DIGITS)):
            one.boosts[signal.name] = share


def measure_fitting(pool: Pool, ranked: Sequence[RankedCandidate]) -> list[float]:
    """How far each may be what is asked about, 0..1: less, the farther behind the nearest that nothing speaks against.

    In a store of ten memories relevance, a shrunk standard score, hardly tells the one on the topic from the others.
    Among many it does, and nearness counts little here.
    """
    nearness = [None if one.distance is None else compute_cosine(one.distance) for one in pool]
    least = min((near for near in nearness if near is not None), default=0.0)
    cosines = [least if near is None else near for near in nearness]
    unopposed = [
        near for near, one in zip(cosines, ranked, strict=True) if all(share > AGAINST for share in one.boosts.values())
    ]
    best = max(unopposed, default=max(cosines, default=0.0))
    weight = min(1.0, 2 * SHRINKAGE / (SHRINKAGE + len(pool)))
    behind = [min(1.0, max(0.0, (best - near - BEHIND) / (FAR_BEHIND - BEHIND))) for near in cosines]
    return [1 - weight * far for far in behind]


def compute_values(signal: RankingSignal, query: Query, pool: Pool) -> Sequence[float]:
    try:
        found = signal.value(query, pool)
        # Most say nothing of most questions, and `any` is sooner through with them.
        if len(found) == len(pool) and (not any(found) or all(map(math.isfinite, found))):
            return found
        reason = "gave numbers that cannot be used"
    except Exception as error:  # noqa: BLE001 - a reason to rank may never cost the answer
        reason = repr(error)
    logger.warning("ranking signal skipped", signal=signal.name, reason=reason)
    return [0.0] * len(pool)


def squash_score(total: float) -> float:
    """Into 0..1, keeping the order."""
    return round(squash_logit(total / SOFTNESS), 9)
