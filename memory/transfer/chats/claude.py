"""Claude account exports: one object per conversation, its messages a list in the order they were written.

Messages name their parent. Where one parent has two children a message was edited or answered again, and only the
branch that ends at ``current_leaf_message_uuid`` (or, without it, at the last message) is what the person saw last.
"""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from memory.transfer.chats import claude_account
from memory.transfer.chats.messages import (
    ImportedMessage,
    MalformedRecord,
    SkippedMessage,
    clean_label,
    clean_text,
    clean_thread_id,
    get_list,
    get_text,
    parse_time,
)
from memory.transfer.chats.standing import StandingText

KIND = "claude"
SHAPE = "a Claude conversation has chat_messages"

_SPEAKERS = {"human": "user", "user": "user", "assistant": "assistant"}


def recognises(record: dict[str, object]) -> bool:
    return "chat_messages" in record or claude_account.is_memory(record) or claude_account.is_project(record)


def read_messages(record: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage | StandingText]:
    """Of a conversation, or of what an export keeps beside the conversations."""
    if "chat_messages" in record:
        yield from read_conversation(record)
    elif claude_account.is_memory(record):
        yield from claude_account.read_memory(record)
    else:
        yield from claude_account.read_project(record)


def read_conversation(conversation: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage]:
    """The current branch in order; what is left out comes as a Skip."""
    thread_id = clean_thread_id(get_text(conversation, "uuid"))
    title = clean_label(get_text(conversation, "name", ""), 200)
    began = conversation.get("created_at")
    last = parse_time(began) if began is not None else None
    every = get_list(conversation, "chat_messages")
    for index, raw in enumerate(every, start=1):
        if not isinstance(raw, dict):
            raise MalformedRecord(f"message {index} must be an object")
    rows = [raw for raw in every if isinstance(raw, dict)]
    kept = _follow_branch(rows, conversation.get("current_leaf_message_uuid"))
    for index, row in enumerate(rows):
        if index not in kept:
            yield SkippedMessage("on a branch that was left")
            continue
        try:
            said = _read_message(row, index, thread_id, title, last)
        except MalformedRecord as fault:
            raise MalformedRecord(f"message {index + 1}: {fault}") from None
        if isinstance(said, ImportedMessage):
            last = said.said_at
        yield said


def _follow_branch(rows: list[dict[str, object]], leaf: object) -> set[int]:
    """Positions of the messages on the current branch: all of them unless the conversation really forks."""
    everything = set(range(len(rows)))
    children = Counter(row["parent_message_uuid"] for row in rows if isinstance(row.get("parent_message_uuid"), str))
    if not children or max(children.values()) < 2:
        return everything
    place = {row["uuid"]: index for index, row in enumerate(rows) if isinstance(row.get("uuid"), str)}
    tip: object = leaf if leaf in place else rows[-1].get("uuid")
    kept: set[int] = set()
    while isinstance(tip, str) and tip in place:
        if place[tip] in kept:
            raise MalformedRecord(f"message {tip!r} is its own ancestor")
        kept.add(place[tip])
        tip = rows[place[tip]].get("parent_message_uuid")
    return kept or everything


def _read_message(
    row: dict[str, object], index: int, thread_id: str, title: str, last: datetime | None
) -> ImportedMessage | SkippedMessage:
    sender = get_text(row, "sender")
    speaker = _SPEAKERS.get(sender)
    if speaker is None:
        return SkippedMessage(f"{clean_label(sender, 20) or 'unknown'} message")
    text, files = _read_text(row)
    if not text:
        return SkippedMessage("empty, a file or a call of a tool only")
    said_at = row.get("created_at")
    return ImportedMessage(
        kind=KIND,
        thread_id=thread_id,
        title=title,
        message_id=get_text(row, "uuid", "") or f"#{index}",
        speaker=speaker,
        text=text,
        said_at=parse_time(said_at) if said_at is not None else last,
        attachments=tuple(files),
    )


def _read_text(row: dict[str, object]) -> tuple[str, list[str]]:
    """What was said, and the names of the files that came with it.

    A long paste is exported as an attachment without a name, so it belongs to what was said; a named file does not.
    """
    blocks = get_list(row, "content")
    spoken = [text for text in map(_read_block, blocks) if text.strip()] if blocks else [get_text(row, "text", "")]
    files: list[str] = []
    for attachment in get_list(row, "attachments"):
        if not isinstance(attachment, dict):
            raise MalformedRecord("attachments must hold objects")
        name = clean_label(get_text(attachment, "file_name", ""), 120)
        if name:
            files.append(name)
        else:
            spoken.append(get_text(attachment, "extracted_content", ""))
    return clean_text("\n\n".join(spoken)), files


def _read_block(block: object) -> str:
    """Thinking, tool calls and their results are not part of what was said."""
    if not isinstance(block, dict):
        raise MalformedRecord("content must hold objects")
    return get_text(block, "text", "") if block.get("type") == "text" else ""
