"""OpenAI's client against a running installation: its web processes, and many streams at once."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from openai import OpenAI

from memory.proving.installation import Stack
from tests.doubles.chat_server import ChatServer, Streamed, Whole, completion, said
from tests.memory.gateway.kept import meta_of
from tests.patience import eventually, slowness

pytestmark = pytest.mark.slow
# More than a web process has slots; its threads are for those that wait as well.
STREAMS = 70
BEGUN_AT_ONCE = 4
"""Fewer than a process has slots, so that none is refused while its memories are looked up."""


@pytest.fixture(scope="module")
def model(installation: Stack) -> Iterator[ChatServer]:
    # One for all of them: the gateway keeps its connections, and with them the server they lead to.
    with ChatServer(installation.chat_port) as server:
        yield server


@pytest.fixture
def client(stack: Stack) -> Iterator[OpenAI]:
    headers = {"X-User-Id": "gateway"}
    with OpenAI(api_key=stack.api_key, base_url=f"{stack.api_url}/v1", default_headers=headers) as client:
        yield client


def list_exchanges(stack: Stack, thread: str) -> list[dict[str, Any]]:
    answer = httpx.get(
        f"{stack.api_url}/api/v1/users/gateway/exchanges?thread_id={thread}",
        headers={"Authorization": f"Bearer {stack.api_key}"},
        timeout=30,
    )
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def stream(client: OpenAI, thread: str) -> Any:
    return client.chat.completions.create(
        model="",
        messages=[{"role": "user", "content": f"Count in {thread}!"}],
        stream=True,
        extra_headers={"X-Thread-Id": thread},
        timeout=60,
    )


def test_many_streams_wait_while_others_are_served_and_one_goes_away(
    stack: Stack, client: OpenAI, model: ChatServer
) -> None:
    model.answers(Streamed(said("One, ", "two, ")[:-1], ends="pause"))
    with ThreadPoolExecutor(BEGUN_AT_ONCE) as pool:
        streams = list(pool.map(lambda number: stream(client, f"s-{number}"), range(STREAMS), timeout=240))
    with ThreadPoolExecutor(STREAMS) as pool:
        assert [next(iter(one)).choices[0].delta.content for one in streams] == [""] * STREAMS
        # All of them wait for the language model, and nobody else waits for them.
        assert list_exchanges(stack, "s-0") == []
        streams[0].close()
        # The server hears of it a moment later: a model that goes on in the same instant would have answered in full.
        time.sleep(slowness())
        model.go_on.set()
        rest: list[list[Any]] = list(pool.map(list, streams[1:]))
    texts = {"".join(part.choices[0].delta.content or "" for part in one if part.choices) for one in rest}
    assert texts == {"One, two, three"}
    assert {meta_of(parts[-1])["user_id"] for parts in rest} == {"gateway"}
    assert eventually(lambda: list_exchanges(stack, "s-0") and list_exchanges(stack, "s-1"))
    assert list_exchanges(stack, "s-1")[0]["assistant_message"] == "One, two, three"
    [left] = list_exchanges(stack, "s-0")
    assert left["interrupted"] is True
    assert left["assistant_message"].startswith("One, two,")


def test_a_whole_answer_of_either_api(stack: Stack, client: OpenAI, model: ChatServer) -> None:
    model.answers(Whole(completion("In the shed.")))
    reply = client.chat.completions.create(model="", messages=[{"role": "user", "content": "Where is my bicycle?"}])
    assert reply.choices[0].message.content == "In the shed."
    assert [one.id for one in client.models.list()] == ["scripted-1"]
