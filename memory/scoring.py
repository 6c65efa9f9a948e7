"""Outcome arithmetic. Pure: numbers in, numbers out."""

import math
from collections.abc import Sequence

from memory.tiers import Outcome

WILSON_Z = 1.96
"""95 % confidence."""
MOST_LOGIT = 60.0
"""Further out nothing changes but that the exponential overflows."""


def score_after_outcome(score: float, outcome: Outcome, deltas: dict[str, float]) -> float:
    """The score after one outcome, kept within 0..1. An unknown outcome moves nothing."""
    # Rounded so that +0.2 +0.2 reaches exactly 0.9 and promotion thresholds mean what they say.
    return round(min(1.0, max(0.0, score + deltas.get(outcome, 0.0))), 6)


def wilson_lower_bound(worked: int, failed: int, partial: int) -> float:
    """Lower bound of the 95 % Wilson interval of the success rate; a partial success counts half. 0.5 without evidence.

    Formula: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927).
    """
    trials = worked + failed + partial
    if trials == 0:
        return 0.5
    rate = (worked + 0.5 * partial) / trials
    z2 = WILSON_Z * WILSON_Z
    centre = rate + z2 / (2 * trials)
    margin = WILSON_Z * math.sqrt((rate * (1 - rate) + z2 / (4 * trials)) / trials)
    return max(0.0, (centre - margin) / (1 + z2 / trials))


def bank_quality(importance: float, confidence: float) -> float:
    """Quality of a memory bank item, 0..1: importance times confidence."""
    return importance * confidence


def squash_logit(logit: float) -> float:
    """The logistic function, into 0..1 and defined for any finite number."""
    return 1 / (1 + math.exp(-max(-MOST_LOGIT, min(MOST_LOGIT, logit))))


def compute_cosine(distance: float) -> float:
    """Of two unit vectors at this Euclidean distance."""
    return 1 - distance * distance / 2


def similarity(distance: float) -> float:
    """Similarity in (0, 1] of a Euclidean distance between unit vectors."""
    return 1.0 / (1.0 + distance)


def find_percentile(values: Sequence[float], share: float) -> float:
    """Nearest rank: the smallest measured value that at least `share` of all values do not exceed."""
    # No interpolation, so every figure that is printed was measured.
    if not values:
        raise ValueError("a percentile of nothing")
    ordered = sorted(values)
    rank = -(-len(ordered) * round(share * 1000) // 1000)
    return ordered[max(rank, 1) - 1]
