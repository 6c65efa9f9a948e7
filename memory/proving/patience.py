"""Waiting for what must come true, on a machine that may be busy with other things."""

import time
from collections.abc import Callable
from typing import Final

PATIENCE_S: Final = 120.0
"""How long a condition may take to come true: long, since what comes true never waits for the end of it."""
SHORTEST_PAUSE_S: Final = 0.02
LONGEST_PAUSE_S: Final = 0.25


def eventually(claim: Callable[[], object], within_s: float = PATIENCE_S) -> bool:
    """Whether the claim comes true in time.

    Asked less often the longer it takes: who asks a server over HTTP fifty times a second takes a third of a processor
    from what is waited for.
    """
    begun = time.monotonic()
    while not claim():
        waited = time.monotonic() - begun
        if waited > within_s:
            return False
        time.sleep(min(max(SHORTEST_PAUSE_S, waited / 20), LONGEST_PAUSE_S))
    return True
