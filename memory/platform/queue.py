"""Enqueues tasks after the commit. If the queue is down nothing is lost: sweeps find pending rows."""

from typing import Any

import structlog
from celery import Task
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import RedisError

from memory.platform.tracing import carry_trace

logger = structlog.get_logger(__name__)


def enqueue(task: "Task[..., Any]", *arguments: Any, after_s: float = 0.0) -> None:
    """Send a task when the open transaction commits, or at once without one. Never raises or blocks for long.

    It is run ``after_s`` seconds later.
    """
    transaction.on_commit(lambda: send_task(task, *arguments, after_s=after_s))


def send_task(task: "Task[..., Any]", *arguments: Any, after_s: float = 0.0) -> None:
    try:
        more: dict[str, Any] = {"countdown": after_s} if after_s else {}
        if carried := carry_trace():
            more["headers"] = carried
        task.apply_async(arguments, retry=False, **more)
    except (OperationalError, RedisError, OSError) as error:
        logger.warning("queue away, a sweep will find the work", task=task.name, reason=str(error)[:200])
