"""Whether the worker of this process has been told to stop, for work that takes longer than anybody waits for it.

A worker that stops lets each of its processes finish what it has begun, and tells them nothing.
"""

import mmap
from typing import Any

from celery.signals import worker_shutting_down

# Of memory that a worker shares with the processes it forks, before and after.
_told = mmap.mmap(-1, 1)


@worker_shutting_down.connect
def note_stop(**kwargs: Any) -> None:
    _told[0] = 1


def is_stopping() -> bool:
    """Between two batches: whether to leave the rest to whoever comes after."""
    return _told[0] == 1
