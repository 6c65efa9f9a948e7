"""How sure a mean is, by bootstrap: the questions are drawn again with replacement, as if others had been asked.

Pure. Both settings are asked the same questions, so of a difference the pairs are drawn together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np

DRAWS: Final = 2_000
SHARE: Final = 0.95
# Numbers drawn at once, 32 MB: an organisation may have 100,000 questions, of which 2,000 draws are 1.6 GB.
DRAWN_AT_ONCE: Final = 4_000_000
# The same figures give the same interval.
SEED: Final = 20_260_301
# Below, an interval says more of who happened to be asked than of the settings.
FEWEST: Final = 20
# Of these less is better.
COSTS: Final = frozenset({"tokens"})


class DifferenceVerdict(StrEnum):
    """``NOISE``: the interval of the difference holds zero. ``SAME``: no question differs."""

    BETTER = "better"
    WORSE = "worse"
    NOISE = "noise"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, and where it would lie in 95 of 100 draws."""

    mean: float
    low: float
    high: float

    def as_json(self) -> list[float]:
        return [round(value, 5) for value in (self.mean, self.low, self.high)]


def estimate_interval(values: Sequence[float]) -> Interval:
    drawn = np.asarray(values, float)
    if not drawn.size:
        return Interval(0.0, 0.0, 0.0)
    rng = np.random.default_rng(SEED)
    step = max(1, DRAWN_AT_ONCE // drawn.size)
    sizes = [(min(step, DRAWS - start), drawn.size) for start in range(0, DRAWS, step)]
    means = np.concatenate([drawn[rng.integers(drawn.size, size=size)].mean(axis=1) for size in sizes])
    low, high = np.quantile(means, [(1 - SHARE) / 2, (1 + SHARE) / 2])
    return Interval(float(drawn.mean()), float(low), float(high))


def judge_difference(name: str, differences: Sequence[float]) -> DifferenceVerdict:
    if not any(differences):
        return DifferenceVerdict.SAME
    interval = estimate_interval(differences)
    if interval.low <= 0 <= interval.high:
        return DifferenceVerdict.NOISE
    is_more = interval.mean > 0
    return DifferenceVerdict.BETTER if is_more != (name in COSTS) else DifferenceVerdict.WORSE


def compare_measure(name: str, before: Sequence[float], after: Sequence[float]) -> dict[str, Any]:
    """Both means and their paired difference, each with its interval, and what to make of it."""
    differences = [later - earlier for earlier, later in zip(before, after, strict=True)]
    return {
        "a": estimate_interval(before).as_json(),
        "b": estimate_interval(after).as_json(),
        "difference": estimate_interval(differences).as_json(),
        "verdict": judge_difference(name, differences).value,
        "better": sum(value > 0 for value in differences),
        "worse": sum(value < 0 for value in differences),
    }
