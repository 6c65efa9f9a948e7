"""Letta: an agent file (.af), of the present form with a list of agents, or of the earlier one with a single agent.

What was said are its messages; what the agent noted of the person are its memory blocks, all but its own persona.
"""

import json
from collections.abc import Iterator

from memory.transfer.chats.messages import (
    ImportedMessage,
    MalformedRecord,
    SkippedMessage,
    clean_label,
    clean_text,
    clean_thread_id,
    get_object,
    get_text,
    iterate_named,
    parse_time_or_none,
)

KIND = "letta"
SHAPE = "a Letta file has agents with blocks or tools, or agent_type and messages"

# The agent speaks by a tool: everything else it writes is thought.
SPEAKING = "send_message"


def recognises(record: dict[str, object]) -> bool:
    has_agents = isinstance(record.get("agents"), list) and ("blocks" in record or "tools" in record)
    return has_agents or ("agent_type" in record and "messages" in record)


def read_messages(record: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage]:
    agents = iterate_named(record, "agents") if "agents" in record else iter([record])
    for agent in agents:
        name = clean_label(get_text(agent, "name", ""), 200)
        thread = clean_thread_id(get_text(agent, "id", "") or name or KIND)
        for number, message in enumerate(iterate_named(agent, "messages"), start=1):
            try:
                yield read_message(message, thread, name)
            except MalformedRecord as fault:
                raise MalformedRecord(f"message {number}: {fault}") from None
        yield from read_blocks(agent, "core_memory", thread)
    yield from read_blocks(record, "blocks", KIND)


def read_message(message: dict[str, object], thread: str, name: str) -> ImportedMessage | SkippedMessage:
    role = get_text(message, "role", "")
    if role not in {"user", "assistant"}:
        return SkippedMessage(f"{clean_label(role, 20) or 'unknown'} message")
    text = clean_text(read_user_text(message) if role == "user" else read_agent_text(message))
    if not text:
        return SkippedMessage("empty, a heartbeat or a call of a tool only")
    return ImportedMessage(
        kind=KIND,
        thread_id=thread,
        title=name,
        message_id=get_text(message, "id", ""),
        speaker=role,
        text=text,
        said_at=parse_time_or_none(message, "created_at"),
    )


def read_content(message: dict[str, object]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if content is None:
        return get_text(message, "text", "")
    parts = [part for part in iterate_named(message, "content") if part.get("type", "text") == "text"]
    return "\n\n".join(get_text(part, "text", "") for part in parts)


def read_user_text(message: dict[str, object]) -> str:
    """What the person said. It is packed in JSON with its time, as are logins and heartbeats, which nobody said."""
    text = read_content(message)
    if not text.startswith("{"):
        return text
    packed = parse_packed(text)
    if packed is None:
        return text
    return get_text(packed, "message", "") if packed.get("type", "user_message") == "user_message" else ""


def read_agent_text(message: dict[str, object]) -> str:
    calls = list(iterate_named(message, "tool_calls"))
    said = []
    for call in calls:
        function = get_object(call, "function")
        if function.get("name") == SPEAKING:
            packed = parse_packed(get_text(function, "arguments", "")) or {}
            said.append(get_text(packed, "message", ""))
    # Without a call of a tool the text is what was said, as in agents of the later kind.
    return "\n\n".join(said) if calls else read_content(message)


def parse_packed(text: str) -> dict[str, object] | None:
    try:
        packed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return packed if isinstance(packed, dict) else None


def read_blocks(record: dict[str, object], name: str, thread: str) -> Iterator[ImportedMessage | SkippedMessage]:
    for block in iterate_named(record, name):
        label = clean_label(get_text(block, "label", ""), 200)
        text = clean_text(get_text(block, "value", ""))
        if label == "persona" or not text:
            yield SkippedMessage("empty or the agent's own persona")
            continue
        # By its text, as a block that was rewritten says something new.
        yield ImportedMessage(
            kind=KIND,
            thread_id=thread,
            title=label,
            message_id="",
            speaker="assistant",
            text=text,
            said_at=parse_time_or_none(block, "updated_at"),
        )
