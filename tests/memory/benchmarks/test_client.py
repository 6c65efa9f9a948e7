import json
from collections.abc import Callable, Iterator

import httpx
import pytest

from memory.benchmarks import client as module
from memory.benchmarks.client import BenchmarkClient, CallFailedError, IndexProgress


def make_client(answer: Callable[[httpx.Request], httpx.Response]) -> BenchmarkClient:
    return BenchmarkClient("http://commonplace", "a key", transport=httpx.MockTransport(answer))


def test_a_search_is_timed_with_the_stages_that_the_server_names() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        debug = {"stage_timings_ms": {"embed": 5.0, "total": 9.0}, "fallbacks_used": ["vector_skipped"]}
        return httpx.Response(200, json={"results": [], "debug": debug})

    with make_client(answer) as client:
        client.search("ann", "where?", 10)
    (request,) = seen
    assert (request.url.path, json.loads(request.content)) == (
        "/api/v1/users/ann/search",
        {"query": "where?", "limit": 10},
    )
    assert request.headers["authorization"] == "Bearer a key"
    spreads = client.watch.summarize()
    assert list(spreads) == ["search", "  embed", "  total"]
    assert spreads["  embed"].p50 == 5
    assert client.fallbacks == {"vector_skipped": 1}


def test_a_refusal_is_told_in_the_words_of_the_server_and_not_timed() -> None:
    with make_client(lambda request: httpx.Response(422, text="tier: unknown")) as client:
        with pytest.raises(CallFailedError, match="422 tier: unknown"):
            client.store("ann", {"text": "x"})
        assert client.watch.summarize() == {}


def test_a_server_that_is_away_is_told_as_such() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused")

    with make_client(refuse) as client, pytest.raises(CallFailedError, match="connection refused"):
        client.compose_context("ann", "who?")


def statuses(*pending: int) -> Callable[[httpx.Request], httpx.Response]:
    """One status after the other, the last one for ever."""

    def follow() -> Iterator[int]:
        yield from pending
        while True:
            yield pending[-1]

    left = follow()

    def answer(request: httpx.Request) -> httpx.Response:
        count = next(left)
        return httpx.Response(200, json={"pending": count, "ready": 9 - count, "failed": 0})

    return answer


def test_waiting_ends_when_nothing_is_pending(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_S", 0)
    with make_client(statuses(3, 3, 1, 0)) as client:
        assert client.wait_until_indexed("ann") == IndexProgress(pending=0, ready=9, failed=0)


def test_waiting_ends_with_an_error_when_nothing_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POLL_S", 0)
    monkeypatch.setattr(module, "STALLED_S", 0.02)
    with make_client(statuses(3, 2)) as client, pytest.raises(CallFailedError, match="2 memories still wait"):
        client.wait_until_indexed("ann")
