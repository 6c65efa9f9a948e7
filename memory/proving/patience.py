"""Waiting for what must come true, on a machine that may be busy with other things."""

import time
from collections.abc import Callable
from typing import Final

PATIENCE_S: Final = 120.0
"""How long a condition may take to come true: long, since what comes true never waits for the end of it."""


def eventually(claim: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Whether the claim comes true in time."""
    end = time.monotonic() + within_s
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
