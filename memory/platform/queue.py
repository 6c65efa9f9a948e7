"""Enqueues tasks after the commit. If the queue is down nothing is lost: sweeps find pending rows."""

from typing import Any, Final

import structlog
from celery import Task, current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import RedisError

from memory.platform.tracing import carry_trace

logger = structlog.get_logger(__name__)

# The broker takes those of 0 first, which is what a write sends. What is left of a long queue comes behind them: after
# the first start the demo's 214 memories kept a new person's first words from being found for 25 s.
LEFT_OVER: Final = 6


def enqueue(task: "Task[..., Any]", *arguments: Any, after_s: float = 0.0) -> None:
    """Send a task when the open transaction commits, or at once without one. Never raises or blocks for long.

    It is run ``after_s`` seconds later.
    """
    transaction.on_commit(lambda: send_task(task, *arguments, after_s=after_s))


def pass_on(task: "Task[..., Any]", *arguments: Any, after_s: float = 0.0) -> None:
    """Have another task do the rest of a long queue, when nobody's writes wait. A sweep finds it as well."""
    task.apply_async(arguments, priority=LEFT_OVER, countdown=after_s)


def has_waiting_writes() -> bool:
    """Whether something else than left-overs waits for a worker."""
    return bool(count_waiting(current_app.conf.task_default_queue))


def count_waiting(queue: str) -> int:
    """How many tasks wait, left-overs aside. 0 where the queue cannot be asked."""
    try:
        with current_app.connection_or_acquire() as connection:
            channel: Any = connection.default_channel
            return int(channel.client.llen(queue))
    except (OperationalError, RedisError, OSError, AttributeError):
        # Another transport than Redis has no such list.
        return 0


def send_task(task: "Task[..., Any]", *arguments: Any, after_s: float = 0.0) -> None:
    try:
        more: dict[str, Any] = {"countdown": after_s} if after_s else {}
        if carried := carry_trace():
            more["headers"] = carried
        task.apply_async(arguments, retry=False, **more)
    except (OperationalError, RedisError, OSError) as error:
        logger.warning("queue away, a sweep will find the work", task=task.name, reason=str(error)[:200])
