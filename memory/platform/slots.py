"""How many requests of a web process work at once, apart from how many only wait for another service.

A process has more threads than slots. A request takes a slot before it works, and one that waits long for somebody else
(an answer that streams from a language model) gives it back first, with its database connection.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

Application = Callable[..., Any]


class WorkSlots:
    """The slots of one process. A thread has at most one of them."""

    def __init__(self, count: int) -> None:
        self._free = threading.BoundedSemaphore(count)
        self._thread = threading.local()

    @contextmanager
    def take(self) -> Iterator[None]:
        """Work in a slot; waits for one. A thread that has one keeps it, and whoever took it gives it back."""
        if self._has_one():
            yield
            return
        self._free.acquire()
        self._thread.has_one = True
        try:
            yield
        finally:
            self.leave()

    def leave(self) -> None:
        """Give the slot back before the block that took it ends. Does nothing where there is none."""
        if self._has_one():
            self._thread.has_one = False
            self._free.release()

    def _has_one(self) -> bool:
        return getattr(self._thread, "has_one", False)


class SlottedApplication:
    """A WSGI application whose calls each work in a slot.

    The body of the answer is read by the server afterwards, without one: a stream or a file that is sent to a slow
    client keeps a thread and nothing else.
    """

    def __init__(self, application: Application, count: int) -> None:
        self._application = application
        _slots.append(WorkSlots(count))

    def __call__(self, *call: Any) -> Any:  # noqa: ANN401 -- whatever the application returns
        with work_in_slot():
            return self._application(*call)


# Of this process, once its application is made; a command or a test has none, and works without.
_slots: list[WorkSlots] = []


@contextmanager
def work_in_slot() -> Iterator[None]:
    """For work that goes on after `leave_slot`, such as what the end of a stream writes down."""
    if not _slots:
        yield
        return
    with _slots[-1].take():
        yield


def leave_slot() -> None:
    """Give the slot and the database connection of this thread to others, before a long wait.

    A connection in a transaction stays, as only whoever opened it can end it.
    """
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()
    if _slots:
        _slots[-1].leave()
