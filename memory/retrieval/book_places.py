"""Where in which book a memory stands, as its source says."""

from dataclasses import dataclass
from typing import Any, Final

from memory.models import MemoryItem
from memory.tiers import SourceType

BOOK: Final = "book"


@dataclass(frozen=True, slots=True)
class BookPlace:
    """``doc_id`` is the book, ``chunk_id`` the memory that holds the passage. ``page`` counts from 1."""

    doc_id: str
    chunk_id: str
    title: str
    author: str
    section: str
    page: int | None
    position: int

    def describe(self) -> dict[str, Any]:
        return {
            "book_id": self.doc_id,
            "title": self.title,
            "author": self.author,
            "section": self.section,
            "page": self.page,
            "position": self.position,
        }


def find_book_place(item: MemoryItem) -> BookPlace | None:
    """None for what is no passage of a book. A client may have written anything into a source of its own."""
    source = item.source
    if item.source_type != SourceType.DOCUMENT or source.get("kind") != BOOK or not source.get("doc_id"):
        return None
    page, position = source.get("page"), source.get("position")
    return BookPlace(
        doc_id=str(source["doc_id"]),
        chunk_id=str(item.pk),
        title=str(source.get("title", "")),
        author=str(source.get("author", "")),
        section=str(source.get("section", "")),
        page=page if isinstance(page, int) else None,
        position=position if isinstance(position, int) else 0,
    )


def name_document(item: MemoryItem) -> dict[str, str | None]:
    """What a citation says of it."""
    place = find_book_place(item)
    return {"doc_id": place.doc_id if place else None, "chunk_id": place.chunk_id if place else None}
