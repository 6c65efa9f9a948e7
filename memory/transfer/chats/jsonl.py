"""Plain JSON Lines: one message a line with ``thread``, ``time``, ``speaker`` and ``text``.

``title`` (of the thread) and ``id`` (of the message) are read when they are there; other fields are left alone.
"""

from collections.abc import Iterator

from memory.transfer.chats.messages import (
    ImportedMessage,
    MalformedRecord,
    SkippedMessage,
    clean_label,
    clean_text,
    clean_thread_id,
    get_text,
    parse_time,
)

KIND = "jsonl"
SHAPE = "a line of JSON Lines has thread, time, speaker and text"


def recognises(record: dict[str, object]) -> bool:
    return "thread" in record and "text" in record


def read_messages(record: dict[str, object]) -> Iterator[ImportedMessage | SkippedMessage]:
    """One message. Its id is empty unless the line has one: the importer then tells lines apart by what they say."""
    thread = record.get("thread")
    numbered = isinstance(thread, int) and not isinstance(thread, bool)
    thread_id = clean_thread_id(str(thread) if numbered else get_text(record, "thread"))
    speaker = clean_label(get_text(record, "speaker"), 64)
    if not speaker:
        raise MalformedRecord("speaker must not be empty")
    if record.get("time") is None:
        raise MalformedRecord("time is missing")
    said_at = parse_time(record["time"])
    text = clean_text(get_text(record, "text"))
    if not text:
        yield SkippedMessage("empty")
        return
    yield ImportedMessage(
        kind=KIND,
        thread_id=thread_id,
        title=clean_label(get_text(record, "title", ""), 200),
        message_id=get_text(record, "id", ""),
        speaker=speaker,
        text=text,
        said_at=said_at,
    )
