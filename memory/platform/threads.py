"""Two lookups at once: one in a thread and on a connection of its own, while the caller goes on with the other."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from threading import BoundedSemaphore
from typing import TypeVar

from django.db import connection

from memory.platform.deadline import Deadline
from memory.platform.faults import DeadlineExceeded

T = TypeVar("T")
# A process. More would only take the cores, and the connections, from each other's searches.
# With two, p50 of a search fell from 30 to 27 ms at 10,000 memories on two cores; two for every search would need
# twice the connections, for no gain on a busy machine. When both are busy the caller does both lookups in turn.
THREADS = 2
# For a lookup to end after its time, which the database sees to.
GRACE_S = 0.25

_free_threads = BoundedSemaphore(THREADS)


def run_in_thread(name: str, work: Callable[[], T], deadline: Deadline) -> Callable[[], T]:
    """Start ``work``, and return what waits for its result.

    Where no thread takes it the work is done when it is asked for. Waiting raises what the work raised, and Late with
    ``name`` when it took much longer than the deadline.
    """
    return start_in_thread(name, work, deadline) or work


def start_in_thread(name: str, work: Callable[[], T], deadline: Deadline) -> Callable[[], T] | None:
    """The same, or None where all threads are busy, and inside a transaction: another connection would not see what
    that has written."""
    if connection.in_atomic_block or not _free_threads.acquire(blocking=False):
        return None
    future = _thread_pool().submit(copy_context().run, run_on_own_connection, work)
    future.add_done_callback(lambda _: _free_threads.release())
    return lambda: wait_for_result(name, future, deadline)


def wait_for_result(name: str, future: Future[T], deadline: Deadline) -> T:
    try:
        return future.result(deadline.remaining() + GRACE_S)
    except TimeoutError as error:
        raise DeadlineExceeded(name, "took longer than its time") from error


def run_on_own_connection(work: Callable[[], T]) -> T:
    """The work, on a connection that goes back to the pool."""
    try:
        return work()
    finally:
        connection.close()


@cache
def _thread_pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="beside")
