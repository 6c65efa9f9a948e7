"""Curves through a few sizes: a power of the size by least squares, and what it says of larger ones."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

FEWEST = 2


@dataclass(frozen=True, slots=True)
class PowerCurve:
    """``factor * size ** exponent``, of so many measured points."""

    factor: float
    exponent: float
    points: int

    def at(self, size: float) -> float:
        return float(self.factor * size**self.exponent)


def fit_curve(figures: Mapping[int, float]) -> PowerCurve | None:
    """Least squares of the logarithms; None of fewer than two points, or where a figure is not above nought."""
    if len(figures) < FEWEST or any(figure <= 0 for figure in figures.values()):
        return None
    exponent, logarithm = np.polyfit(np.log([*figures]), np.log([*figures.values()]), 1)
    return PowerCurve(float(np.exp(logarithm)), float(exponent), len(figures))
