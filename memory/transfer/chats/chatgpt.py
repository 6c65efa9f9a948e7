"""ChatGPT account exports: one object per conversation, its messages a tree keyed by node id.

Editing a question or asking for another answer grows a branch. ``current_node`` names the tip of the branch the person
was looking at last; following ``parent`` from there gives the conversation as they know it.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from memory.transfer.chats.messages import (
    ImportedKind,
    ImportedMessage,
    MalformedRecord,
    SkippedMessage,
    clean_label,
    clean_text,
    clean_thread_id,
    get_list,
    get_object,
    get_text,
    parse_time,
)
from memory.transfer.chats.standing import StandingText, read_loosely, strip_fence

KIND = "chatgpt"
SHAPE = "a ChatGPT conversation has a mapping"

_SPOKEN = {"text", "multimodal_text", "code"}
# Private-use characters fence the markers which the web page turns into source links; outside it they are noise.
_CITATION = re.compile("\ue200[^\ue201]*\ue201|[\ue200-\ue206]")


# Where the custom instructions of the account stand by themselves, and what their halves are called.
_INSTRUCTIONS = "custom_instructions"
_HALVES = {
    ImportedKind.ABOUT_PERSON: ("about_user_message", "user_profile"),
    ImportedKind.ANSWER_WISH: ("about_model_message", "user_instructions"),
}
_NAMES = frozenset({_INSTRUCTIONS, *(name for names in _HALVES.values() for name in names)})


def recognises(record: dict[str, object]) -> bool:
    return "mapping" in record or not _NAMES.isdisjoint(record)


def read_messages(record: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage | StandingText]:
    """Of a conversation, or the custom instructions that stand beside the conversations."""
    if "mapping" in record:
        yield from read_conversation(record)
        return
    given = record.get(_INSTRUCTIONS, record)
    if isinstance(given, str):
        given = {_HALVES[ImportedKind.ABOUT_PERSON][0]: given}
    if isinstance(given, dict):
        yield from _read_halves([given], None)


def read_conversation(conversation: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage | StandingText]:
    """The current branch in order; what is left out comes as a Skip."""
    mapping = get_object(conversation, "mapping")
    thread_id = clean_thread_id(get_text(conversation, "conversation_id", "") or get_text(conversation, "id", ""))
    title = clean_label(get_text(conversation, "title", ""), 200)
    began = conversation.get("create_time")
    last = parse_time(began) if began is not None else None
    branch = _follow_branch(mapping, conversation.get("current_node"))
    for node_id in branch:
        if given := _find_instructions(get_object(mapping, node_id)):
            yield from _read_halves(given, last)
            continue
        said = _read_message(node_id, get_object(mapping, node_id), thread_id, title, last)
        if isinstance(said, ImportedMessage):
            last = said.said_at
        if said is not None:
            yield said
    yield from _skip_abandoned(mapping, set(branch))


def _find_instructions(node: dict[str, object]) -> list[dict[str, object]]:
    """The custom instructions that a conversation began with: as the person wrote them, and as the model got them."""
    message = get_object(node, "message")
    content = message.get("content")
    if not isinstance(content, dict) or content.get("content_type") != "user_editable_context":
        return []
    metadata = message.get("metadata")
    written = metadata.get("user_context_message_data") if isinstance(metadata, dict) else None
    return [written, content] if isinstance(written, dict) else [content]


def _read_halves(given: list[dict[str, object]], said_at: datetime | None) -> Iterator[StandingText]:
    for holds, names in _HALVES.items():
        texts = (strip_fence(read_loosely(one, name)) for one in given for name in names)
        if text := next(filter(None, texts), ""):
            yield StandingText(holds, text, said_at)


def _follow_branch(mapping: dict[str, object], current: object) -> list[str]:
    """Node ids from the root to the current node; to the newest leaf when no node is named current."""
    tip = current if isinstance(current, str) and current in mapping else _find_newest_leaf(mapping)
    path: list[str] = []
    seen: set[str] = set()
    while tip is not None and tip in mapping:
        if tip in seen:
            raise MalformedRecord(f"node {tip!r} is its own ancestor")
        seen.add(tip)
        path.append(tip)
        parent = get_object(mapping, tip).get("parent")
        if parent is not None and not isinstance(parent, str):
            raise MalformedRecord(f"node {tip!r}: parent must be a string")
        tip = parent
    return path[::-1]


def _find_newest_leaf(mapping: dict[str, object]) -> str | None:
    parents = {get_object(mapping, node_id).get("parent") for node_id in mapping}
    leaves = [node_id for node_id in mapping if node_id not in parents]
    return max(leaves, key=lambda node_id: (_read_seconds(get_object(mapping, node_id)), node_id), default=None)


def _read_seconds(node: dict[str, object]) -> float:
    value = get_object(node, "message").get("create_time")
    return parse_time(value).timestamp() if value is not None else 0.0


def _read_message(
    node_id: str, node: dict[str, object], thread_id: str, title: str, last: datetime | None
) -> ImportedMessage | SkippedMessage | None:
    """None for the nodes that only hold the tree together."""
    message = get_object(node, "message")
    if not message:
        return None
    try:
        role = get_text(get_object(message, "author"), "role")
        reason = _find_skip_reason(message, role)
        if reason:
            return SkippedMessage(reason)
        text = _read_text(get_object(message, "content"))
        if not text:
            return SkippedMessage("empty or a picture only")
        said_at = message.get("create_time")
        return ImportedMessage(
            kind=KIND,
            thread_id=thread_id,
            title=title,
            message_id=get_text(message, "id", node_id) or node_id,
            speaker=role,
            text=text,
            said_at=parse_time(said_at) if said_at is not None else last,
        )
    except MalformedRecord as fault:
        raise MalformedRecord(f"message {node_id!r}: {fault}") from None


def _find_skip_reason(message: dict[str, object], role: str) -> str | None:
    if role not in {"user", "assistant"}:
        return f"{clean_label(role, 20) or 'unknown'} message"
    if get_object(message, "metadata").get("is_visually_hidden_from_conversation"):
        return "hidden"
    if role == "assistant" and get_text(message, "recipient", "all") != "all":
        return "call of a tool"
    content_type = get_text(get_object(message, "content"), "content_type", "text")
    return None if content_type in _SPOKEN else f"{clean_label(content_type, 40)} block"


def _read_text(content: dict[str, object]) -> str:
    spoken = [part for part in map(_read_part, get_list(content, "parts")) if part.strip()]
    if not spoken:
        spoken = [get_text(content, "text", "")]
    return clean_text(_CITATION.sub("", "\n\n".join(spoken)))


def _read_part(part: object) -> str:
    """Pictures and files are objects without text; voice comes as an object with its transcript."""
    if isinstance(part, str):
        return part
    if isinstance(part, dict):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    if part is None:
        return ""
    raise MalformedRecord("parts must hold strings and objects")


def _skip_abandoned(mapping: dict[str, object], branch: set[str]) -> Iterator[SkippedMessage]:
    for node_id in mapping:
        node = get_object(mapping, node_id)
        if node_id not in branch and get_object(node, "message"):
            yield SkippedMessage("on a branch that was left")
