"""Where in which book a memory stands, as its source says."""

from dataclasses import dataclass
from typing import Any, Final

from memory.models import MemoryItem
from memory.tiers import SourceType

BOOK: Final = "book"


@dataclass(frozen=True, slots=True)
class BookPlace:
    """``doc_id`` is the book, ``chunk_id`` the memory that holds the passage. ``page`` counts from 1;
    ``last_page`` is another one only where a line or two of it are all that a page has."""

    doc_id: str
    chunk_id: str
    title: str
    author: str
    section: str
    page: int | None
    position: int
    last_page: int | None = None

    @property
    def pages(self) -> str:
        """As one says it; empty where the document has none."""
        if self.page is None:
            return ""
        is_range = self.last_page is not None and self.last_page > self.page
        return f"pages {self.page}–{self.last_page}" if is_range else f"page {self.page}"

    def describe(self) -> dict[str, Any]:
        return {
            "book_id": self.doc_id,
            "title": self.title,
            "author": self.author,
            "section": self.section,
            "page": self.page,
            "last_page": self.last_page,
            "position": self.position,
        }


def find_book_place(item: MemoryItem) -> BookPlace | None:
    """None for what is no passage of a book. A client may have written anything into a source of its own."""
    source = item.source
    if item.source_type != SourceType.DOCUMENT or source.get("kind") != BOOK or not source.get("doc_id"):
        return None
    page, last_page, position = source.get("page"), source.get("last_page"), source.get("position")
    return BookPlace(
        doc_id=str(source["doc_id"]),
        chunk_id=str(item.pk),
        title=str(source.get("title", "")),
        author=str(source.get("author", "")),
        section=str(source.get("section", "")),
        page=page if isinstance(page, int) else None,
        position=position if isinstance(position, int) else 0,
        # Not told of books that were read before it was.
        last_page=last_page if isinstance(last_page, int) else page if isinstance(page, int) else None,
    )


def name_document(item: MemoryItem) -> dict[str, str | None]:
    """What a citation says of it."""
    place = find_book_place(item)
    return {"doc_id": place.doc_id if place else None, "chunk_id": place.chunk_id if place else None}
