"""ChatGPT account exports: one object per conversation, its messages a tree keyed by node id.

Editing a question or asking for another answer grows a branch. ``current_node`` names the tip of the branch the person
was looking at last; following ``parent`` from there gives the conversation as they know it.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from memory.transfer.chats.messages import (
    Malformed,
    Message,
    Skip,
    clean_label,
    clean_text,
    list_of,
    moment,
    object_of,
    text_of,
    thread_name,
)

KIND = "chatgpt"

_SPOKEN = {"text", "multimodal_text", "code"}
# Private-use characters fence the markers which the web page turns into source links; outside it they are noise.
_CITATION = re.compile("\ue200[^\ue201]*\ue201|[\ue200-\ue206]")


def recognises(record: dict[str, object]) -> bool:
    return "mapping" in record


def messages(conversation: dict[str, object]) -> Iterator[Message | Skip]:
    """The current branch in order; what is left out comes as a Skip."""
    mapping = object_of(conversation, "mapping")
    thread_id = thread_name(text_of(conversation, "conversation_id", "") or text_of(conversation, "id", ""))
    title = clean_label(text_of(conversation, "title", ""), 200)
    began = conversation.get("create_time")
    last = moment(began) if began is not None else None
    branch = _branch(mapping, conversation.get("current_node"))
    for node_id in branch:
        said = _message(node_id, object_of(mapping, node_id), thread_id, title, last)
        if isinstance(said, Message):
            last = said.said_at
        if said is not None:
            yield said
    yield from _abandoned(mapping, set(branch))


def _branch(mapping: dict[str, object], current: object) -> list[str]:
    """Node ids from the root to the current node; to the newest leaf when no node is named current."""
    tip = current if isinstance(current, str) and current in mapping else _newest_leaf(mapping)
    path: list[str] = []
    seen: set[str] = set()
    while tip is not None and tip in mapping:
        if tip in seen:
            raise Malformed(f"node {tip!r} is its own ancestor")
        seen.add(tip)
        path.append(tip)
        parent = object_of(mapping, tip).get("parent")
        if parent is not None and not isinstance(parent, str):
            raise Malformed(f"node {tip!r}: parent must be a string")
        tip = parent
    return path[::-1]


def _newest_leaf(mapping: dict[str, object]) -> str | None:
    parents = {object_of(mapping, node_id).get("parent") for node_id in mapping}
    leaves = [node_id for node_id in mapping if node_id not in parents]
    return max(leaves, key=lambda node_id: (_seconds(object_of(mapping, node_id)), node_id), default=None)


def _seconds(node: dict[str, object]) -> float:
    value = object_of(node, "message").get("create_time")
    return moment(value).timestamp() if value is not None else 0.0


def _message(
    node_id: str, node: dict[str, object], thread_id: str, title: str, last: datetime | None
) -> Message | Skip | None:
    """None for the nodes that only hold the tree together."""
    message = object_of(node, "message")
    if not message:
        return None
    try:
        role = text_of(object_of(message, "author"), "role")
        reason = _left_out(message, role)
        if reason:
            return Skip(reason)
        text = _text(object_of(message, "content"))
        if not text:
            return Skip("empty or a picture only")
        said_at = message.get("create_time")
        return Message(
            kind=KIND,
            thread_id=thread_id,
            title=title,
            message_id=text_of(message, "id", node_id) or node_id,
            speaker=role,
            text=text,
            said_at=moment(said_at) if said_at is not None else last,
        )
    except Malformed as fault:
        raise Malformed(f"message {node_id!r}: {fault}") from None


def _left_out(message: dict[str, object], role: str) -> str | None:
    if role not in {"user", "assistant"}:
        return f"{clean_label(role, 20) or 'unknown'} message"
    if object_of(message, "metadata").get("is_visually_hidden_from_conversation"):
        return "hidden"
    if role == "assistant" and text_of(message, "recipient", "all") != "all":
        return "call of a tool"
    content_type = text_of(object_of(message, "content"), "content_type", "text")
    return None if content_type in _SPOKEN else f"{clean_label(content_type, 40)} block"


def _text(content: dict[str, object]) -> str:
    spoken = [part for part in map(_part, list_of(content, "parts")) if part.strip()]
    if not spoken:
        spoken = [text_of(content, "text", "")]
    return clean_text(_CITATION.sub("", "\n\n".join(spoken)))


def _part(part: object) -> str:
    """Pictures and files are objects without text; voice comes as an object with its transcript."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    if part is None:
        return ""
    raise Malformed("parts must hold strings and objects")


def _abandoned(mapping: dict[str, object], branch: set[str]) -> Iterator[Skip]:
    for node_id in mapping:
        node = object_of(mapping, node_id)
        if node_id not in branch and object_of(node, "message"):
            yield Skip("on a branch that was left")
