"""Freshness and build locks of cached indexes, shared by all processes through Redis.

Every write sets a new version for its user. Without Redis no cached index counts as fresh and none is built; the
full-text index is used instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import cast
from uuid import uuid4

from redis import Redis
from redis.exceptions import LockError
from redis.lock import Lock

from memory.indexes.base import require_user
from memory.platform import redis as shared

KEPT_S = 7 * 86_400
LOCK_S = 30
# Cooldown: a part that is written to all the time is built at most this often, by one process at a time.
COOLDOWN_S = 5


class BuildLock:
    """The right to build one part."""

    def __init__(self, lock: Lock) -> None:
        self._lock = lock

    def extend(self) -> None:
        """Extend the lock. A process that has lost it builds for itself only, which does no harm."""

        def keep(_: Redis) -> None:
            with suppress(LockError):
                self._lock.reacquire()

        shared.call_or_default(keep, None)

    def end(self) -> None:
        def release(_: Redis) -> None:
            with suppress(LockError):
                self._lock.release()

        shared.call_or_default(release, None)


def renew_version(user_id: int) -> None:
    """Set a new version after a write: everything read before is stale."""
    # A random mark: a counter that was lost would begin again and could reach a value it had before.
    # And not the count and newest change of the rows: those cost 150 ms at 100,000 rows, more than the search that
    # they would guard.
    shared.call_or_default(lambda client: client.set(_build_key(user_id), uuid4().bytes, ex=KEPT_S), None)


def read_version(user_id: int) -> bytes | None:
    """The version of the user's last write, None without Redis."""

    def read(client: Redis) -> bytes | None:
        mark = client.get(_build_key(user_id))
        if mark is None:
            client.set(_build_key(user_id), uuid4().bytes, ex=KEPT_S, nx=True)
            mark = client.get(_build_key(user_id))
        return cast("bytes | None", mark)

    return shared.call_or_default(read, None)


@contextmanager
def try_build_lock(user_id: int, tier: str, status: str) -> Iterator[BuildLock | None]:
    """The build lock for one process; None for all others, and for a cooldown afterwards."""
    part = (str(require_user(user_id)), tier, status)

    def take(client: Redis) -> BuildLock | None:
        lock = client.lock(shared.build_key("bm25", "lock", *part), timeout=LOCK_S, blocking=False, thread_local=False)
        if not lock.acquire():
            return None
        if client.set(shared.build_key("bm25", "cooldown", *part), 1, nx=True, px=round(COOLDOWN_S * 1000)):
            return BuildLock(lock)
        lock.release()
        return None

    turn = shared.call_or_default(take, None)
    try:
        yield turn
    finally:
        if turn is not None:
            turn.end()


def _build_key(user_id: int) -> str:
    return shared.build_key("bm25", "version", str(require_user(user_id)))
