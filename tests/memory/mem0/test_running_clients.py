"""mem0's clients as they come from their registries, against a running installation."""

import asyncio
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory.proving.installation import Stack

pytestmark = pytest.mark.slow

NODE = Path(__file__).parent / "node"
SPOKEN = [
    {"role": "user", "content": "Ich wohne in Köln und mag keinen Koriander."},
    {"role": "assistant", "content": "Das merke ich mir."},
]


def test_the_python_client_with_and_without_await(mem0: Any, stack: Stack) -> None:
    """The one without awaits: what it adds has been read when it answers."""
    with httpx.Client(timeout=60) as http:
        client = mem0.MemoryClient(api_key=stack.api_key, host=stack.api_url, client=http)
        added = client.add(SPOKEN, user_id="anna", metadata={"topic": "home"})
    assert added["status"] == "SUCCEEDED"
    assert any("Köln" in one["memory"] for one in added["results"])

    async def awaited() -> tuple[Any, ...]:
        async with mem0.AsyncMemoryClient(api_key=stack.api_key, host=stack.api_url) as other:
            filters = {"AND": [{"user_id": "anna"}, {"metadata": {"topic": "home"}}]}
            found = await other.search("Köln", filters=filters)
            first = found["results"][0]
            await other.update(first["id"], text="Ich wohne in Bonn.")
            history = await other.history(first["id"])
            await other.feedback(first["id"], "POSITIVE")
            users = await other.users()
            await other.delete_users(user_id="anna")
            return first, history, users, await other.get_all(filters={"user_id": "anna"})

    first, history, users, left = asyncio.run(awaited())
    assert "Köln" in first["memory"]
    assert [one["event"] for one in history] == ["ADD", "UPDATE"]
    assert "anna" in {one["name"] for one in users["results"]}
    assert left["count"] == 0
    with httpx.Client() as http, pytest.raises(ValueError, match="unknown, expired or revoked"):
        mem0.MemoryClient(api_key="cpl_nonsense", host=stack.api_url, client=http)


def test_the_node_client(stack: Stack) -> None:
    node = shutil.which("node")
    if node is None or not (NODE / "node_modules" / "mem0ai").is_dir():
        pytest.skip("node, or what npm installs into tests/memory/mem0/node, is not here")
    # Its own settings: it would report its use to its maker.
    environment = {"PATH": os.environ["PATH"], "HOME": str(stack.data_dir.parent), "MEM0_TELEMETRY": "false"}
    ran = subprocess.run(
        [node, "quick_start.mjs", stack.api_url, stack.api_key, "nora"],
        cwd=NODE,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout.splitlines()[-1])
    assert told["added"]["status"] == "SUCCEEDED"
    assert {"nora"} == {one["userId"] for one in told["listed"]["results"]}
    assert any("Zurich" in one["memory"] and one["runId"] == "first-day" for one in told["listed"]["results"])
    assert told["found"]["results"][0]["memory"] == "The ladder is in the shed"
    assert (told["read"]["memory"], told["read"]["metadata"]) == ("The ladder is in the cellar", {"moved": True})
    assert [one["event"] for one in told["history"]] == ["ADD", "UPDATE"]
    assert told["feedback"]["message"]
    assert "nora" in {one["name"] for one in told["users"]["results"]}
    assert told["missing"] == "MemoryNotFoundError"
    assert "is no operator" in told["wrong"]
    assert told["left"]["count"] == 0
