"""Plain JSON Lines: one message a line with ``thread``, ``time``, ``speaker`` and ``text``.

``title`` (of the thread) and ``id`` (of the message) are read when they are there; other fields are left alone.
"""

from collections.abc import Iterator

from memory.transfer.chats.messages import (
    Malformed,
    Message,
    Skip,
    clean_label,
    clean_text,
    moment,
    text_of,
    thread_name,
)

KIND = "jsonl"


def recognises(record: dict[str, object]) -> bool:
    return "thread" in record and "text" in record


def messages(record: dict[str, object]) -> Iterator[Message | Skip]:
    """One message. Its id is empty unless the line has one: the importer then tells lines apart by what they say."""
    thread = record.get("thread")
    numbered = isinstance(thread, int) and not isinstance(thread, bool)
    thread_id = thread_name(str(thread) if numbered else text_of(record, "thread"))
    speaker = clean_label(text_of(record, "speaker"), 64)
    if not speaker:
        raise Malformed("speaker must not be empty")
    if record.get("time") is None:
        raise Malformed("time is missing")
    said_at = moment(record["time"])
    text = clean_text(text_of(record, "text"))
    if not text:
        yield Skip("empty")
        return
    yield Message(
        kind=KIND,
        thread_id=thread_id,
        title=clean_label(text_of(record, "title", ""), 200),
        message_id=text_of(record, "id", ""),
        speaker=speaker,
        text=text,
        said_at=said_at,
    )
