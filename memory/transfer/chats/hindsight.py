"""Hindsight: the memories of a bank as its API lists or recalls them. Each is a model's wording of what was said."""

from collections.abc import Iterator

from memory.transfer.chats.messages import (
    ImportedMessage,
    SkippedMessage,
    clean_label,
    clean_text,
    clean_thread_id,
    get_text,
    iterate_objects,
    parse_time_or_none,
)

KIND = "hindsight"
SHAPE = "a memory of Hindsight has text and fact_type, mentioned_at or occurred_start"

LISTS = ("items", "results", "memories")
MARKS = frozenset({"fact_type", "mentioned_at", "occurred_start"})
# When it happened, else when it was told; lists of older releases have one date.
TIMES = ("occurred_start", "mentioned_at", "date")


def recognises(record: dict[str, object]) -> bool:
    return any("text" in row and not MARKS.isdisjoint(row) for row in iterate_objects(record, LISTS, most=1))


def read_messages(record: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage]:
    for row in iterate_objects(record, LISTS):
        text = clean_text(get_text(row, "text"))
        if not text:
            yield SkippedMessage("empty")
            continue
        yield ImportedMessage(
            kind=KIND,
            thread_id=clean_thread_id(get_text(row, "document_id", "") or KIND),
            title=clean_label(get_text(row, "context", ""), 200),
            message_id=get_text(row, "id", ""),
            speaker="assistant",
            text=text,
            said_at=next((moment for name in TIMES if (moment := parse_time_or_none(row, name))), None),
        )
