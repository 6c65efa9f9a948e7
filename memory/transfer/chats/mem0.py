"""mem0: what its list or export of memories answers, as one object, an array or a line each.

A memory is a sentence that a language model wrote of what was said, so it is an assistant's word and not the person's.
"""

from collections.abc import Iterator

from memory.transfer.chats.messages import (
    ImportedMessage,
    SkippedMessage,
    clean_label,
    clean_text,
    clean_thread_id,
    get_text,
    iterate_objects,
    parse_end,
    parse_time_or_none,
)

KIND = "mem0"
SHAPE = "a memory of mem0 has an id and memory, which is a string"

LISTS = ("results", "memories")


def recognises(record: dict[str, object]) -> bool:
    return any(isinstance(row.get("memory"), str) and "id" in row for row in iterate_objects(record, LISTS, most=1))


def read_messages(record: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage]:
    for row in iterate_objects(record, LISTS):
        text = clean_text(get_text(row, "memory"))
        if not text:
            yield SkippedMessage("empty")
            continue
        categories = row.get("categories")
        message = ImportedMessage(
            kind=KIND,
            thread_id=clean_thread_id(get_text(row, "run_id", "") or KIND),
            title=clean_label(", ".join(map(str, categories)) if isinstance(categories, list) else "", 200),
            message_id=get_text(row, "id", ""),
            speaker="assistant",
            text=text,
            said_at=parse_time_or_none(row, "created_at"),
            until=parse_end(row, "expiration_date"),
        )
        yield SkippedMessage("expired") if message.is_over else message
