"""Waiting for what must be true, and judging lateness, on a machine that may be busy with other things."""

import os
import time
from typing import Self

from memory.proving.patience import PATIENCE_S as PATIENCE_S
from memory.proving.patience import eventually as eventually

LEEWAY_S = 0.8
"""What everything but the waiting for somebody late may take on a machine with nothing else to do."""


def slowness() -> float:
    """How many times longer than on an idle machine something may take now: its load for each processor."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


class Stopwatch:
    """``with Stopwatch() as watch: ...`` and then ``watch.seconds``, or whether they are within a budget."""

    def __enter__(self) -> Self:
        self._start = time.monotonic()
        return self

    def __exit__(self, *exc: object) -> None:
        self.seconds = time.monotonic() - self._start

    def is_within(self, budget_s: float) -> bool:
        """The budget is what is waited for somebody late; the rest of the work has a leeway beside it."""
        return self.seconds < budget_s + LEEWAY_S * slowness()
