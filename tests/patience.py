"""Waiting for what must be true, and judging lateness, on a machine that may be busy with other things."""

import os
import time
from collections.abc import Callable
from typing import Self

PATIENCE_S = 120.0
"""How long a condition may take to come true: long, since a test that passes never waits for the end of it."""
LEEWAY_S = 0.8
"""What everything but the waiting for somebody late may take on a machine with nothing else to do."""


def slowness() -> float:
    """How many times longer than on an idle machine something may take now: its load for each processor."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def eventually(claim: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Whether the claim comes true in time."""
    end = time.monotonic() + within_s
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


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
