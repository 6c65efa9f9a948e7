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

from memory.retrieval.pool import Candidate, Pool
from memory.retrieval.query import Query
from memory.scoring import squash_logit

logger = structlog.get_logger(__name__)

# To which each share is rounded before they are summed: whoever recomputes a score from its explanation finds it
# exactly.
DIGITS = 6
# Of the sum, before it is squashed. Sums lie between about -10 and 20; divided by this they keep apart after squashing.
SOFTNESS = 5.0


@dataclass(frozen=True, slots=True)
class RankingSignal:
    """One reason to rank a memory higher or lower. ``value`` gives a number for each candidate of the pool."""

    name: str
    weight: float
    value: Callable[[Query, Pool], Sequence[float]]


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
    for signal in reasons:
        found = compute_values(signal, query, pool)
        if not any(found):
            continue
        for one, value in zip(ranked, found, strict=True):
            if value and (share := round(signal.weight * value, DIGITS)):
                one.boosts[signal.name] = share
    for one in ranked:
        one.total = round(round(one.candidate.relevance, DIGITS) + math.fsum(one.boosts.values()), DIGITS)
        one.final = squash_score(one.total)
    return ranked


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
