"""A running installation is hurt while it writes; in the end everything is indexed and everything is found."""

import signal
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import redis

from config import embedded
from tests.runtime.stack import Stack, eventually

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("stack"), pytest.mark.timeout(240)]

USER = "nothing-is-lost"
THINGS = ("lantern", "anchor", "violin", "teapot", "ladder", "compass", "kettle", "saddle", "globe", "basket")
INDEXED_WITHIN_S = 150.0


def text_of(number: int) -> str:
    return f"Parcel {number} holds a {THINGS[number % 10]} and waits in the hall"


@pytest.fixture
def api(stack: Stack) -> Iterator[httpx.Client]:
    url = f"{stack.api_url}/api/v1/users/{USER}/"
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {stack.api_key}"}, timeout=20) as client:
        yield client


def write(api: httpx.Client, first: int, count: int) -> None:
    items = [{"text": text_of(number), "tier": "history"} for number in range(first, first + count)]
    answer = api.post("memories/batch", json={"items": items})
    assert answer.status_code == 202, answer.text
    assert all(answer.json()["ids"])


def state(api: httpx.Client) -> dict[str, int]:
    answer = api.get("index-status")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def find(api: httpx.Client, number: int) -> dict[str, Any]:
    answer = api.post("search", json={"query": f"Where is parcel {number}?", "limit": 5, "explain": True})
    assert answer.status_code == 200, answer.text
    found = [hit for hit in answer.json()["results"] if hit["content"] == text_of(number)]
    assert found, f"parcel {number} was not found: {answer.json()}"
    return dict(found[0])


def test_a_killed_worker_an_emptied_queue_and_a_frozen_embedder_lose_nothing(stack: Stack, api: httpx.Client) -> None:
    write(api, 0, 500)
    assert eventually(lambda: state(api)["ready"] > 0, 60), state(api)
    worker = stack.child("worker")
    for process in [*worker.children(recursive=True), worker]:
        process.kill()
    assert state(api)["pending"] > 0, "the worker was to die in the middle of its work"

    write(api, 500, 150)
    redis.Redis.from_url(embedded.redis_url(stack.data_dir)).flushall()

    server = stack.child("embedder")
    server.send_signal(signal.SIGSTOP)
    write(api, 650, 50)
    # What cannot be embedded yet is found by its words.
    assert find(api, 660)["explain"]["vector_rank"] is None
    time.sleep(4)
    server.send_signal(signal.SIGCONT)

    assert eventually(lambda: state(api) == {"pending": 0, "ready": 700, "failed": 0}, INDEXED_WITHIN_S), state(api)
    for number in range(3, 700, 17):
        assert find(api, number)["memory_id"]
