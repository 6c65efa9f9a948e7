"""Where a memory is from, in words: what the product noted of it, and as it stands what a client did."""

from collections.abc import Mapping
from typing import Any, Final

from memory.models import MemoryItem
from memory.tiers import SourceType
from memory.web.labels import name_word
from memory.web.wordings import translate as _

NAMES: Final = {
    "kind": _("Kind"),
    "type": _("Kind"),
    "format": _("Format"),
    "transfer": _("Import"),
    "fact": _("Fact"),
    "memory_id": _("Memory"),
    "outcome": _("Outcome"),
    "doc_id": _("Book"),
    "title": _("Title"),
    "author": _("Author"),
    "section": _("Section"),
    "page": _("Page"),
    "last_page": _("Last page"),
    "position": _("Position"),
    "file_type": _("File"),
    "content_type": _("Content"),
}
# Of a passage of a book.
CONTENTS: Final = {"text": _("text"), "code": _("code"), "rows": _("rows of a table")}
KINDS: Final = {
    "book": _("passage of a book"),
    "console": _("written in the console"),
    "demo": _("from the demo"),
    "exchange": _("an exchange of a conversation"),
    "import": _("imported"),
    "pinned": _("saved from another memory"),
    "profile": _("read in a conversation"),
    "shared": _("shared from a person"),
    "stated": _("stated as a fact"),
    "takeaway": _("lesson from an outcome"),
    "tool": _("written by a tool"),
}
SOURCES: Final = {
    SourceType.USER: _("the user"),
    SourceType.ASSISTANT: _("the assistant"),
    SourceType.TOOL: _("a tool"),
    SourceType.DOCUMENT: _("a document"),
    SourceType.SYSTEM: _("the system"),
}


def list_provenance(item: MemoryItem) -> list[tuple[str, Any]]:
    """Names and values, but for the conversation, which has a line of its own with a link, and what is not known."""
    source = [(name, value) for name, value in leave_out_conversation(item, item.source) if value not in (None, "")]
    told = [(str(NAMES.get(name, name)), word_value(name, value)) for name, value in source]
    return [*told, *leave_out_conversation(item, item.metadata)]


def leave_out_conversation(item: MemoryItem, values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    conversation = {"thread_id": item.thread_id, "thread_title": values.get("thread_title")} if item.thread_id else {}
    return [(name, value) for name, value in values.items() if conversation.get(name) != value or value is None]


def word_value(name: str, value: object) -> object:
    if name in {"kind", "type", "fact"} and str(value) in KINDS:
        return str(KINDS[str(value)])
    if name == "content_type" and str(value) in CONTENTS:
        return str(CONTENTS[str(value)])
    return name_word(value) if name == "outcome" and isinstance(value, str) else value


def name_source(source_type: str) -> str:
    return str(SOURCES[SourceType(source_type)]) if source_type in set(SourceType) else source_type
