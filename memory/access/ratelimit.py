"""Rate limits per API key: one counter for all processes in Redis, or one per process without it.

The generic cell rate algorithm: a key's next free moment moves on by one interval a request, and may run ahead of the
clock by as much as the burst. One number a key, decided and moved in one script, so no two requests share a slot.
"""

import threading
import time
from dataclasses import dataclass

from redis import Redis

from memory.conf import memory_conf
from memory.platform import redis as shared

# Redis' own clock decides, so that processes with different clocks agree. Times are microseconds.
SCRIPT = """
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local free = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now) + interval
if free - now > burst then
  return free - burst - now
end
redis.call('SET', KEYS[1], string.format('%.0f', free), 'PX', math.ceil((free - now) / 1000) + 1)
return 0
"""
SECOND_US = 1_000_000
MAX_LOCAL_KEYS = 10_000


@dataclass(frozen=True, slots=True)
class RateDecision:
    admitted: bool
    limit: int
    retry_after_s: float = 0.0


def check_rate(key_id: int, requests_per_second: int | None = None) -> RateDecision:
    """Whether a key may make one more request now. A burst of one second's requests is allowed."""
    limit = requests_per_second or memory_conf().limits.requests_per_second
    wait_us = shared.call_or_default(lambda client: count_in_redis(client, key_id, limit), -1)
    if wait_us < 0:
        wait_us = _local.ask(key_id, max(1, limit // memory_conf().limits.web_processes))
    return RateDecision(admitted=wait_us == 0, limit=limit, retry_after_s=wait_us / SECOND_US)


def count_in_redis(client: Redis, key_id: int, limit: int) -> int:
    script = client.register_script(SCRIPT)
    return int(script(keys=[shared.build_key("rate", str(key_id))], args=[SECOND_US // limit, SECOND_US]))


class LocalCounter:
    """The same algorithm within one process, for when Redis is down."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: dict[int, int] = {}

    def ask(self, key_id: int, limit: int) -> int:
        with self._lock:
            now = time.monotonic_ns() // 1000
            free = max(self._free.get(key_id, now), now) + SECOND_US // limit
            if free - now > SECOND_US:
                return free - SECOND_US - now
            if len(self._free) >= MAX_LOCAL_KEYS:
                self._free = {key: moment for key, moment in self._free.items() if moment > now}
            self._free[key_id] = free
            return 0


_local = LocalCounter()
