"""Every tool, driven by the official client over both transports."""

import re
import uuid
from typing import TYPE_CHECKING, Any

import anyio
import httpx
import pytest

from memory.proving.installation import Stack
from tests.memory.mcp.conftest import Connect, run_async
from tests.memory.tools.test_tools import NAMES

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

pytestmark = pytest.mark.slow


def words_of(result: "CallToolResult") -> str:
    [content] = result.content
    text: str = content.text  # type: ignore[union-attr]
    return text


async def done(client: "Client", name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, words_of(result)
    assert words_of(result)
    data: dict[str, Any] = result.structured_content
    return data


# What a tool says is the same over stdio, where each connection starts the product for five seconds.
OVER_HTTP = pytest.mark.parametrize("connect", ["http", "http of before"], indirect=True)


def test_what_is_offered(connect: Connect) -> None:
    async def look() -> None:
        async with connect("looker") as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(tools) == NAMES
            assert (await client.list_prompts()).prompts == []
            assert (await client.list_resources()).resources == []
            assert (await client.list_resource_templates()).resource_templates == []
            hints = {name: tool.annotations for name, tool in tools.items()}
            reading = {name for name, hint in hints.items() if hint and hint.read_only_hint}
            destructive = {name for name, hint in hints.items() if hint and hint.destructive_hint}
            assert reading == set(NAMES) & {"get_context_insights", "search_memory", "memory_search"}
            assert destructive == {"update_memory", "archive_memory"}
            assert tools["search_memory"].input_schema["required"] == ["query"]

    run_async(look)


def test_all_tools_do_their_work(connect: Connect) -> None:
    user = f"sailor-{uuid.uuid4().hex[:8]}"

    async def live() -> None:
        async with connect(user) as client:
            kept = await done(client, "add_to_memory_bank", content="Vera sails a blue dinghy", tags=["identity"])
            found = await done(client, "search_memory", query="blue dinghy", limit="3")
            assert [hit["content"] for hit in found["results"]] == ["Vera sails a blue dinghy"]
            reported = await done(client, "record_response", key_takeaway="Ask about wind first", outcome="worked")
            assert (reported["turn_id"], reported["learned"]) == (found["turn_id"], [kept["memory_id"]])
            changed = await done(client, "update_memory", match_query="blue dinghy", new_content="Vera sails a sloop")
            assert (changed["memory_id"], changed["version"]) == (kept["memory_id"], 2)
            lessons = await done(client, "search_memory", q="ask about wind first")
            assert lessons["results"][0]["content"] == "Ask about wind first"
            gone = await done(client, "archive_memory", memory_id=kept["memory_id"])
            assert gone["status"] == "archived"
            advice = await done(client, "get_context_insights", query="ask about wind first")
            assert "Ask about wind first" in [one["content"] for one in advice["relevant_patterns"]]
            assert not (await done(client, "search_memory", query="sloop", collections="memory_bank"))["results"]

    run_async(live)


@OVER_HTTP
def test_personal_records_are_recalled(connect: Connect, stack: Stack) -> None:
    user = f"keeper-{uuid.uuid4().hex[:8]}"
    kept = httpx.post(
        f"{stack.api_url}/api/v1/users/{user}/kinds/todos",
        json={"title": "Buy cables for the lab"},
        headers={"Authorization": f"Bearer {stack.api_key}"},
        timeout=20,
    ).json()

    async def recall() -> None:
        async with connect(user) as client:
            for _ in range(100):  # The worker embeds it in a moment.
                card = await done(client, "memory_search", query="what do I need for the lab?")
                if card["diagnostics"]["results"]:
                    break
                await anyio.sleep(0.2)
            [hit] = card["diagnostics"]["results"]
            assert (hit["kind"], hit["ref_id"], hit["snippet"]) == ("todo", kept["id"], "Buy cables for the lab")
            # The name it had before, which clients may have learned.
            assert await done(client, "memory.search", query="what do I need for the lab?")

    run_async(recall)


@OVER_HTTP
def test_stored_words_come_quoted(connect: Connect) -> None:
    async def look() -> None:
        async with connect("demo") as client:
            result = await client.call_tool("search_memory", {"query": "What finally fixed ERR_4521?", "limit": 2})
            lines = words_of(result).split("\n")
            assert any(re.match(r"> .*ERR_4521", line) for line in lines)
            assert not any("ERR_4521" in line for line in lines if not line.startswith("> "))

    run_async(look)


MISTAKES: list[tuple[str, dict[str, Any], str]] = [
    ("search_memory", {}, "query: is required"),
    ("search_memory", {"query": "x", "limit": 99}, "limit: "),
    ("update_memory", {"memory_id": str(uuid.uuid4()), "new_content": "x"}, "memory_id: there is no such memory"),
    ("add_to_memory_bank", {"content": "My password is the name of my dog", "tags": ["identity"]}, "content: "),
    ("record_response", {"key_takeaway": "x", "turn_id": str(uuid.uuid4())}, "turn_id: there is no such turn"),
    ("fly", {}, "there is no tool 'fly'"),
]


@OVER_HTTP
def test_a_mistake_is_told_in_a_sentence(connect: Connect) -> None:
    async def err() -> None:
        # One connection for all: over stdio each starts the product.
        async with connect("clumsy") as client:
            for name, arguments, reason in MISTAKES:
                result = await client.call_tool(name, arguments)
                assert result.is_error, name
                assert reason in words_of(result), name
                assert "Traceback" not in words_of(result), name

    run_async(err)
