"""Deadlines and circuit breakers, so that one failing dependency does not take the product down.

`pybreaker` decides when a circuit opens and closes. Three things around it are ours. Its own `call` holds a lock for
as long as the guarded call runs, so threads of one process would queue behind one another; ours does not. Its clock is
the wall clock; ours is monotonic, and across processes it is the time to live of a Redis key. And a half-open circuit
lets one probe through, of all processes together, not whoever comes.
"""

import math
import os
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeVar

import pybreaker
from redis import Redis

from memory.conf import memory_conf
from memory.platform import redis as shared
from memory.platform.faults import BadReply, DeadlineExceeded, RequestRejected, Unavailable

__all__ = [
    "BadReply",
    "Breaker",
    "DeadlineExceeded",
    "RequestRejected",
    "Unavailable",
    "get_breaker",
    "list_breaker_states",
]

T = TypeVar("T")

# How long a process may act on what it last read of the shared state.
REFRESH_S = 0.25
# A streak of failures this many windows old no longer counts as one streak.
STREAK_WINDOWS = 10
# Redis counts whole milliseconds of a clock that it reads now and then: a claim as long as the window that follows a
# probe which fails at once was still there when that had passed.
CLAIM_MARGIN_MS = 10


def _is_failure(error: BaseException) -> bool:
    return isinstance(error, Unavailable) and not isinstance(error, RequestRejected | DeadlineExceeded)


class SharedBreakerState(pybreaker.CircuitBreakerStorage):
    """The state of a breaker: in this process, and in Redis while it is available."""

    def __init__(self, name: str, reset_s: float) -> None:
        super().__init__(name)
        self._reset_s = reset_s
        self._window_ms = max(1, round(reset_s * 1000))
        self._claim_ms = max(1, self._window_ms - CLAIM_MARGIN_MS)
        self._state = pybreaker.STATE_CLOSED
        self._open_until = 0.0
        self._probe_until = 0.0
        self._failures = 0
        self._successes = 0
        self._read_at = -math.inf
        self._is_shared = False
        self._lock = threading.Lock()
        self._reading = threading.Lock()

    @property
    def state(self) -> str:
        self._refresh()
        return self._state

    @state.setter
    def state(self, state: str) -> None:
        self._state = state
        self._read_at = time.monotonic()
        if state == pybreaker.STATE_OPEN:
            self._is_shared = shared.call_or_default(self._share_open, otherwise=False)
        elif state == pybreaker.STATE_CLOSED:
            self._probe_until = 0.0
            shared.call_or_default(lambda r: r.delete(*map(self._key, ("tripped", "open", "probe", "failures"))), None)

    @property
    def opened_at(self) -> datetime | None:
        # The library compares this with the wall clock. It is told "just now" while the window runs and "never"
        # afterwards, so a clock set back cannot keep a circuit open.
        return datetime.now(UTC) if self.window_runs() else None

    @opened_at.setter
    def opened_at(self, moment: datetime) -> None:
        self._open_until = time.monotonic() + self._reset_s
        self._probe_until = 0.0

    def window_runs(self) -> bool:
        """Whether the breaker is still open."""
        self._refresh()
        return self._state != pybreaker.STATE_CLOSED and time.monotonic() < self._open_until

    def claim_probe(self) -> bool:
        """True for the one caller that may probe an open circuit. The claim of a lost prober expires."""
        with self._lock:
            if time.monotonic() < self._probe_until:
                return False
            self._probe_until = time.monotonic() + self._reset_s
        return shared.call_or_default(
            lambda r: bool(r.set(self._key("probe"), 1, px=self._claim_ms, nx=True)), otherwise=True
        )

    @property
    def counter(self) -> int:
        return self._failures

    def increment_counter(self) -> None:
        with self._lock:
            self._failures += 1
        total = shared.call_or_default(self._count_failure, self._failures)
        self._failures = max(self._failures, total)

    def reset_counter(self) -> None:
        if self._failures:
            self._failures = 0
            shared.call_or_default(lambda r: r.delete(self._key("failures")), None)

    @property
    def success_counter(self) -> int:
        return self._successes

    def increment_success_counter(self) -> None:
        self._successes += 1

    def reset_success_counter(self) -> None:
        self._successes = 0

    def _key(self, part: str) -> str:
        return shared.build_key("breaker", self.name, part)

    def _share_open(self, client: Redis) -> bool:
        pipe = client.pipeline(transaction=True)
        pipe.set(self._key("tripped"), 1, px=self._window_ms * STREAK_WINDOWS)
        pipe.set(self._key("open"), 1, px=self._window_ms)
        # The claim stays until it expires, before this window ends: it keeps out a process that has not yet read that
        # the probe failed.
        pipe.execute()
        return True

    def _count_failure(self, client: Redis) -> int:
        pipe = client.pipeline(transaction=True)
        pipe.incr(self._key("failures"))
        pipe.pexpire(self._key("failures"), self._window_ms * STREAK_WINDOWS)
        return int(pipe.execute()[0])

    def _refresh(self) -> None:
        """Take over what other processes decided, at most once in REFRESH_S."""
        if time.monotonic() - self._read_at < REFRESH_S:
            return
        # Other threads wait for this read, a fraction of a millisecond: with the old state many of them would call a
        # dependency that another process has found dead.
        with self._reading:
            if time.monotonic() - self._read_at >= REFRESH_S:
                self._take_over(shared.call_or_default(self._read, None))
                self._read_at = time.monotonic()

    def _take_over(self, read: tuple[bool, int] | None) -> None:
        if read is None:
            return
        tripped, window_ms = read
        now = time.monotonic()
        if window_ms > 0:
            self._state = pybreaker.STATE_OPEN
            self._open_until = now + window_ms / 1000
            self._is_shared = True
        elif tripped:
            self._state = pybreaker.STATE_OPEN
            self._open_until = min(self._open_until, now)
            self._is_shared = True
        elif self._is_shared and now >= self._open_until:
            # Redis knew it was tripped and no longer does: another process probed and closed it.
            self._state = pybreaker.STATE_CLOSED
            self._probe_until = 0.0
            self._is_shared = False

    def _read(self, client: Redis) -> tuple[bool, int]:
        pipe = client.pipeline(transaction=False)
        pipe.exists(self._key("tripped"))
        pipe.pttl(self._key("open"))
        tripped, window_ms = pipe.execute()
        return bool(tripped), int(window_ms)


class _LockFreeCircuit(pybreaker.CircuitBreaker):
    def call(self, func: Callable[..., T], *args: object, **kwargs: object) -> T:
        return self.state.call(func, *args, **kwargs)


class Breaker:
    """Stops asking a dependency that failed `fail_max` times in a row, and asks once when `reset_s` have passed."""

    def __init__(self, name: str, fail_max: int, reset_s: float) -> None:
        self.name = name
        self._shared = SharedBreakerState(name, reset_s)
        self._circuit = _LockFreeCircuit(
            fail_max=fail_max,
            reset_timeout=reset_s,
            exclude=[lambda error: not _is_failure(error)],
            state_storage=self._shared,
            name=name,
            throw_new_error_on_trip=False,
        )

    def call(self, fn: Callable[[], T]) -> T:
        """What `fn` returns or raises. Raises Unavailable without calling it while the circuit is open.

        Only Unavailable and BadReply count against the dependency: anything else is our own mistake.
        """
        if self._shared.state != pybreaker.STATE_CLOSED:
            if self._shared.window_runs():
                raise Unavailable(self.name, "not asked: it failed repeatedly a moment ago")
            if not self._shared.claim_probe():
                raise Unavailable(self.name, "not asked: one probe is under way")
        return self._circuit.call(fn)

    @property
    def state(self) -> str:
        """closed, open, or half-open when the next call is the probe."""
        if self._shared.state == pybreaker.STATE_CLOSED:
            return pybreaker.STATE_CLOSED
        return pybreaker.STATE_OPEN if self._shared.window_runs() else pybreaker.STATE_HALF_OPEN


_breakers: dict[str, Breaker] = {}
_registry = threading.Lock()


def get_breaker(name: str) -> Breaker:
    """The one breaker of a dependency in this process."""
    found = _breakers.get(name)
    if found is None:
        with _registry:
            conf = memory_conf().breakers
            found = _breakers.setdefault(name, Breaker(name, conf.fail_max, conf.reset_s))
    return found


def list_breaker_states() -> dict[str, str]:
    """State of each breaker this process has used, by name."""
    return {name: _breakers[name].state for name in sorted(_breakers)}


def reset_breakers() -> None:
    """Drop this process's breakers; what Redis knows of them stays."""
    global _registry
    _registry = threading.Lock()
    _breakers.clear()


os.register_at_fork(after_in_child=reset_breakers)
