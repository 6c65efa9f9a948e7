"""Access to Redis with short timeouts and a fallback when it is down.

Nothing kept in Redis is the truth. `call_or_default` is for work that can be left out (caches, shared breaker
state): after a failure it does not try again for a moment, so a dead Redis costs one short wait instead of one per
call. `call_or_raise` is for the few callers that need an answer.
"""

import os
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from redis import ConnectionPool, Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from memory.conf import redis_url
from memory.platform.faults import Unavailable

T = TypeVar("T")

DEMAND_TIMEOUT_S = 0.25
# For work that nobody waits for. Under load a machine stood still for .3 s once in a run of 10,000 tests.
BACKGROUND_TIMEOUT_S = 5.0
ATTEMPT_TIMEOUT_S = 0.025
INITIAL_PAUSE_S = 1.0
MAX_PAUSE_S = 8.0


class _RetryPause:
    """The pause after a failure of Redis; then one caller at a time may try again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until = 0.0
        self._length = 0.0

    def allows_call(self) -> bool:
        if not self._length:
            return True
        with self._lock:
            now = time.monotonic()
            if now < self._until:
                return False
            self._until = now + self._length
            return True

    def record_failure(self) -> None:
        with self._lock:
            self._length = min(MAX_PAUSE_S, self._length * 2 or INITIAL_PAUSE_S)
            self._until = time.monotonic() + self._length

    def record_success(self) -> None:
        if self._length:
            with self._lock:
                self._length = 0.0


_pause = _RetryPause()


@cache
def _client(timeout_s: float) -> Redis:
    pool = ConnectionPool.from_url(
        redis_url(),
        socket_timeout=timeout_s,
        socket_connect_timeout=timeout_s,
        # The client would otherwise try four times with up to ten seconds between.
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        health_check_interval=0,
    )
    return Redis(connection_pool=pool)


def redis_client(timeout_s: float = DEMAND_TIMEOUT_S) -> Redis:
    """The pooled client for callers that need an answer. Raises Unavailable when no client can be made."""
    try:
        return _client(timeout_s)
    except (ValueError, RedisError) as error:
        raise Unavailable("redis", str(error)) from error


def call_or_raise(call: Callable[[Redis], T], timeout_s: float = DEMAND_TIMEOUT_S) -> T:
    """What `call` returns. Raises Unavailable when Redis fails or takes longer than `timeout_s`."""
    client = redis_client(timeout_s)
    try:
        return call(client)
    except (RedisError, OSError) as error:
        raise Unavailable("redis", str(error) or type(error).__name__) from error


def call_or_default(call: Callable[[Redis], T], otherwise: T) -> T:
    """What `call` returns, or `otherwise` when Redis is down, slow or was so a moment ago. Never raises."""
    if not _pause.allows_call():
        return otherwise
    try:
        result = call(_client(ATTEMPT_TIMEOUT_S))
    except (RedisError, OSError, ValueError):
        _pause.record_failure()
        return otherwise
    _pause.record_success()
    return result


def build_key(*parts: str) -> str:
    """A Redis key of ours; parts of it never hold text a user wrote."""
    return ":".join(("commonplace", *parts))


def reset_clients() -> None:
    """Forget clients and failures, as after a change of address or a fork."""
    global _pause
    _client.cache_clear()
    _pause = _RetryPause()


os.register_at_fork(after_in_child=reset_clients)
