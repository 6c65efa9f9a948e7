"""The memory block for LlamaIndex, inside its Memory."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from commonplace_client import Person
from commonplace_client.llama_index import CommonplaceBlock
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import InsertMethod, Memory
from sqlalchemy.ext.asyncio import create_async_engine

from memory.models import EndUser
from tests.integrations.test_openai_agents import list_exchanges

pytestmark = pytest.mark.usefixtures("services")


def talk_to(person: Person, talk: Callable[[Memory, CommonplaceBlock], Awaitable[None]], **options: Any) -> None:
    async def begin() -> None:
        engine = create_async_engine("sqlite+aiosqlite:///:memory:")
        block = CommonplaceBlock(person)
        memory = Memory.from_defaults(session_id="s-1", memory_blocks=[block], async_engine=engine, **options)
        await talk(memory, block)
        await engine.dispose()

    asyncio.run(begin())


def test_what_leaves_the_window_is_kept_and_told_again(
    ann: Person, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    async def talk(memory: Memory, block: CommonplaceBlock) -> None:
        said = [("My train leaves at 07:40.", "Noted."), ("It rains.", "A pity."), ("Tell me a joke.", "ha " * 60)]
        for question, answer in said:
            await memory.aput_messages([ChatMessage(role="user", content=question)])
            await memory.aput_messages([ChatMessage(role="assistant", content=answer)])
        # What is still in the window when a session ends.
        await block.aput(await memory.aget_all(), session_id="s-1/end")
        too_long = [ChatMessage(role="user", content="Long."), ChatMessage(role="assistant", content="x" * 600_000)]
        fine = [ChatMessage(role="user", content="Short."), ChatMessage(role="assistant", content="Yes.")]
        await block.aput([*too_long, *fine], session_id="s-2")

    talk_to(ann, talk, token_limit=150, chat_history_token_ratio=0.5, token_flush_size=20)
    assert ("My train leaves at 07:40.", "Noted.") in list_exchanges(ann, "s-1")
    assert list_exchanges(ann, "s-1/end")[0][0] == "Tell me a joke."
    assert list_exchanges(ann, "s-2") == [("Short.", "Yes.")]
    index_now(user)

    told: list[ChatMessage] = []

    async def ask(memory: Memory, _: CommonplaceBlock) -> None:
        await memory.aput(ChatMessage(role="user", content="When does my train leave?"))
        told.extend(await memory.aget())

    talk_to(ann, ask, insert_method=InsertMethod.SYSTEM)
    assert [one.role.value for one in told] == ["system", "user"]
    assert "07:40" in str(told[0].content)
    assert "<commonplace>" in str(told[0].content)


def test_what_leaves_several_windows_at_once_is_kept_once(ann: Person) -> None:
    async def hand_over() -> None:
        block = CommonplaceBlock(ann)
        said = [
            [ChatMessage(role="user", content=f"Question {number}"), ChatMessage(role="assistant", content="Yes.")]
            for number in range(10)
        ]
        await asyncio.gather(*(block.aput(two, session_id=f"s-{number}") for number, two in enumerate(said)))

    asyncio.run(hand_over())
    kept = [one["user_message"] for one in ann.call("GET", "exchanges")["items"]]
    assert sorted(kept) == [f"Question {number}" for number in range(10)]


def test_a_memory_that_is_away_stops_no_turn(away: Person, ann: Person, caplog: pytest.LogCaptureFixture) -> None:
    async def talk(memory: Memory, block: CommonplaceBlock) -> None:
        await memory.aput(ChatMessage(role="user", content="When does my train leave?"))
        assert [one.role.value for one in await memory.aget()] == ["user"]
        messages = [ChatMessage(role="user", content="One."), ChatMessage(role="assistant", content="Two.")]
        await block.aput([ChatMessage(role="user", content="Zero."), *messages])
        await block.aput([ChatMessage(role="tool", content="43"), ChatMessage(role="assistant", content="Three.")])
        assert "1 turns wait" in caplog.text
        block.person = ann
        await block.aput([])

    talk_to(away, talk)
    assert list_exchanges(ann, "llama-index") == [("Zero.\n\nOne.", "Two.\n\nThree.")]
    assert "answered without a context" in caplog.text
