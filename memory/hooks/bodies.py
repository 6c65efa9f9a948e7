"""Reads the body of a hook, whichever client sent it. Unknown fields are passed over: clients add some every month.

The names of events and fields differ and never mean two things, so one table of each is enough.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.http import HttpRequest

from memory.guard.redaction.texts import JsonRedaction
from memory.hooks.cleaning import remove_foreign_text
from memory.language.text import CONTROL, SMUGGLED, SURROGATE
from memory.web.bodies import JSON_TYPE, parse_json
from memory.web.fields import NAME_LIMIT
from memory.web.patterns import THREAD_PATTERN
from memory.web.problems import Problem, invalid_field
from memory.web.redaction import build_refusal
from outcomes.exchanges.storing import MESSAGE_LIMIT, shorten

MOST_ERROR_CHARS = 4_000


class HookKind(StrEnum):
    """What an event means to a memory."""

    PROMPT = "prompt"
    ANSWER = "answer"
    STOP = "stop"
    SUBAGENT_STOP = "subagent_stop"
    TOOL = "tool"
    SESSION_START = "session_start"
    SESSION_END = "session_end"
    COMPACT = "compact"
    OTHER = "other"


# Claude Code, Copilot CLI and Codex; Cursor; Gemini CLI.
KINDS = {
    "UserPromptSubmit": HookKind.PROMPT,
    "beforeSubmitPrompt": HookKind.PROMPT,
    "BeforeAgent": HookKind.PROMPT,
    "afterAgentResponse": HookKind.ANSWER,
    "Stop": HookKind.STOP,
    "StopFailure": HookKind.STOP,
    "stop": HookKind.STOP,
    "AfterAgent": HookKind.STOP,
    "SubagentStop": HookKind.SUBAGENT_STOP,
    "subagentStop": HookKind.SUBAGENT_STOP,
    "PostToolUse": HookKind.TOOL,
    "PostToolUseFailure": HookKind.TOOL,
    "postToolUse": HookKind.TOOL,
    "postToolUseFailure": HookKind.TOOL,
    "AfterTool": HookKind.TOOL,
    "SessionStart": HookKind.SESSION_START,
    "sessionStart": HookKind.SESSION_START,
    "SessionEnd": HookKind.SESSION_END,
    "sessionEnd": HookKind.SESSION_END,
    "PreCompact": HookKind.COMPACT,
    "preCompact": HookKind.COMPACT,
    "PreCompress": HookKind.COMPACT,
}
FAILED_TOOLS = frozenset({"PostToolUseFailure", "postToolUseFailure"})
SESSION = ("session_id", "sessionId", "conversation_id")
ANSWER = ("last_assistant_message", "prompt_response", "text")
PROMPT_NAMES = ("turn_id", "prompt_id", "generation_id")
TOOL_NAME = ("tool_name", "toolName")
TOOL_ANSWER = ("tool_response", "tool_result", "tool_output")
ERROR = ("error", "error_message")
BROKEN_OFF = frozenset({"aborted", "error"})
# Of a folder's name, what no project's id may hold.
UNNAMEABLE = re.compile(r"[^A-Za-z0-9_.@-]+")
DIGEST_CHARS = 8


@dataclass(frozen=True, slots=True)
class ToolRun:
    name: str
    ok: bool
    ms: float = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """``name`` as the client sent it, for the answer. Texts are without secrets and without what no person wrote."""

    kind: HookKind
    name: str
    session_id: str = ""
    project_id: str = ""
    prompt: str = ""
    prompt_name: str = ""
    answer: str = ""
    interrupted: bool = False
    tool: ToolRun | None = None
    secrets: Problem | None = None
    """The refusal for a key that takes no secrets; None where there were none."""


def read_event(request: HttpRequest) -> HookEvent:
    """Raises Problem, which names the field and what is wrong with it."""
    if not JSON_TYPE.fullmatch(request.headers.get("Content-Type", "").strip()):
        raise Problem(415, "unsupported_media_type", "Send Content-Type: application/json in UTF-8.")
    body = parse_json(request.body)
    if not isinstance(body, dict):
        raise invalid_field("", "the body must be a JSON object")
    name = read_text(body, ("hook_event_name", "hookEventName"), 100, "hook_event_name")
    kind = KINDS.get(name, HookKind.OTHER)
    return HookEvent(kind, name) if kind is HookKind.OTHER else build_event(kind, name, body)


def build_event(kind: HookKind, name: str, body: Mapping[str, Any]) -> HookEvent:
    redaction = JsonRedaction()
    told = redaction.redact(
        {
            "prompt": remove_foreign_text(read_text(body, ("prompt",), MESSAGE_LIMIT)),
            "answer": remove_foreign_text(read_text(body, ANSWER, MESSAGE_LIMIT)),
            "error": read_error(body),
        }
    )
    return HookEvent(
        kind,
        name,
        session_id=read_session(body),
        project_id=read_project(body),
        prompt=told["prompt"] if kind in {HookKind.PROMPT, HookKind.STOP} else "",
        prompt_name=read_text(body, PROMPT_NAMES, NAME_LIMIT),
        answer=told["answer"],
        interrupted=name == "StopFailure" or body.get("status") in BROKEN_OFF,
        tool=read_tool(name, body, told["error"]) if kind is HookKind.TOOL else None,
        secrets=build_refusal(redaction.found) if redaction.found else None,
    )


def read_text(body: Mapping[str, Any], names: tuple[str, ...], limit: int, needed: str = "") -> str:
    """The first of the fields that is there, cut with a mark at the limit. ``needed`` names one that must be there."""
    for name in names:
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise invalid_field(name, "must be text")
        # The bound comes first: a body of megabytes is read no further than what may be kept.
        return SURROGATE.sub("\ufffd", shorten(value, limit))
    if needed:
        raise invalid_field(needed, "is needed")
    return ""


def read_session(body: Mapping[str, Any]) -> str:
    session = read_text(body, SESSION, NAME_LIMIT + 1, "session_id")
    session = SMUGGLED.sub("", session).strip()
    if not 0 < len(session) <= NAME_LIMIT or not re.fullmatch(THREAD_PATTERN, session):
        raise invalid_field("session_id", f"must be 1-{NAME_LIMIT} characters without a control character")
    redacted: str = JsonRedaction().redact(session)
    return redacted


def read_project(body: Mapping[str, Any]) -> str:
    """The name of the folder, which is the same on every machine of a person; none for where no project lies."""
    roots = body.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else body.get("cwd")
    return name_project(first) if isinstance(first, str) else ""


def name_project(path: str) -> str:
    # Paths of the client's machine, which may be any: they are read as text and never looked up.
    parts = [part for part in re.split(r"[/\\]", path[-MOST_ERROR_CHARS:]) if part and not part.endswith(":")]
    is_home = (len(parts) == 2 and parts[0].lower() in {"home", "users"}) or parts in (["root"], ["tmp"])
    if is_home or not parts:
        return ""
    name = parts[-1][:100]
    readable = UNNAMEABLE.sub("-", name).strip("-.")
    # Two names must not become one by what is left out of them.
    return readable if readable == name else f"{readable or 'project'}-{digest_name(name)}"


def digest_name(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARS]


def read_error(body: Mapping[str, Any]) -> str:
    error = next((body[name] for name in ERROR if body.get(name)), None) or find_error(read_tool_answer(body))
    if isinstance(error, dict):
        error = error.get("message")
    return remove_foreign_text(SURROGATE.sub("\ufffd", error[:MOST_ERROR_CHARS])) if isinstance(error, str) else ""


def read_tool_answer(body: Mapping[str, Any]) -> Any:  # noqa: ANN401 -- any JSON
    return next((body[name] for name in TOOL_ANSWER if body.get(name) is not None), None)


def find_error(answer: Any) -> Any:  # noqa: ANN401 -- any JSON
    """What a failed tool says of its failure; None of one that did its work."""
    if not isinstance(answer, dict):
        return None
    said = answer.get("error") or answer.get("stderr") or answer.get("message") or "failed"
    code = next((answer[name] for name in ("exit_code", "exitCode", "code") if isinstance(answer.get(name), int)), 0)
    marked = answer.get("is_error") is True or answer.get("isError") is True
    is_failed = marked or answer.get("success") is False or bool(answer.get("error")) or code != 0
    return said if is_failed else None


def read_tool(event: str, body: Mapping[str, Any], error: str) -> ToolRun | None:
    """None where nothing is to be learned: the person stopped the tool or did not allow it."""
    if body.get("is_interrupt") is True or body.get("failure_type") == "permission_denied":
        return None
    name = CONTROL.sub("", read_text(body, TOOL_NAME, NAME_LIMIT)).strip()
    ok = event not in FAILED_TOOLS and not find_error(read_tool_answer(body))
    ms = next((body[key] for key in ("duration_ms", "duration") if isinstance(body.get(key), int | float)), 0)
    return ToolRun(name, ok, min(max(float(ms), 0.0), 86_400_000.0), "" if ok else error) if name else None
