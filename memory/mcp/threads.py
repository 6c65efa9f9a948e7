"""Runs blocking work in threads, beside the event loop."""

from collections.abc import Callable
from typing import TypeVar

import anyio
from anyio import to_thread
from django.db import connections

from memory.conf import memory_conf

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T]) -> T:
    """The result of ``work``. Raises TimeoutError after the time limit of any request.

    Work that is late continues until its own deadlines; its result is dropped.
    """

    def run_and_return_connection() -> T:
        try:
            return work()
        finally:
            # Back into the pool: the next call may run in another thread.
            connections.close_all()

    with anyio.fail_after(memory_conf().deadlines.hard_s):
        return await to_thread.run_sync(run_and_return_connection, abandon_on_cancel=True)
