"""What docs/clients/librechat.md says, sent as LibreChat does: placeholders filled with who is chatting."""

import json
import re
from pathlib import Path
from typing import Any

import anyio
import httpx
import httpx2
import pytest
import yaml
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from memory.proving.installation import Stack
from tests.memory.mcp.conftest import run_async

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs/clients/librechat.md"
SAID = {"content": "Kim plays the cello.", "tags": ["identity"]}


def read_settings(stack: Stack, user: str) -> Any:
    """The block of the page with LibreChat's placeholders filled, at the address of the installation."""
    [block] = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    filled = block.replace("${COMMONPLACE_KEY}", stack.api_key).replace("{{LIBRECHAT_USER_ID}}", user)
    filled = filled.replace("{{LIBRECHAT_BODY_CONVERSATIONID}}", "c-1").replace("http://127.0.0.1:8000", stack.api_url)
    assert "{{" not in filled
    return yaml.safe_load(filled)


def test_each_person_reaches_their_own_memory(stack: Stack) -> None:
    async def call(user: str, name: str, arguments: dict[str, Any]) -> str:
        server = read_settings(stack, user)["mcpServers"]["commonplace"]
        assert server["type"] == "streamable-http"
        async with (
            httpx2.AsyncClient(headers=server["headers"], timeout=server["timeout"] / 1000) as http,
            Client(streamable_http_client(server["url"], http_client=http)) as client,
        ):
            assert len((await client.list_tools()).tools) >= 7
            done = await client.call_tool(name, arguments)
            assert not done.is_error
            return json.dumps([part.text for part in done.content if part.type == "text"])

    async def run() -> None:
        await call("66f1a2kim", "add_to_memory_bank", SAID)
        # None of its words is in the question: it is found as soon as the worker has embedded it.
        with anyio.fail_after(60):
            while "cello" not in await call("66f1a2kim", "search_memory", {"query": "Which instrument?"}):
                await anyio.sleep(0.3)
        assert "cello" not in await call("66f1a2lee", "search_memory", {"query": "Which instrument?"})

    run_async(run)
    [endpoint] = read_settings(stack, "66f1a2kim")["endpoints"]["custom"]
    headers = {"Authorization": f"Bearer {endpoint['apiKey']}", **endpoint["headers"]}
    # The installation's model is not there; who asks has been read before that is found out.
    asked = {"model": "m", "messages": [{"role": "user", "content": "Which instrument do I play?"}]}
    answer = httpx.post(f"{endpoint['baseURL']}/chat/completions", json=asked, headers=headers, timeout=30)
    assert answer.status_code in {502, 503, 504}
