"""Recorded bodies through a running installation, sent as the clients send them: by HTTP, and by the script."""

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from memory.proving.installation import Stack
from tests.memory.hooks.recorded import claude_code, codex, copilot_cli, cursor, gemini_cli
from tests.memory.hooks.test_integrations import SHELLS, run_shim
from tests.memory.mcp.conftest import new_key as new_key

pytestmark = pytest.mark.slow

ANSWER = 'It listens on 5544,\nas "heron" does.'


def write_transcript(path: Path) -> None:
    """As Copilot CLI keeps it, when it has asked the hook."""
    lines: list[dict[str, Any]] = [
        {"type": "assistant.message", "data": {"content": "Of an earlier turn.", "toolRequests": []}},
        {"type": "assistant.message", "data": {"content": ANSWER, "toolRequests": [], "turnId": "0"}},
        {"type": "hook.start", "data": {"hookType": "agentStop"}},
    ]
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")


def list_turns(asked: str, transcript: Path) -> list[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """Of each client: what it sends when it is asked, and when it has answered."""
    repeated = {"prompt": asked, "prompt_response": ANSWER, "stop_hook_active": False}
    return [
        ("codex", codex("UserPromptSubmit", prompt=asked), [codex("Stop", last_assistant_message=ANSWER)]),
        (
            "cursor",
            cursor("beforeSubmitPrompt", prompt=asked),
            [cursor("afterAgentResponse", text=ANSWER), cursor("stop", status="completed")],
        ),
        ("gemini-cli", gemini_cli("BeforeAgent", prompt=asked), [gemini_cli("AfterAgent", **repeated)]),
        (
            "copilot-cli",
            copilot_cli("UserPromptSubmit", prompt=asked),
            [copilot_cli("Stop", transcript_path=str(transcript), stop_reason="end_turn")],
        ),
    ]


def test_what_one_agent_was_told_all_of_them_know(stack: Stack, new_key: Callable[..., str], tmp_path: Path) -> None:
    key = new_key("--user-ids", "hugo", "--scopes", "read,write")
    settings = tmp_path / "hook"
    settings.write_text(f"COMMONPLACE_URL={stack.api_url}\nCOMMONPLACE_KEY={key}\n", encoding="utf-8")
    transcript = tmp_path / "events.jsonl"
    write_transcript(transcript)

    def send(client: str, body: dict[str, Any]) -> dict[str, Any]:
        if client != "claude-code":
            sent = json.dumps(body, separators=(",", ":"))
            done = run_shim(SHELLS[0], sent, client, COMMONPLACE_CONFIG=str(settings))
            assert (done.returncode, done.stderr) == (0, "")
            return dict(json.loads(done.stdout))
        headers = {"Authorization": f"Bearer {key}"}
        answer = httpx.post(f"{stack.api_url}/hooks/{client}", json=body, headers=headers, timeout=20)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    told = "Remember that the staging database of atlas is called heron and listens on port 5544."
    assert send("claude-code", claude_code("UserPromptSubmit", prompt=told)) == {}
    assert send("claude-code", claude_code("Stop", last_assistant_message="Noted.", stop_hook_active=False)) == {}

    asked = "Which port does the staging database of atlas listen on?"
    for client, begin, ends in list_turns(asked, transcript):
        session = {"conversation_id" if client == "cursor" else "session_id": f"{client}-{uuid.uuid4()}"}
        assert "5544" in json.dumps(send(client, begin | session)), client
        for end in ends:
            assert send(client, end | session) == {}

    kept = httpx.get(
        f"{stack.api_url}/api/v1/users/hugo/exchanges", headers={"Authorization": f"Bearer {key}"}, timeout=20
    ).json()["items"]
    assert [(one["user_message"], one["assistant_message"]) for one in kept] == [(asked, ANSWER)] * 4 + [
        (told, "Noted.")
    ]
