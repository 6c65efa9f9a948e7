"""Slows down guessing of passwords and the making of keys: a few for one name from one address, then a pause.

Counted in Redis, so that all web processes count together; when Redis is away each process counts alone. Closed, not
open: an attempt is counted before the password is looked at, so many at once are no way around.
"""

import hashlib
import threading
import time

from redis import Redis

from memory.platform import redis
from memory.platform.faults import Unavailable

ATTEMPTS = 5
WINDOW_S = 15 * 60
# Names one process counts alone; past it the oldest are forgotten, so that guessing cannot fill the memory.
MAX_NAMES = 10_000

_alone: dict[str, tuple[int, float]] = {}
_lock = threading.Lock()


def build_attempt_key(username: str, address: str) -> str:
    who = f"{username.strip().casefold()}\x00{address}"
    return redis.build_key("login", hashlib.sha256(who.encode("utf-8", "surrogatepass")).hexdigest())


def count_attempt(username: str, address: str, most: int = ATTEMPTS) -> int:
    """Count one attempt. 0 when it may go on, else the seconds to wait."""
    key = build_attempt_key(username, address)
    try:
        count, left_s = redis.call_or_raise(lambda client: count_in_redis(client, key))
    except Unavailable:
        # Closed, not open: without Redis each process still counts alone.
        count, left_s = count_in_process(key)
    return max(1, left_s) if count > most else 0


def reset_attempts(username: str, address: str) -> None:
    """The password was right: start counting anew."""
    key = build_attempt_key(username, address)
    redis.call_or_default(lambda client: client.delete(key), None)
    with _lock:
        _alone.pop(key, None)


def count_in_redis(client: Redis, key: str) -> tuple[int, int]:
    pipe = client.pipeline(transaction=True)
    # The window starts at the first failure: renewing it would lock somebody out who tries once an hour.
    pipe.set(key, 0, ex=WINDOW_S, nx=True)
    pipe.incr(key)
    pipe.ttl(key)
    _, count, left_s = pipe.execute()
    return int(count), int(left_s)


def count_in_process(key: str) -> tuple[int, int]:
    now = time.monotonic()
    with _lock:
        count, ends_at = _alone.pop(key, (0, 0.0))
        if now >= ends_at:
            count, ends_at = 0, now + WINDOW_S
        _alone[key] = (count + 1, ends_at)
        while len(_alone) > MAX_NAMES:
            del _alone[next(iter(_alone))]
    return count + 1, int(ends_at - now)
