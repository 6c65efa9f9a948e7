"""The final score: relevance plus named signals, squashed into 0..1. Pure except for logging.

Memories are ordered by the sum. Each signal's share is rounded as it is shown, and the sum is taken over the rounded
shares, so that an explanation adds up exactly to the score.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from uuid import UUID

import numpy as np
import structlog
from django.utils.module_loading import import_string

from memory.retrieval.leeway import Leeway, Standings
from memory.retrieval.pool import Candidate, Pool
from memory.retrieval.query import Query
from memory.scoring import squash_logit

logger = structlog.get_logger(__name__)

# To which each share is rounded before they are summed: whoever recomputes a score from its explanation finds it
# exactly.
DIGITS = 6
# Of the sum, before it is squashed. Sums lie between about -10 and 20; divided by this they keep apart after squashing.
SOFTNESS = 5.0
# Of a share, from which on something speaks against a memory.
AGAINST = -0.5


@dataclass(frozen=True, slots=True)
class RankingSignal:
    """One reason to rank a memory higher or lower. ``value`` gives a number for each candidate of the pool."""

    name: str
    weight: float
    value: Callable[[Query, Pool], Sequence[float]]
    # Of what says only of which kind a memory is: how far behind another it may lift one past it.
    leeway: Leeway | None = None


@dataclass(slots=True)
class RankedCandidate:
    """A candidate with its sum, the share of each signal that said anything of it, and the cross-encoder's score."""

    candidate: Candidate
    total: float
    final: float
    boosts: dict[str, float] = field(default_factory=dict)
    ce: float | None = None
    # A language model's, where one rates candidates.
    rating: float | None = None
    # The facts that it tells, as far as they were read.
    facts: frozenset[UUID] = frozenset()


@cache
def load_signals(paths: tuple[str, ...]) -> tuple[RankingSignal, ...]:
    """The signals a setting names by dotted path, in its order."""
    return tuple(import_string(path) for path in paths)


def rank_pool(query: Query, pool: Pool, reasons: Sequence[RankingSignal]) -> list[RankedCandidate]:
    """Every candidate with its final score, in the pool's order. A signal that fails is left out and logged."""
    ranked = [RankedCandidate(candidate, 0.0, 0.0) for candidate in pool]
    limited = []
    for signal in reasons:
        found = compute_values(signal, query, pool)
        if not any(found):
            continue
        shares = [signal.weight * value for value in found]
        if signal.leeway is None:
            add_shares(signal, shares, ranked)
        else:
            limited.append((signal, signal.leeway, shares))
    if limited:
        # By all evidence: what something speaks against holds nobody back.
        standings = measure_standings(ranked)
        for signal, leeway, shares in limited:
            add_shares(signal, standings.limit(shares, leeway), ranked)
    for one in ranked:
        one.total = round(round(one.candidate.relevance, DIGITS) + math.fsum(one.boosts.values()), DIGITS)
        one.final = squash_score(one.total)
    return ranked


def add_shares(signal: RankingSignal, shares: Sequence[float], ranked: Sequence[RankedCandidate]) -> None:
    for one, share in zip(ranked, shares, strict=True):
        if share and (rounded := round(share, DIGITS)):
            one.boosts[signal.name] = rounded


def measure_standings(ranked: Sequence[RankedCandidate]) -> Standings:
    """How near each is to the question, and whether no reason so far speaks against it."""
    known = [one.candidate.nearness for one in ranked]
    least = min((near for near in known if near is not None), default=0.0)
    unopposed = [all(share > AGAINST for share in one.boosts.values()) for one in ranked]
    return Standings(np.array([least if near is None else near for near in known]), np.array(unopposed, bool))


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


def move(one: RankedCandidate, total: float, reason: str) -> None:
    """Give it another sum, by a share under the reason's name."""
    share = round(total - one.total, DIGITS)
    if not share:
        return
    one.boosts[reason] = round(one.boosts.get(reason, 0.0) + share, DIGITS)
    one.total = round(one.total + share, DIGITS)
    one.final = squash_score(one.total)
