"""The session and the tools for OpenAI Agents, in runs of its own Runner with a model that follows a script."""

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Session, Usage, set_tracing_disabled
from commonplace_client import MemoryUnavailable, Person
from commonplace_client.openai_agents import CommonplaceSession, add_context, list_memory_tools
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)

from memory.models import EndUser

pytestmark = pytest.mark.usefixtures("services")
set_tracing_disabled(True)
os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")


class ScriptedModel(Model):
    """Answers in turn, and keeps what it was told."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.told: list[tuple[str | None, Any]] = []

    async def get_response(
        self, system_instructions: str | None, input: Any, *rest: Any, **options: Any
    ) -> ModelResponse:
        self.told.append((system_instructions, input))
        return ModelResponse(output=[self.answers.pop(0)], usage=Usage(), response_id=None)

    async def stream_response(self, *rest: Any, **options: Any) -> Any:
        whole = await self.get_response(*rest[:2])
        about: dict[str, Any] = {"id": "r1", "created_at": 0, "model": "m", "object": "response", "tools": []}
        about |= {"output": whole.output, "parallel_tool_calls": False, "tool_choice": "auto"}
        yield ResponseCompletedEvent(response=Response(**about), sequence_number=0, type="response.completed")


def say(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="m1", content=[part], role="assistant", status="completed", type="message")


def call(name: str, **arguments: Any) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(call_id="c1", name=name, arguments=json.dumps(arguments), type="function_call")


def run(model: ScriptedModel, said: str, session: Any, **options: Any) -> str:
    config = RunConfig(**options.pop("config", {}))
    agent = Agent(name="helper", instructions="Be brief.", model=model, **options)
    return str(asyncio.run(Runner.run(agent, said, session=session, run_config=config)).final_output)


async def stream(model: ScriptedModel, said: str, session: Any) -> str:
    result = Runner.run_streamed(Agent(name="helper", model=model), said, session=session)
    async for _ in result.stream_events():
        pass
    return str(result.final_output)


def list_exchanges(person: Person, thread: str) -> list[tuple[str, str]]:
    page = person.call("GET", "exchanges", thread_id=thread)
    return [(one["user_message"], one["assistant_message"]) for one in page["items"]]


def test_a_conversation_goes_on_and_is_learned_from(ann: Person) -> None:
    session = CommonplaceSession("s-1", ann)
    assert isinstance(session, Session)
    run(ScriptedModel(say("Noted.")), "I live in York.", session)
    # Another process.
    model = ScriptedModel(say("In York."))
    assert run(model, "Where do I live?", CommonplaceSession("s-1", ann)) == "In York."
    told = [item.get("content") for item in model.told[0][1]]
    assert told[0] == "I live in York."
    assert told[-1] == "Where do I live?"
    model = ScriptedModel(say("Since 2019."))
    assert asyncio.run(stream(model, "Since when?", CommonplaceSession("s-1", ann))) == "Since 2019."
    assert [item.get("content") for item in model.told[0][1]][::2] == [
        "I live in York.",
        "Where do I live?",
        "Since when?",
    ]
    assert list_exchanges(ann, "s-1") == [
        ("Since when?", "Since 2019."),
        ("Where do I live?", "In York."),
        ("I live in York.", "Noted."),
    ]


def test_items_are_kept_as_they_are(ann: Person) -> None:
    async def check() -> None:
        session, longer = CommonplaceSession("s", ann, learn=False), CommonplaceSession("s:000001", ann, learn=False)
        items = [{"role": "user", "content": f"{place} " + "word " * 500} for place in range(14)]
        await session.add_items(items[:5])
        await longer.add_items([{"role": "user", "content": "other"}])
        await CommonplaceSession("s", ann, learn=False).add_items(items[5:])
        assert await session.get_items() == items
        assert await session.get_items(limit=3) == items[-3:]
        assert await session.get_items(limit=0) == []
        assert len(session.pages) > 2
        big = {"type": "function_call_output", "call_id": "c", "output": "é" * 40_000}
        await session.add_items([big])
        # What fits nowhere does not stand in the way of what comes after it.
        await session.add_items([{"type": "reasoning", "encrypted_content": "x" * 40_000}])
        popped = await session.pop_item()
        # As much as a page holds, two bytes each.
        left, _, mark = popped["output"].partition(" [cut: ")
        assert 7_400 < len(left) < 7_500
        assert mark == f"{40_000 - len(left)} more characters]"
        assert await session.pop_item() == items[-1]
        assert await session.get_items() == items[:-1]
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
        assert len(await longer.get_items()) == 1

    asyncio.run(check())
    assert list_exchanges(ann, "s") == []
    with pytest.raises(ValueError, match="A session id is"):
        CommonplaceSession("a/b", ann)


@pytest.mark.parametrize("sessions", [1, 5])
def test_what_is_added_at_once_is_all_kept(ann: Person, sessions: int) -> None:
    """By the tasks of one session, and by several sessions of one id, as of several processes."""

    async def add() -> None:
        opened = [CommonplaceSession("s-4", ann, learn=False) for _ in range(sessions)]
        added = [[{"role": "user", "content": f"{number} {part}"} for part in ("a", "b")] for number in range(10)]
        await asyncio.gather(*(opened[place % sessions].add_items(items) for place, items in enumerate(added)))
        kept = [item["content"] for item in await CommonplaceSession("s-4", ann).get_items()]
        assert sorted(kept) == sorted(item["content"] for items in added for item in items)
        popped = await asyncio.gather(*(session.pop_item() for session in opened * (20 // sessions)))
        assert sorted(item["content"] for item in popped) == sorted(kept)
        assert await opened[0].pop_item() is None

    asyncio.run(add())


def test_every_turn_that_is_held_is_learned_from_in_the_end(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    session = CommonplaceSession("s-5", ann)

    def refuse(*_: Any, **__: Any) -> None:
        raise MemoryUnavailable("away")

    async def talk() -> None:
        with monkeypatch.context() as away:
            away.setattr(Person, "list_data", refuse)
            for number in range(3):
                await session.add_items([{"role": "user", "content": f"Question {number}"}])
                await session.add_items([{"role": "assistant", "content": f"Answer {number}"}])
        with monkeypatch.context() as away:
            away.setattr(Person, "store_exchange", refuse)
            await session.add_items([{"role": "user", "content": "Question 3"}])
        await session.add_items([{"role": "assistant", "content": "Answer 3"}])
        assert len(await session.get_items()) == 8

    asyncio.run(talk())
    assert sorted(list_exchanges(ann, "s-5")) == [(f"Question {number}", f"Answer {number}") for number in range(4)]


def test_the_tools_and_the_context_reach_the_model(
    ann: Person, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    tools = list_memory_tools(ann)
    assert len(tools) == 7
    model = ScriptedModel(
        call("add_to_memory_bank", content="Ann's sister is called Mia.", tags=["identity"]), say("Done.")
    )
    session = CommonplaceSession("s-2", ann)
    assert run(model, "My sister is called Mia.", session, tools=tools) == "Done."
    # The answer alone ends the turn, not the call before it.
    assert list_exchanges(ann, "s-2") == [("My sister is called Mia.", "Done.")]
    index_now(user)
    model = ScriptedModel(call("search_memory", query=""), say("Mia."))
    told = {"config": {"call_model_input_filter": add_context(ann)}}
    assert run(model, "What is my sister called?", None, tools=tools, **told) == "Mia."
    instructions, items = model.told[0]
    assert instructions is not None
    assert instructions.startswith("Be brief.")
    assert "Mia" in json.dumps([instructions, items[:-1]])
    assert items[-1]["content"] == "What is my sister called?"
    refusal = next(item for item in model.told[1][1] if item.get("type") == "function_call_output")
    assert refusal["output"].startswith("The memory did not do that: query")


def test_what_the_session_keeps_is_of_the_turn_that_the_context_told(
    ann: Person, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    kept = ann.store("Ann's train leaves at 07:40", tier="working")
    index_now(user)
    session = CommonplaceSession("s-6", ann)
    told = {"config": {"call_model_input_filter": add_context(ann, session)}}
    run(ScriptedModel(say("At 07:40.")), "When does my train leave?", session, **told)
    [exchange] = ann.call("GET", "exchanges", thread_id="s-6")["items"]
    assert exchange["turn_id"]
    scored = ann.record_outcome("worked", exchange_id=exchange["exchange_id"])["scored"]
    assert kept["id"] in {one["memory_id"] for one in scored}
    # What nobody was told anything about is of no turn.
    run(ScriptedModel(say("Yes.")), "Is it late?", session)
    assert ann.call("GET", "exchanges", thread_id="s-6")["items"][0]["turn_id"] is None


def test_a_memory_that_is_away_stops_no_run(away: Person, caplog: pytest.LogCaptureFixture) -> None:
    session = CommonplaceSession("s-3", away)
    told = {"config": {"call_model_input_filter": add_context(away)}}
    run(ScriptedModel(say("Noted.")), "I live in York.", session, **told)
    model = ScriptedModel(say("In York."))
    assert run(model, "Where do I live?", session, **told) == "In York."
    assert model.told[0][1][0]["content"] == "I live in York."
    assert "answered without a context" in caplog.text
    with pytest.raises(MemoryUnavailable):
        asyncio.run(session.clear_session())
