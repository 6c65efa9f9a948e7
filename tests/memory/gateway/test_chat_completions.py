"""``/v1/chat/completions``, whole and in events."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from django.utils import timezone
from openai import APIError, OpenAI

from memory.models import EndUser
from tests.api_client import ApiClient
from tests.doubles.chat_server import ChatServer, Streamed, Whole, call, call_chunks, chunk, completion, said
from tests.factories import keep_personality
from tests.memory.gateway.kept import meta_of, rows, stored

BIKE = "My bicycle stands in the blue shed behind the library."
QUESTION = "Where did I leave my bicycle?"
WEATHER: Any = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}},
}


@pytest.fixture
def remembered(api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]) -> None:
    api.post("memories", {"text": BIKE, "tier": "history"})
    index_now(user)


def ask(client: OpenAI, text: str = QUESTION, **more: Any) -> Any:
    return client.chat.completions.create(model="", messages=[{"role": "user", "content": text}], **more)


def read(stream: Any) -> tuple[str, list[Any]]:
    chunks = list(stream)
    return "".join(one.choices[0].delta.content or "" for one in chunks if one.choices), chunks


def test_what_is_known_reaches_the_model_and_what_is_said_is_kept(
    client: OpenAI, model: ChatServer, user: EndUser, remembered: None
) -> None:
    model.answers(Whole(completion("In the blue shed.")))
    reply = client.chat.completions.create(
        model="",
        messages=[
            {"role": "system", "content": "You are brief."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hello!"},
            {"role": "user", "content": QUESTION},
        ],
        temperature=0.3,
        extra_body={"a_field_of_tomorrow": 1},
        extra_headers={"X-Thread-Id": "t-1"},
    )

    [asked] = model.asked
    system, hello, answer, question = asked.body["messages"]
    assert reply.choices[0].message.content == "In the blue shed."
    assert (asked.body["model"], asked.body["temperature"], asked.body["a_field_of_tomorrow"]) == ("scripted-1", 0.3, 1)
    assert asked.headers["authorization"] == "Bearer sk-of-the-upstream"
    # The client's own words stay the beginning of the prompt, and its history stays as it was.
    assert system["content"].startswith("You are brief.\n\n")
    assert (hello["content"], answer["content"]) == ("Hello", "Hello!")
    assert BIKE in question["content"]
    assert question["content"].endswith(QUESTION)
    assert BIKE not in system["content"]
    assert stored(user) == [(QUESTION, "In the blue shed.", False)]
    [row] = rows(user)
    meta = meta_of(reply)
    assert meta["exchange_id"] == str(row.pk)
    assert meta["turn_id"] == str(row.turn_id)
    assert (row.thread_id, meta["thread_id"], meta["user_id"]) == ("t-1", "t-1", "ann")
    assert [memory["tier"] for memory in meta["memories"]] == ["history"]
    assert meta["valid"] is True


def test_the_stable_part_is_the_same_in_every_turn_of_a_thread(
    client: OpenAI, model: ChatServer, remembered: None
) -> None:
    first: list[Any] = [{"role": "user", "content": QUESTION}]
    client.chat.completions.create(model="", messages=first)
    client.chat.completions.create(
        model="",
        messages=[*first, {"role": "assistant", "content": "Noted."}, {"role": "user", "content": "And my car?"}],
    )

    before, after = (exchange.body["messages"] for exchange in model.asked)
    assert before[0]["role"] == after[0]["role"] == "system"
    assert before[0] == after[0]
    # What belonged to the first turn alone is not in the history that the client sends.
    assert after[1]["content"] == QUESTION
    assert model.asked[0].body["tools"] == model.asked[1].body["tools"]


def test_the_personality_reaches_the_model_in_the_system_message(
    client: OpenAI, model: ChatServer, user: EndUser, remembered: None
) -> None:
    keep_personality(user, "Ada", timezone.now())
    ask(client)
    system, question = model.asked[0].body["messages"]
    assert "You are Ada.\nThe user is a different person from you." in system["content"]
    assert "Ada" not in question["content"]


def test_a_stream_is_passed_on_and_ends_with_the_turn(
    client: OpenAI, model: ChatServer, user: EndUser, remembered: None
) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
    model.answers(
        Streamed([b": waking up\n\n", *said("In the ", "blue ", "shed."), chunk({}, choices=[], usage=usage)])
    )

    response = client.chat.completions.with_raw_response.create(
        model="", messages=[{"role": "user", "content": QUESTION}], stream=True, stream_options={"include_usage": True}
    )
    text, chunks = read(response.parse())

    assert text == "In the blue shed."
    assert stored(user) == [(QUESTION, "In the blue shed.", False)]
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage.total_tokens == 13
    meta = meta_of(chunks[-1])
    assert meta["exchange_id"] == str(rows(user)[0].pk)
    assert response.headers["X-Commonplace-Turn"] == meta["turn_id"]
    assert response.headers["X-Commonplace-Confidence"] == meta["confidence"]


def test_the_clients_own_helper_reads_the_stream(client: OpenAI, model: ChatServer) -> None:
    model.answers(Streamed(said("Good ", "morning.")))
    with client.chat.completions.stream(model="x", messages=[{"role": "user", "content": "Hi there"}]) as stream:
        for _ in stream:
            pass
        final = stream.get_final_completion()
    assert final.choices[0].message.content == "Good morning."


def test_thoughts_are_passed_on_and_not_kept(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    model.answers(Streamed(said("<th", "ink>They want", " it short.</thi", "nk>\n", "Yes.")))
    text, _ = read(ask(client, "Is water wet?", stream=True))
    assert text.startswith("<think>")
    model.answers(Whole(completion("A thought whose beginning the template wrote</think>No.")))
    ask(client, "Is ice wet?")
    assert stored(user) == [("Is water wet?", "Yes.", False), ("Is ice wet?", "No.", False)]


def test_a_client_that_goes_away_leaves_what_it_was_told(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    model.answers(Streamed(said("One, ", "two, ", "three")[:-1], ends="hang"))
    stream = ask(client, "Count!", stream=True)
    for part in stream:
        if part.choices[0].delta.content == "two, ":
            break
    stream.close()
    model.go_on.set()
    assert stored(user) == [("Count!", "One, two,", True)]


@pytest.mark.parametrize("begun", [True, False])
def test_an_upstream_that_breaks_off_is_an_error_in_the_stream(
    client: OpenAI, model: ChatServer, user: EndUser, *, begun: bool
) -> None:
    model.answers(Streamed(said("One, ", "two")[:-1] if begun else [], ends="break"))
    with pytest.raises(APIError, match=r"broke off|cannot be reached"):
        list(ask(client, "Count!", stream=True))
    assert stored(user) == ([("Count!", "One, two", True)] if begun else [])


def test_the_clients_tools_are_the_clients(client: OpenAI, model: ChatServer, user: EndUser) -> None:
    model.answers(Streamed([*call_chunks("get_weather", {"city": "York"}), chunk({}, "tool_calls")]))
    _, chunks = read(ask(client, "Rain in York?", stream=True, tools=[WEATHER]))
    calls = [part for one in chunks for part in one.choices[0].delta.tool_calls or []]
    assert calls[0].function.name == "get_weather"
    assert "".join(part.function.arguments for part in calls) == '{"city": "York"}'
    assert chunks[-1].choices[0].finish_reason == "tool_calls"
    # The turn goes on with another request, which ends it.
    assert stored(user) == []
    model.answers(Whole(completion("No rain.")))
    reply = client.chat.completions.create(
        model="",
        tools=[WEATHER],
        messages=[
            {"role": "user", "content": "Rain in York?"},
            {"role": "assistant", "tool_calls": cast("Any", [call("get_weather", {"city": "York"})])},
            {"role": "tool", "tool_call_id": "call_1", "content": "dry"},
        ],
    )
    assert reply.choices[0].message.content == "No rain."
    assert stored(user) == [("Rain in York?", "No rain.", False)]


@pytest.mark.parametrize("streams", [True, False])
def test_our_search_runs_inside_and_once(
    client: OpenAI, model: ChatServer, user: EndUser, remembered: None, *, streams: bool
) -> None:
    arguments = {"query": "bicycle shed"}
    searches = (
        Streamed([*said("Let me look. ")[:-1], *call_chunks("search_memory", arguments), chunk({}, "tool_calls")])
        if streams
        else Whole(completion("Let me look. ", reason="tool_calls", tool_calls=[call("search_memory", arguments)]))
    )
    model.answers(searches, Streamed(said("In the shed.")) if streams else Whole(completion("In the shed.")))

    result = ask(client, "What did I say about the thing on two wheels?", stream=streams, tools=[WEATHER])
    if streams:
        text, chunks = read(result)
        assert not any(one.choices[0].delta.tool_calls for one in chunks if one.choices)
        assert [one.choices[0].finish_reason for one in chunks if one.choices[0].finish_reason] == ["stop"]
        meta = meta_of(chunks[-1])
    else:
        text, meta = result.choices[0].message.content, meta_of(result)
        assert result.choices[0].message.tool_calls is None
        assert result.usage.total_tokens == 24
    assert text == "Let me look. In the shed."
    assert meta["searches"] == 1
    first, second = (exchange.body for exchange in model.asked)
    assert [tool["function"]["name"] for tool in first["tools"]] == ["get_weather", "search_memory"]
    assert second["tools"] == first["tools"]
    *_, asked, found = second["messages"]
    assert asked["tool_calls"][0]["function"]["name"] == "search_memory"
    assert BIKE in found["content"]
    # A tool that is not among those offered would be called all the same.
    assert "record_response" not in str([first, second])
    assert [answer for _, answer, _ in stored(user)] == ["Let me look. In the shed."]


def test_a_call_of_ours_beside_one_of_the_clients_is_hidden(client: OpenAI, model: ChatServer) -> None:
    model.answers(
        Streamed(
            [
                *call_chunks("search_memory", {"query": "x"}, call_id="ours"),
                *call_chunks("get_weather", {"city": "York"}, index=1, call_id="theirs"),
                chunk({}, "tool_calls"),
            ]
        )
    )
    _, chunks = read(ask(client, stream=True, tools=[WEATHER]))
    calls = [part for one in chunks for part in one.choices[0].delta.tool_calls or []]
    assert {part.index for part in calls} == {0}
    assert [part.id for part in calls if part.id] == ["theirs"]
    both = [call("search_memory", {"query": "x"}), call("get_weather", {"city": "York"}, "theirs")]
    model.answers(Whole(completion(None, reason="tool_calls", tool_calls=both)))
    reply = ask(client, tools=[WEATHER])
    assert [one.id for one in reply.choices[0].message.tool_calls] == ["theirs"]


def test_a_model_that_cannot_stop_searching_is_stopped(client: OpenAI, model: ChatServer) -> None:
    again = call("search_memory", {"query": "bicycle"})
    model.answers(Whole(completion(None, reason="tool_calls", tool_calls=[again])))
    reply = ask(client)
    assert reply.choices[0].finish_reason == "stop"
    assert reply.choices[0].message.tool_calls is None
    assert len(model.asked) == 3
    assert model.asked[-1].body["messages"][-1]["content"].startswith("This turn has had its search")


def test_where_the_model_takes_no_tools_ours_is_left_out(client: OpenAI, model: ChatServer) -> None:
    refusal = {"error": {"message": "this model does not support tools", "type": "api_error"}}
    model.answers(Whole(refusal, 400), Whole(completion("Hello.")))
    assert ask(client).choices[0].message.content == "Hello."
    assert ask(client).choices[0].message.content == "Hello."
    assert ["tools" in exchange.body for exchange in model.asked] == [True, False, False]


def test_a_client_with_such_a_tool_or_a_demand_of_its_own_gets_none_of_ours(client: OpenAI, model: ChatServer) -> None:
    own = {"type": "function", "function": {"name": "search_memory", "parameters": {}}}
    ask(client, tools=[own])
    ask(client, tools=[WEATHER], tool_choice="required")
    ask(client, n=2)
    assert [exchange.body.get("tools") for exchange in model.asked] == [[own], [WEATHER], None]


def test_an_order_is_carried_out_and_the_model_told_of_it(client: OpenAI, model: ChatServer, api: ApiClient) -> None:
    reply = ask(client, "Add a goal: swim a mile", extra_headers={"X-Thread-Id": "t-orders"})

    [asked] = model.asked
    assert "Goal kept: swim a mile" in asked.body["messages"][-1]["content"]
    assert meta_of(reply)["orders"][0]["action"] == "add_goal"
    assert [goal["text"] for goal in api.get("goals").json()["items"]] == ["swim a mile"]

    ask(client, "Add a goal: swim two miles", extra_headers={"X-Memory-Mode": "read"})
    assert len(api.get("goals").json()["items"]) == 1


def test_an_order_to_remove_what_nobody_keeps_is_a_question_like_any_other(
    client: OpenAI, model: ChatServer, api: ApiClient
) -> None:
    asking = "Delete the goal column from the table"
    reply = ask(client, asking, extra_headers={"X-Thread-Id": "t-orders"})
    [asked] = model.asked
    assert "order to their memory" not in str(asked.body["messages"])
    assert not meta_of(reply).get("orders")

    ask(client, "Add a goal: swim a mile", extra_headers={"X-Thread-Id": "t-orders"})
    reply = ask(client, "Remove the goal of swimming", extra_headers={"X-Thread-Id": "t-orders"})
    assert meta_of(reply)["orders"][0]["done"] is True
