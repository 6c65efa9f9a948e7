"""The memory's part of a turn, for so long and no longer: what is late costs its result, never the answer."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from django.db import connection

from memory.conf import memory_conf
from memory.gateway.conf import chat_conf
from memory.platform.deadline import Deadline
from memory.platform.faults import DeadlineExceeded
from memory.platform.per_process import PerProcess
from memory.platform.threads import run_on_own_connection, wait_for_result

T = TypeVar("T")
# What is stored late waits here for a database that is away, and must not take the threads of the next contexts.
STORING_THREADS = 16


@PerProcess
def reading_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(chat_conf().threads, thread_name_prefix="gateway-reads")


@PerProcess
def storing_threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(STORING_THREADS, thread_name_prefix="gateway-stores")


def read_in_time(work: Callable[[], T]) -> T:
    """The result of ``work`` within the time of a search. Raises Late, and what the work raises.

    The stages of a search have deadlines of their own; this is for a database that waits for a lock, or hangs. What is
    late ends by its own time limits, in its thread, and nobody waits for it.
    """
    return run_in_time(work, reading_threads)


def store_in_time(work: Callable[[], T]) -> T:
    """As above, but what is late is done all the same."""
    return run_in_time(work, storing_threads)


def run_in_time(work: Callable[[], T], threads: Callable[[], ThreadPoolExecutor]) -> T:
    # Another connection would not see what an open transaction has written.
    if connection.in_atomic_block:
        return work()
    deadline = Deadline(memory_conf().deadlines.default_s)
    future = threads().submit(copy_context().run, run_on_own_connection, work)
    try:
        return wait_for_result("memory", future, deadline)
    except DeadlineExceeded:
        if threads is reading_threads:
            future.cancel()
        raise
