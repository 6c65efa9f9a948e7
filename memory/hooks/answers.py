"""Words a reply as each client reads it. ``{}`` is silence for all of them."""

from typing import Any

from memory.hooks.bodies import HookEvent, HookKind

CLIENTS = ("claude-code", "copilot-cli", "codex", "cursor", "gemini-cli")


def word_answer(client: str, event: HookEvent, context: str) -> dict[str, Any]:
    if client == "cursor":
        # Without it some versions hold the prompt back.
        answer: dict[str, Any] = {"continue": True} if event.kind is HookKind.PROMPT else {}
        return answer | ({"additional_context": context} if context else {})
    if not context:
        return {}
    if client == "copilot-cli":
        return {"additionalContext": context}
    return {"hookSpecificOutput": {"hookEventName": event.name, "additionalContext": context}}
