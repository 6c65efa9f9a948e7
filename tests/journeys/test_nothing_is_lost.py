"""A running installation is hurt while it writes; in the end everything is indexed and everything is found."""

import contextlib
import signal
import time
from collections.abc import Iterator
from typing import Any

import httpx
import psutil
import pytest
import redis

from config import embedded
from memory.proving.installation import Stack
from tests.patience import eventually

# The sum of all waits, with the installation's start.
pytestmark = pytest.mark.slow

USER = "nothing-is-lost"
THINGS = ("lantern", "anchor", "violin", "teapot", "ladder", "compass", "kettle", "saddle", "globe", "basket")
INDEXED_WITHIN_S = 300.0
PAIR = {"user_message": "Where is the key?", "assistant_message": "Behind the boiler."}
MOMENT_S = 0.2
"""Less than the embedder needs for the texts of one write, on a fast machine too."""


def text_of(number: int) -> str:
    return f"Parcel {number} holds a {THINGS[number % 10]} and waits in the hall"


@pytest.fixture
def api(stack: Stack) -> Iterator[httpx.Client]:
    url = f"{stack.api_url}/api/v1/users/{USER}/"
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {stack.api_key}"}, timeout=60) as client:
        yield client


@pytest.fixture
def embedder(stack: Stack) -> Iterator[psutil.Process]:
    process = stack.find_child("embedder")
    yield process
    # Other tests share the installation, also after a failure in here.
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(signal.SIGCONT)


def write_parcels(api: httpx.Client, first: int, count: int) -> None:
    items = [{"text": text_of(number), "tier": "history"} for number in range(first, first + count)]
    answer = api.post("memories/batch", json={"items": items})
    assert answer.status_code == 202, answer.text
    assert all(answer.json()["ids"])


def index_status(api: httpx.Client) -> dict[str, int]:
    answer = api.get("index-status")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def search_parcel(api: httpx.Client, number: int) -> dict[str, Any]:
    answer = api.post("search", json={"query": f"Where is parcel {number}?", "limit": 5, "explain": True})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def find_parcel(api: httpx.Client, number: int) -> dict[str, Any]:
    """What a search in words found of a parcel. A busy machine may leave the words out to answer in time, and says so:
    then it is asked again."""
    answer: dict[str, Any] = {}

    def is_asked_in_words() -> bool:
        answer.update(search_parcel(api, number))
        return "lexical_skipped" not in answer["debug"]["fallbacks_used"]

    assert eventually(is_asked_in_words), answer
    found = [hit for hit in answer["results"] if hit["content"] == text_of(number)]
    assert found, f"parcel {number} was not found: {answer}"
    return dict(found[0])


def begin_indexing(api: httpx.Client, embedder: psutil.Process) -> None:
    """Let the embedder work for moments until something is indexed, and leave it standing still."""

    def has_begun() -> bool:
        embedder.send_signal(signal.SIGCONT)
        time.sleep(MOMENT_S)
        embedder.send_signal(signal.SIGSTOP)
        return index_status(api)["ready"] > 0

    assert eventually(has_begun), index_status(api)


def test_a_killed_worker_an_emptied_queue_and_a_frozen_embedder_lose_nothing(
    stack: Stack, api: httpx.Client, embedder: psutil.Process
) -> None:
    embedder.send_signal(signal.SIGSTOP)
    write_parcels(api, 0, 500)
    begin_indexing(api, embedder)
    assert index_status(api)["pending"] > 0, "the worker was to die in the middle of its work"
    worker = stack.find_child("worker")
    for process in [*worker.children(recursive=True), worker]:
        process.kill()
    embedder.send_signal(signal.SIGCONT)

    write_parcels(api, 500, 150)
    redis.Redis.from_url(embedded.redis_url(stack.data_dir)).flushall()

    embedder.send_signal(signal.SIGSTOP)
    write_parcels(api, 650, 50)
    # What cannot be embedded yet is found by its words.
    assert find_parcel(api, 660)["explain"]["vector_rank"] is None
    time.sleep(4)
    embedder.send_signal(signal.SIGCONT)

    assert eventually(lambda: index_status(api) == {"pending": 0, "ready": 700, "failed": 0}, INDEXED_WITHIN_S), (
        index_status(api)
    )
    for number in range(3, 700, 17):
        assert find_parcel(api, number)["memory_id"]


def test_a_worker_killed_in_a_burst_of_exchanges_leaves_none_of_them_unread(stack: Stack, api: httpx.Client) -> None:
    stored = []
    for number in range(36):
        said = {"user_message": f"My cousin Nr. {number} lives in Ghent.", "assistant_message": "Noted."}
        answer = api.post("threads/burst/exchanges", json=said if number % 6 == 0 else PAIR)
        assert answer.status_code == 201, answer.text
        stored.append(answer.json()["exchange_id"])
        if number == 24:
            worker = stack.find_child("worker")
            for process in [*worker.children(recursive=True), worker]:
                process.kill()
            redis.Redis.from_url(embedded.redis_url(stack.data_dir)).flushall()
    said = {"user_message": "I live in Trieste.", "assistant_message": "Noted."}
    last = api.post("threads/burst/exchanges?wait=learned", json=said)
    assert last.status_code == 201, last.text

    def learned(exchange_id: str) -> list[dict[str, Any]]:
        return list(api.get(f"exchanges/{exchange_id}").json()["learned"])

    # Read in order: with the last of them everything before it is read.
    assert eventually(lambda: learned(last.json()["exchange_id"])), "the last is not read"
    for number in range(0, 36, 6):
        assert [f"Nr. {number} " in one["text"] for one in learned(stored[number])] == [True], number


def test_a_worker_killed_while_it_reads_a_book_leaves_no_half_of_it(
    stack: Stack, api: httpx.Client, embedder: psutil.Process
) -> None:
    lines = [f"Shelf {number} of the archive keeps a {THINGS[number % 10]}." for number in range(600)]
    person, books = {"X-User-Id": USER}, f"{stack.api_url}/api/v1/books"
    embedder.send_signal(signal.SIGSTOP)
    file = ("shelves.txt", "\n\n".join(lines).encode())
    handed = api.post(f"{books}/upload", files={"file": file}, headers=person)
    assert handed.status_code == 202, handed.text

    def read_status() -> dict[str, Any]:
        return dict(api.get(f"{books}/jobs/{handed.json()['job_id']}/status", headers=person).json())

    assert eventually(lambda: read_status()["stage"] == "embedding", INDEXED_WITHIN_S), read_status()
    worker = stack.find_child("books")
    for process in [*worker.children(recursive=True), worker]:
        process.kill()
    redis.Redis.from_url(embedded.redis_url(stack.data_dir)).flushall()
    assert api.get(f"{books}/list", headers=person).json()["items"] == []
    embedder.send_signal(signal.SIGCONT)

    assert eventually(lambda: read_status()["status"] == "completed", INDEXED_WITHIN_S), read_status()
    [book] = api.get(f"{books}/list", headers=person).json()["items"]
    passages = api.get(f"{books}/{book['book_id']}/chunks?limit=200", headers=person).json()["items"]
    assert len(passages) == book["chunks"]
    told = "\n".join(passage["text"] for passage in passages)
    assert [line for line in lines if line not in told] == []
