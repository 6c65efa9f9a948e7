"""The memory tool for Anthropic's SDK: its six commands, in the SDK's own runner."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from commonplace_client import Person
from commonplace_client.anthropic_memory import AsyncCommonplaceMemoryTool, CommonplaceMemoryTool

from memory.models import EndUser

pytestmark = pytest.mark.usefixtures("services")

NOTES = "/memories/notes/ann.md"


class ScriptedServer:
    """Asks for one command after the other, and keeps what each was answered."""

    def __init__(self, *commands: dict[str, Any]) -> None:
        self.commands = list(commands)
        self.tools: list[Any] = []
        self.results: list[tuple[str, bool]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        # Later versions of the SDK name the tools once.
        self.tools = body.get("tools", self.tools)
        for block in body["messages"][-1]["content"]:
            if isinstance(block, dict) and block.get("type") == "tool_result":
                text = block["content"] if isinstance(block["content"], str) else block["content"][0]["text"]
                self.results.append((text, block.get("is_error", False)))
        content: dict[str, Any] = {"type": "text", "text": "Done."}
        if self.commands:
            content = {"type": "tool_use", "id": "t1", "name": "memory", "input": self.commands.pop(0)}
        usage = {"input_tokens": 1, "output_tokens": 1}
        reason = "tool_use" if content["type"] == "tool_use" else "end_turn"
        answer = {"id": "m1", "type": "message", "role": "assistant", "model": "m", "content": [content]}
        return httpx2.Response(200, json={**answer, "stop_reason": reason, "stop_sequence": None, "usage": usage})


def run(person: Person, *commands: dict[str, Any]) -> list[tuple[str, bool]]:
    server = ScriptedServer(*commands)
    client = Anthropic(api_key="k", http_client=httpx2.Client(transport=httpx2.MockTransport(server)), max_retries=0)
    asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Remember."}]}
    client.beta.messages.tool_runner(**asked, tools=[CommonplaceMemoryTool(person)]).until_done()
    assert server.tools == [{"type": "memory_20250818", "name": "memory"}]
    return server.results


def edit(command: str, path: str = NOTES, **fields: Any) -> dict[str, Any]:
    return {"command": command, "path": path, **fields}


def test_a_file_is_a_memory_and_an_edit_a_version(
    ann: Person, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    text = "# Ann\n\n- eats no meat\n- lives in York  \n"
    results = run(
        ann,
        edit("view", "/memories"),
        edit("create", file_text=text),
        edit("view"),
        edit("str_replace", old_str="York", new_str="Leeds"),
        edit("insert", insert_line=3, insert_text="- has a dog\n"),
        edit("view", view_range=[3, -1]),
        edit("create", "/memories/empty.txt", file_text=""),
        edit("insert", "/memories/empty.txt", insert_line=0, insert_text="first"),
        edit("view", "/memories"),
    )
    assert not any(is_error for _, is_error in results)
    assert [text for text, _ in results] == [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n0B\t/memories",
        f"File created successfully at: {NOTES}",
        f"Here's the content of {NOTES} with line numbers:\n"
        "     1\t# Ann\n     2\t\n     3\t- eats no meat\n     4\t- lives in York  \n     5\t",
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\t\n     3\t- eats no meat\n     4\t- lives in Leeds  \n     5\t",
        f"The file {NOTES} has been edited.",
        f"Here's the content of {NOTES} with line numbers:\n"
        "     3\t- eats no meat\n     4\t- has a dog\n     5\t- lives in Leeds  \n     6\t",
        "File created successfully at: /memories/empty.txt",
        "The file /memories/empty.txt has been edited.",
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n"
        "59B\t/memories\n6B\t/memories/empty.txt\n53B\t/memories/notes/\n53B\t/memories/notes/ann.md",
    ]
    index_now(user)
    [found, *_] = ann.search("where does she live?")
    assert "Leeds" in found["content"]
    versions = ann.call("GET", f"memories/{found['memory_id']}/versions")["items"]
    assert [one["text"].count("York") for one in versions] == [0, 1]


def test_files_move_and_go(ann: Person) -> None:
    made = [edit("create", f"/memories/{name}", file_text="x") for name in ("a/one", "a/two", "b")]
    results = run(
        ann,
        *made,
        {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/c/d"},
        {"command": "rename", "old_path": "/memories/b", "new_path": "/memories/c"},
        edit("delete", "/memories/c/d/one"),
        edit("view", "/memories/c/d/"),
        edit("delete", "/memories/c"),
        edit("view", "/memories/c"),
    )
    texts = [text for text, _ in results[3:]]
    assert texts[0] == "Successfully renamed /memories/a to /memories/c/d"
    assert texts[1] == "The destination /memories/c already exists"
    assert texts[3].endswith("\n1B\t/memories/c/d\n1B\t/memories/c/d/two")
    assert texts[5] == "The path /memories/c does not exist. Please provide a valid path."
    assert [is_error for _, is_error in results[3:]] == [False, True, False, False, False, True]
    assert CommonplaceMemoryTool(ann).clear_all_memory() == "All memory cleared"
    assert list(ann.list_memories()) == []


def test_the_model_is_told_what_was_wrong(ann: Person, away: Person) -> None:
    made = edit("create", file_text="one one")
    wrong: list[tuple[dict[str, Any], str]] = [
        (edit("create", file_text="again"), "already exists"),
        (edit("create", f"{NOTES}/below", file_text="x"), "is a file, not a directory"),
        (edit("create", "/memories/long", file_text="word " * 7_000), "at most 32768 characters"),
        (edit("view", "/memories/../etc"), "must start with /memories"),
        (edit("view", "/memoriesx"), "must start with /memories"),
        (edit("str_replace", old_str="one", new_str="two"), "Multiple occurrences of old_str `one` in lines: 1, 1"),
        (edit("str_replace", old_str="two", new_str="one"), "did not appear verbatim"),
        (edit("str_replace", "/memories/notes", old_str="x", new_str="y"), "is not a file"),
        (edit("insert", insert_line=9, insert_text="x"), r"within the range [0, 1]"),
        (edit("delete", "/memories"), "Cannot delete"),
    ]
    results = run(ann, made, *(command for command, _ in wrong))[1:]
    for (text, is_error), (_, expected) in zip(results, wrong, strict=True):
        assert is_error, text
        assert expected in text
    [(text, is_error)] = run(away, edit("view", "/memories"))
    assert (is_error, text.startswith("The memory did not do that: The memory does not answer")) == (True, True)


def test_the_same_with_await(ann: Person) -> None:
    server = ScriptedServer(edit("create", file_text="x"), edit("view"), edit("delete"))

    async def run_all() -> None:
        http = httpx2.AsyncClient(transport=httpx2.MockTransport(server))
        client = AsyncAnthropic(api_key="k", http_client=http, max_retries=0)
        asked: Any = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Remember."}]}
        await client.beta.messages.tool_runner(**asked, tools=[AsyncCommonplaceMemoryTool(ann)]).until_done()
        await http.aclose()

    asyncio.run(run_all())
    assert server.results[1:] == [
        (f"Here's the content of {NOTES} with line numbers:\n     1\tx", False),
        (f"Successfully deleted {NOTES}", False),
    ]
