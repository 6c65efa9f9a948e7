"""How often a key may call, over all processes, with Redis and without."""

import threading
import time
from typing import Any

import pytest
from redis import ConnectionError as RedisAway

from memory.access import ratelimit
from memory.access.ratelimit import LocalCounter, RateDecision, check_rate
from memory.models import EndUser
from tests.api_client import client_for

pytestmark = pytest.mark.usefixtures("services")


def count_admitted(count: int, key_id: int, limit: int) -> int:
    return sum(check_rate(key_id, limit).admitted for _ in range(count))


def test_a_second_of_calls_may_come_at_once_and_no_more() -> None:
    started = time.monotonic()
    found = count_admitted(300, 1, 100)
    elapsed = time.monotonic() - started
    # What became free while the loop ran is admitted as well, one call every ten milliseconds.
    assert 100 <= found <= 101 + elapsed * 100


def test_calls_at_once_share_no_slot() -> None:
    found: list[int] = []
    started = time.monotonic()
    threads = [threading.Thread(target=lambda: found.append(count_admitted(100, 2, 50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 50 <= sum(found) <= 51 + (time.monotonic() - started) * 50


def test_who_waits_as_told_is_admitted() -> None:
    # On a busy machine the first ten may take so long that an eleventh is admitted.
    verdict = next(verdict for verdict in (check_rate(3, 10) for _ in range(1_000)) if not verdict.admitted)
    assert 0 < verdict.retry_after_s <= 0.1
    time.sleep(verdict.retry_after_s + 0.01)
    assert check_rate(3, 10).admitted


def test_one_key_does_not_use_up_what_another_may() -> None:
    count_admitted(20, 4, 10)
    assert check_rate(5, 10).admitted


def test_without_redis_each_process_keeps_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*arguments: Any) -> int:
        raise RedisAway("refused")

    monkeypatch.setattr(ratelimit, "count_in_redis", gone)
    monkeypatch.setattr(ratelimit, "_local", LocalCounter())
    started = time.monotonic()
    found = count_admitted(200, 6, 100)
    # Two web processes: half each.
    assert 50 <= found <= 51 + (time.monotonic() - started) * 50


def test_the_local_counter_forgets_idle_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratelimit, "MAX_LOCAL_KEYS", 10)
    counter = LocalCounter()
    for key_id in range(10):
        counter.ask(key_id, 1_000_000)
    time.sleep(0.01)
    counter.ask(99, 1_000_000)
    assert set(counter._free) == {99}


def test_a_refused_call_is_told_when_to_come_back(user: EndUser) -> None:
    client = client_for(user, requests_per_second=2)
    answers = (client.get("stats") for _ in range(100))
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.json()["code"] == "rate_limited"
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert int(refused.headers["Retry-After"]) >= 1
    assert refused.headers["X-RateLimit-Limit"] == "2"


def test_no_header_buys_more_calls(user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    keys: set[int] = set()

    def remember(key_id: int, limit: int | None = None) -> RateDecision:
        keys.add(key_id)
        return RateDecision(admitted=True, limit=1)

    monkeypatch.setattr("memory.web.auth.check_rate", remember)
    client = client_for(user)
    for header in ({}, {"X-Forwarded-For": "192.0.2.1"}, {"X-Session-Id": "2"}, {"X-Forwarded-For": "192.0.2.3"}):
        client.get("stats", headers=header)
    assert len(keys) == 1
