"""Judging how a reader's time grows with its text, which a slow or busy machine does not change as a duration does."""

import time
from collections.abc import Callable

# A reader whose time grows with the square takes sixteen times as long as for a quarter, at this length as at any.
LENGTH = 16 * 1024
LITTLE_S = 0.025
"""What is done so soon need not show how it grows: with so little the clock's grain decides."""


def fill(unit: str, length: int, opening: str = "") -> str:
    return (opening + unit * (length // len(unit) + 1))[:length]


def grows_too_fast(read: Callable[[str], object], piece: str, length: int = LENGTH) -> bool:
    """Whether the piece repeated takes over eight times as long as a quarter of it, in the processor's time."""
    whole = measure(read, fill(piece, length))
    if whole <= LITTLE_S:
        return False
    # A reader that remembers its last text would not read the same one twice.
    again = min(whole, measure(read, fill(piece, length - 1)))
    return again > 8 * measure(read, fill(piece, length // 4)) + LITTLE_S


def measure(read: Callable[[str], object], text: str) -> float:
    started = time.process_time()
    read(text)
    return time.process_time() - started
