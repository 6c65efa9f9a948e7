"""Bodies as the clients send them, with the fields that a memory has no use for."""

from typing import Any

SESSION = "5b1f3c52-8f2e-4f0a-9c3f-0d8a4f6f2b10"
CWD = "/srv/ann/atlas"
# The folder of a person and of no project.
HOME = "/".join(("", "home", "ann"))
COMMON = {"session_id": SESSION, "transcript_path": f"/srv/ann/.claude/projects/-srv-ann-atlas/{SESSION}.jsonl"}


def claude_code(event: str, **fields: Any) -> dict[str, Any]:
    return {**COMMON, "cwd": CWD, "permission_mode": "acceptEdits", "hook_event_name": event, **fields}


def codex(event: str, **fields: Any) -> dict[str, Any]:
    named = {"turn_id": "0199c0de-1", "model": "gpt-5-codex", "permission_mode": "default", "transcript_path": None}
    return {"session_id": SESSION, "cwd": CWD, "hook_event_name": event, **named, **fields}


def cursor(event: str, **fields: Any) -> dict[str, Any]:
    named = {"generation_id": "gen-1", "cursor_version": "3.7.21", "user_email": "ann@example.com", "model": "default"}
    return {"conversation_id": SESSION, "workspace_roots": [CWD], "hook_event_name": event, **named, **fields}


def gemini_cli(event: str, **fields: Any) -> dict[str, Any]:
    return {**COMMON, "cwd": CWD, "hook_event_name": event, "timestamp": "2026-11-02T09:30:00.000Z", **fields}


def copilot_cli(event: str, **fields: Any) -> dict[str, Any]:
    named = {"session_id": SESSION, "timestamp": "2026-11-02T09:30:00.000Z", "cwd": CWD}
    return {"hook_event_name": event, **named, **fields}


def prompt(text: str, **fields: Any) -> dict[str, Any]:
    return claude_code("UserPromptSubmit", prompt=text, **fields)


def stop(answer: str, **fields: Any) -> dict[str, Any]:
    return claude_code("Stop", last_assistant_message=answer, **{"stop_hook_active": False, **fields})
