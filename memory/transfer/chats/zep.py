"""Zep: messages of a session or thread, episodes of a graph, and facts (edges), as its API lists them."""

from collections.abc import Iterator

from memory.transfer.chats.messages import (
    ImportedMessage,
    MalformedRecord,
    SkippedMessage,
    clean_label,
    clean_text,
    clean_thread_id,
    get_text,
    iterate_objects,
    parse_end,
    parse_time_or_none,
)

KIND = "zep"
SHAPE = "a message of Zep has a uuid and role_type, or role and content; a fact of Zep a uuid and fact"

LISTS = ("messages", "episodes", "facts", "edges")
MAX_NAME = 200
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}


def recognises(record: dict[str, object]) -> bool:
    return any(is_row(row) for row in iterate_objects(record, LISTS, most=1))


def is_row(row: dict[str, object]) -> bool:
    return "uuid" in row and ("role_type" in row or "fact" in row or ("role" in row and "content" in row))


def read_messages(record: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage]:
    thread = find_thread(record, KIND)
    for number, row in enumerate(iterate_objects(record, LISTS), start=1):
        if not is_row(row):
            missing = "role_type, fact, or role with content" if "uuid" in row else "uuid"
            raise MalformedRecord(f"entry {number}: {missing} is missing; {SHAPE}")
        yield read_row(row, find_thread(row, thread))


def find_thread(row: dict[str, object], otherwise: str) -> str:
    named = get_text(row, "thread_id", "") or get_text(row, "session_id", "")
    return clean_thread_id(named) if named else otherwise


def find_name(row: dict[str, object]) -> str:
    """Who of several people spoke: ``name``, which earlier releases called ``role``, beside ``role_type``."""
    name = clean_label(get_text(row, "name", "") or get_text(row, "role", ""), MAX_NAME)
    return "" if name.casefold() in ROLES else name


def read_row(row: dict[str, object], thread: str) -> ImportedMessage | SkippedMessage:
    # A fact is a model's wording of what was said; it is dated when it became true, where that is known.
    is_fact = "fact" in row
    role = "assistant" if is_fact else get_text(row, "role_type", "") or get_text(row, "role", "")
    speaker = ROLES.get(role.casefold())
    if speaker is None:
        return SkippedMessage(f"{clean_label(role, 20) or 'unknown'} message")
    text = clean_text(get_text(row, "fact" if is_fact else "content", ""))
    if not text:
        return SkippedMessage("empty")
    since = parse_time_or_none(row, "valid_at") if is_fact else None
    message = ImportedMessage(
        kind=KIND,
        thread_id=thread,
        title=clean_label(get_text(row, "name", ""), 200) if is_fact else "",
        message_id=get_text(row, "uuid", ""),
        speaker=(find_name(row) or speaker) if speaker == "user" else speaker,
        text=text,
        said_at=since or parse_time_or_none(row, "created_at"),
        until=parse_end(row, "invalid_at") if is_fact else None,
    )
    return SkippedMessage("fact that has ended") if message.is_over else message
