"""How many requests of a web process work at once, apart from how many only wait for another service.

A process has more threads than slots. A request takes a slot before it works, and one that waits long for somebody else
(an answer that streams from a language model) gives it back first, with its database connection. When more arrive than
can be served, those that find no slot in time are refused at once: otherwise all of them would be answered too late.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from django.db import connections

from memory.platform import metrics

Application = Callable[..., Any]

# Together with the work itself less than the 2 s after which a search skips its stages: the usual slots are few, so
# that a request that has one is done soon. Two cores that serve 15 requests a second answered 40 of 193 within 2 s with
# 32 slots a process and half a second of patience, and 130 of 192 with 8 and this.
PATIENCE_S: Final = 1.0
# A burst is no flood: who finds nobody waiting since long may wait until the queue has stood for this long. Of fifty
# searches at once, right after a start on two slow cores, 16 were answered without it and 42 with it; of a flood of
# three times the capacity as many in time as before (140 of 184 that could be served; with 2 s 126 of 163).
BURST_S: Final = 4.0
# What load balancers ask has to be answered most of all while there is too much to do; it is cheap.
ALWAYS_ADMITTED: Final = frozenset({"/api/health"})


class NoSlotFree(Exception):
    """More requests arrive than this process can serve."""


class WorkSlots:
    """The slots of one process. A thread has at most one of them."""

    def __init__(self, count: int, room: int) -> None:
        """``room`` is how many may wait."""
        self._free = threading.BoundedSemaphore(count)
        self._room = room
        self._lock = threading.Lock()
        self._waiting = 0
        self._waited_since = 0.0
        self._thread = threading.local()

    @contextmanager
    def take(self) -> Iterator[None]:
        """Work in a slot; waits for one. A thread that has one keeps it, and whoever took it gives it back."""
        if self._has_one():
            yield
            return
        self._free.acquire()
        with self._hold():
            yield

    @contextmanager
    def take_soon(self, patience_s: float) -> Iterator[None]:
        """The same for a request that has not begun.

        Raises NoSlotFree after so long, after some more in a burst, or at once where there is no room to wait.
        """
        # Nobody takes a slot from under those who wait.
        is_free = not self._waiting and self._free.acquire(blocking=False)
        if not is_free and not self._wait(patience_s):
            raise NoSlotFree
        with self._hold():
            yield

    def _wait(self, patience_s: float) -> bool:
        now = time.monotonic()
        with self._lock:
            if self._waiting >= self._room:
                return False
            if not self._waiting:
                self._waited_since = now
            self._waiting += 1
            burst_left_s = self._waited_since + BURST_S - now
        try:
            return self._free.acquire(timeout=max(patience_s, burst_left_s))
        finally:
            with self._lock:
                self._waiting -= 1

    @contextmanager
    def _hold(self) -> Iterator[None]:
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
    """A WSGI application whose calls each work in a slot; without one in time ``refuse`` answers.

    The body of the answer is read by the server afterwards, without one: a stream or a file that is sent to a slow
    client keeps a thread and nothing else.
    """

    def __init__(self, application: Application, count: int, room: int, refuse: Application) -> None:
        self._application = application
        self._refuse = refuse
        _slots.append(WorkSlots(count, room))

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:  # noqa: ANN401 -- what WSGI passes
        if environ.get("PATH_INFO") in ALWAYS_ADMITTED:
            return self._application(environ, start_response)
        # A refusal within the block is the application's own.
        with ExitStack() as stack:
            try:
                stack.enter_context(_slots[-1].take_soon(PATIENCE_S))
            except NoSlotFree:
                metrics.count("overload")
                return self._refuse(environ, start_response)
            return self._application(environ, start_response)


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
