"""Makes the rows of a book: its own, and a memory for each passage. Writes none of them."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from books.models import TITLE_CHARS, Book, BookChunk, BookJob, JobStage
from books.progress import JobProgress
from books.reading.document import DocumentChunk, DocumentRefused, ReadDocument, RefusalCode
from memory.guard import redact_secrets
from memory.language.text import BLANK
from memory.models import EndUser, MemoryItem
from memory.store.admission import NewMemory
from memory.store.writing import build_new_rows, validate_batch
from memory.tiers import SourceType, Tier

T = TypeVar("T")

KIND: Final = "book"
# What a passage is, for whoever asks for some of a book alone.
TEXT, ROWS, CODE = "text", "rows", "code"
# Between two batches a job can be cancelled, several times a second.
BATCH: Final = 64
# Of 10 MiB of plain text there are some 17,000. What is cut into more, such as a file of nothing but full stops, would
# keep the one worker from everybody's books for a quarter of an hour.
MOST_PASSAGES: Final = 20_000


class SecretFound(Exception):
    """A document with a secret, from a key that refuses them. The message names the place and never the secret."""


@dataclass(frozen=True, slots=True)
class ReadBook:
    """A document as rows that are not written yet, each with the passage it was made of."""

    row: Book
    passages: Sequence[tuple[DocumentChunk, MemoryItem]]

    @property
    def items(self) -> list[MemoryItem]:
        return [item for _, item in self.passages]


def build_passages(
    user: EndUser, job: BookJob, book: Book, chunks: Iterator[DocumentChunk], whole: int, progress: JobProgress
) -> ReadBook:
    """The memories of a book, with the words of each read, which takes longer than writing them.

    ``whole``: about how many characters there are. Raises DocumentRefused, SecretFound and WriteRefused.
    """
    progress.report(JobStage.CUTTING, 0.0)
    passages: list[tuple[DocumentChunk, MemoryItem]] = []
    seen = 0
    for batch in take_batches(choose_readable(chunks), BATCH):
        if len(passages) > MOST_PASSAGES:
            raise DocumentRefused(RefusalCode.TOO_LARGE, f"It would make more than {MOST_PASSAGES:,} passages.")
        if job.refuses_secrets:
            refuse_secrets(batch)
        drafts = validate_batch(describe_passage(book, chunk) for chunk in batch)
        rows = build_new_rows(user, drafts, now=book.created_at, actor=job.actor)
        passages += [(chunk, row) for chunk, row in zip(batch, rows, strict=True) if row is not None]
        seen += sum(len(chunk.text) for chunk in batch)
        progress.report(JobStage.CUTTING, seen / max(1, whole))
    if not passages:
        raise DocumentRefused(RefusalCode.NO_TEXT, "There is nothing to read in it.")
    book.chunk_count = len(passages)
    return ReadBook(book, passages)


def choose_readable(chunks: Iterator[DocumentChunk]) -> Iterator[DocumentChunk]:
    """Without passages of nothing but unseen characters, which no memory may be; numbered anew."""
    readable = (chunk for chunk in chunks if not BLANK.fullmatch(chunk.text))
    return (replace(chunk, position=place) for place, chunk in enumerate(readable))


def describe_book(user: EndUser, job: BookJob, document: ReadDocument, now: datetime) -> Book:
    title = job.title or clean_name(document.title) or Path(job.file_name).stem or job.file_name
    return Book(
        id=uuid.uuid4(),
        user=user,
        agent_id=job.agent_id,
        project_id=job.project_id,
        title=title[:TITLE_CHARS],
        author=clean_name(document.author),
        file_name=job.file_name,
        file_type=document.kind.value,
        size=job.size,
        content_hash=job.content_hash,
        thread_id=job.thread_id,
        pages=document.pages,
        chunk_count=0,
        notices=list(document.notices),
        created_at=now,
    )


def clean_name(name: str) -> str:
    """A title or an author as the document says it, in one line and without secrets."""
    return redact_secrets(" ".join(name.split())).text[:TITLE_CHARS]


def describe_passage(book: Book, chunk: DocumentChunk) -> NewMemory:
    source = {
        "kind": KIND,
        "doc_id": str(book.pk),
        "title": book.title,
        "author": book.author,
        "file_type": book.file_type,
        "section": chunk.section,
        "page": chunk.page,
        "last_page": chunk.last_page,
        "position": chunk.position,
        "content_type": CODE if chunk.has_code else ROWS if chunk.rows else TEXT,
    }
    return NewMemory(
        text=chunk.text,
        # Words of a document stay where they are over in a day, until they are published as a book.
        tier=Tier.WORKING if book.thread_id else Tier.BOOKS,
        thread_id=book.thread_id,
        source_type=SourceType.DOCUMENT,
        source=source,
        agent_id=book.agent_id,
        project_id=book.project_id,
        id=uuid.uuid4(),
    )


def refuse_secrets(chunks: Sequence[DocumentChunk]) -> None:
    """Raises SecretFound."""
    for chunk in chunks:
        if kinds := redact_secrets(chunk.text).kinds:
            place = f"page {chunk.page}" if chunk.page else f"passage {chunk.position + 1}"
            raise SecretFound(f"The document holds a secret ({', '.join(kinds)}) on {place}, which this key refuses.")


def build_chunk(user: EndUser, book: Book, chunk: DocumentChunk, item: MemoryItem) -> BookChunk:
    return BookChunk(
        user=user,
        book=book,
        item=item,
        position=chunk.position,
        page=chunk.page,
        section=chunk.section,
        tokens=chunk.tokens,
        has_code=chunk.has_code,
    )


def take_batches(values: Iterator[T], size: int) -> Iterator[list[T]]:
    while batch := list(islice(values, size)):
        yield batch
