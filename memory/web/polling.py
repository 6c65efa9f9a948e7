"""Waits for what a worker does, for calls that ask to."""

import time
from collections.abc import Callable
from typing import TypeVar

from memory.platform.deadline import Deadline
from memory.platform.slots import leave_slot

T = TypeVar("T")

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.02, 0.25


def poll_until(read: Callable[[], T], is_done: Callable[[T], bool], within_s: float) -> T:
    """What ``read`` gives once it is done, or when the time is over. Waits outside any transaction."""
    deadline, pause = Deadline(within_s), FIRST_PAUSE_S
    value = read()
    while not is_done(value) and not deadline.is_expired:
        # Others work meanwhile, on its connection and in its slot; what is read from now on is little.
        leave_slot()
        time.sleep(min(pause, deadline.remaining()))
        pause = min(pause * 1.5, LONGEST_PAUSE_S)
        value = read()
    return value
