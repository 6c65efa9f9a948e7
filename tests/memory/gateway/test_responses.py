"""``/v1/responses``, whole and in events."""

from collections.abc import Callable
from typing import Any

import pytest
from openai import OpenAI

from memory.models import EndUser
from tests.api_client import ApiClient
from tests.doubles.chat_server import (
    ChatServer,
    Streamed,
    Whole,
    call_item,
    message_item,
    response_body,
    response_events,
)
from tests.memory.gateway.kept import meta_of, rows, stored

BIKE = "My bicycle stands in the blue shed behind the library."
QUESTION = "Where did I leave my bicycle?"
WEATHER: Any = {"type": "function", "name": "get_weather", "parameters": {"type": "object"}, "strict": False}


@pytest.fixture
def remembered(api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]) -> None:
    api.post("memories", {"text": BIKE, "tier": "history"})
    index_now(user)


def test_what_is_known_reaches_the_model_and_what_is_said_is_kept(
    client: OpenAI, model: ChatServer, user: EndUser, remembered: None
) -> None:
    model.answers(Whole(response_body(message_item("In the blue shed."))))
    reply = client.responses.create(input=QUESTION, instructions="Be brief.", store=False)

    [asked] = model.asked
    assert asked.path.endswith("/responses")
    assert asked.body["model"] == "scripted-1"
    assert asked.body["instructions"].startswith("Be brief.\n\n")
    [question] = asked.body["input"]
    assert BIKE in question["content"]
    assert question["content"].endswith(QUESTION)
    assert reply.output_text == "In the blue shed."
    assert stored(user) == [(QUESTION, "In the blue shed.", False)]
    assert meta_of(reply)["exchange_id"] == str(rows(user)[0].pk)


def test_a_system_message_of_the_input_stays_the_beginning(client: OpenAI, model: ChatServer, remembered: None) -> None:
    model.answers(Whole(response_body(message_item("Yes."))))
    parts: Any = [{"type": "input_image", "image_url": "data:,"}, {"type": "input_text", "text": QUESTION}]
    client.responses.create(input=[{"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts}])
    system, question = model.asked[0].body["input"]
    assert system["content"].startswith("Be brief.\n\n")
    assert "instructions" not in model.asked[0].body
    context, *own = question["content"]
    assert BIKE in context["text"]
    assert own == parts


def test_a_stream_is_passed_on_and_ends_with_the_turn(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    model.answers(Streamed(response_events(message_item("In the blue shed."))))
    events: list[Any] = list(client.responses.create(input=QUESTION, stream=True))
    assert "".join(one.delta for one in events if one.type == "response.output_text.delta") == "In the blue shed."
    assert [one.sequence_number for one in events] == list(range(len(events)))
    assert events[-1].type == "response.completed"
    assert meta_of(events[-1].response)["exchange_id"] == str(rows(user)[0].pk)
    assert stored(user) == [(QUESTION, "In the blue shed.", False)]


def test_a_client_that_goes_away_leaves_what_it_was_told(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    model.answers(Streamed(response_events(message_item("One, two, three"))[:4], ends="hang"))
    stream: Any = client.responses.create(input="Count!", stream=True)
    for event in stream:
        if event.type == "response.output_text.delta" and event.delta != "One":
            break
    stream.close()
    model.go_on.set()
    assert stored(user) == [("Count!", "One, two, three", True)]


@pytest.mark.parametrize("streams", [True, False])
def test_our_search_runs_inside_and_once(
    client: OpenAI, model: ChatServer, user: EndUser, remembered: None, *, streams: bool
) -> None:
    thought = {"id": "rs_1", "type": "reasoning", "summary": []}
    first = [thought, message_item("Hm. "), call_item("search_memory", {"query": "bicycle shed"})]
    second = message_item("In the shed.")
    model.answers(
        Streamed(response_events(*first[1:])) if streams else Whole(response_body(*first)),
        Streamed(response_events(second, response_id="resp_2"))
        if streams
        else Whole(response_body(second, response_id="resp_2")),
    )
    result: Any = client.responses.create(input=QUESTION, stream=streams, tools=[WEATHER], store=False)
    if streams:
        events = list(result)
        reply = events[-1].response
        assert not any("function_call" in event.type for event in events)
        assert [one.sequence_number for one in events] == list(range(len(events)))
        added = [one for one in events if one.type == "response.output_item.added"]
        assert [one.output_index for one in added] == [0, 1]
    else:
        reply = result
    assert reply.output_text == "Hm. In the shed."
    assert not [item for item in reply.output if item.type == "function_call"]
    assert reply.usage.total_tokens == 24
    *kept, call, found = model.asked[1].body["input"]
    assert (call["name"], found["type"]) == ("search_memory", "function_call_output")
    assert BIKE in found["output"]
    # Nothing is kept at the server, so neither ids nor thoughts mean anything to it.
    assert not [item for item in kept if "id" in item or item.get("type") == "reasoning"]
    assert stored(user) == [(QUESTION, "Hm. In the shed.", False)]


def test_a_conversation_that_the_server_keeps_is_one_thread(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    model.answers(
        Whole(response_body(message_item("Hello."))),
        Whole(response_body(message_item("Fine."), response_id="resp_2")),
        Whole(response_body(message_item("Bye."), response_id="resp_3")),
    )
    for said, before in (("Hi there", None), ("How are you?", "resp_1"), ("Goodbye then", "resp_2")):
        client.responses.create(input=said, previous_response_id=before)
    client.responses.create(input="Hello again", conversation="conv_9")
    threads = [row.thread_id for row in rows(user)]
    assert len(set(threads[:3])) == 1
    assert threads[3] == "conv_9"


def test_tools_of_the_client_and_of_the_server_are_left_alone(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    theirs = call_item("get_weather", {"city": "York"}, "theirs")
    model.answers(Whole(response_body(theirs, call_item("search_memory", {"query": "x"}, "ours"))))
    reply = client.responses.create(input="Rain in York?", tools=[WEATHER])
    assert [getattr(item, "call_id", "") for item in reply.output] == ["theirs"]
    assert stored(user) == []
    model.answers(Whole(response_body(message_item("No rain."))))
    told: Any = {"type": "function_call_output", "call_id": "theirs", "output": "dry"}
    asked: Any = [{"role": "user", "content": "Rain in York?"}, theirs, told]
    client.responses.create(input=asked, tools=[WEATHER])
    assert stored(user) == [("Rain in York?", "No rain.", False)]


def test_a_failure_that_the_server_tells_is_passed_on(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    failed = {**response_body(message_item("One")), "status": "failed", "error": {"code": "x", "message": "overloaded"}}
    model.answers(
        Streamed([*response_events(message_item("One"))[:4], {"type": "response.failed", "response": failed}])
    )
    events: list[Any] = list(client.responses.create(input="Count!", stream=True))
    assert events[-1].type == "response.failed"
    assert events[-1].response.error.message == "overloaded"
    assert stored(user) == [("Count!", "One", True)]
