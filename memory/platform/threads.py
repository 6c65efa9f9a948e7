"""Two lookups at once: one in a thread and on a connection of its own, while the caller goes on with the other."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from threading import BoundedSemaphore
from typing import TypeVar

from django.db import connection

from memory.platform.deadline import Deadline
from memory.platform.faults import Late

T = TypeVar("T")
THREADS = 2
"""A process. More would only take the cores, and the connections, from each other's searches."""
GRACE_S = 0.25
"""For a lookup to end after its time, which the database sees to."""

_free = BoundedSemaphore(THREADS)


def beside(name: str, work: Callable[[], T], deadline: Deadline) -> Callable[[], T]:
    """Start ``work``, and return what waits for its result.

    Where all threads are busy the work is done when it is asked for, and so it is inside a transaction: another
    connection would not see what that has written. Waiting raises what the work raised, and Late with ``name`` when it
    took much longer than the deadline.
    """
    if connection.in_atomic_block or not _free.acquire(blocking=False):
        return work
    future = _threads().submit(copy_context().run, lent, work)
    future.add_done_callback(lambda _: _free.release())
    return lambda: waited_for(name, future, deadline)


def waited_for(name: str, future: Future[T], deadline: Deadline) -> T:
    try:
        return future.result(deadline.remaining() + GRACE_S)
    except TimeoutError as error:
        raise Late(name, "took longer than its time") from error


def lent(work: Callable[[], T]) -> T:
    """The work, on a connection that goes back to the pool."""
    try:
        return work()
    finally:
        connection.close()


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="beside")
