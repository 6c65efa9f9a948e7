"""Calls that are made at the same time, each as another request would make it."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection

from tests.patience import PATIENCE_S


def start_at_once(*calls: Callable[[], Any]) -> list[Future[Any]]:
    """Each call in a thread and on a connection of its own, started together; returns when all have ended."""
    start = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            start.wait(PATIENCE_S)
            return call()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return [pool.submit(run, call) for call in calls]


def run_at_once(*calls: Callable[[], Any]) -> list[Any]:
    """What each returned. Raises what one of them raised."""
    return [future.result() for future in start_at_once(*calls)]


def errors_at_once(*calls: Callable[[], Any]) -> list[BaseException]:
    """What the calls raised."""
    return [error for future in start_at_once(*calls) if (error := future.exception())]
