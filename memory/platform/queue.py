"""Enqueues tasks after the commit. If the queue is down nothing is lost: sweeps find pending rows."""

import hashlib
import json
from typing import Any, Final

import structlog
from celery import Task, current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import RedisError

from memory.platform import redis as shared
from memory.platform.tracing import carry_trace

logger = structlog.get_logger(__name__)

# The broker takes those of 0 first, which is what a write sends. What is left of a long queue comes behind them: after
# the first start the demo's 214 memories kept a new person's first words from being found for 25 s.
LEFT_OVER: Final = 6
# So long one that was sent is thought to wait: a worker that was killed over it keeps others out no longer.
WAITING_S: Final = 30


def enqueue(task: "Task[..., Any]", *arguments: Any, after_s: float = 0.0) -> None:
    """Send a task when the open transaction commits, or at once without one. Never raises or blocks for long.

    It is run ``after_s`` seconds later.
    """
    transaction.on_commit(lambda: send_task(task, *arguments, after_s=after_s))


def enqueue_once(task: "Task[..., Any]", *arguments: Any, after_s: float = 0.0) -> None:
    """As ``enqueue``, unless the same call waits already: for a task that calls ``take_up`` before it reads anything.

    A burst of 60 exchanges sent 60 tasks that all read the latest. Without Redis each is sent.
    """

    def send() -> None:
        key = name_call(task.name, arguments)
        if shared.call_or_default(lambda client: bool(client.set(key, 1, nx=True, ex=WAITING_S)), otherwise=True):
            send_task(task, *arguments, after_s=after_s)

    transaction.on_commit(send)


def take_up(task: "Task[..., Any]", *arguments: Any) -> None:
    """That this call waits no longer: what is written from now on sends another."""
    shared.call_or_default(lambda client: client.delete(name_call(task.name, arguments)), otherwise=None)


def name_call(name: str, arguments: tuple[Any, ...]) -> str:
    # By its digest: arguments are names that clients give, of any length.
    return shared.build_key(
        "waiting", name, hashlib.blake2b(json.dumps(arguments).encode(), digest_size=16).hexdigest()
    )


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
