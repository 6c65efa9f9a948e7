"""What clients send and get of books and the jobs that read them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from ninja import Path
from pydantic import BaseModel, Field

from books.library import BookPassage
from books.models import Book, BookDigest, BookJob, DigestState, JobStage, JobState
from memory.web.fields import Name, PageSize, QueryParameters, RequestBody, is_none
from memory.web.patterns import UUID_PATTERN

BookId = Annotated[str, Path(..., pattern=UUID_PATTERN, description="The book's id.")]
BookJobId = Annotated[str, Path(..., pattern=UUID_PATTERN, description="The job's id.")]


class BookUploadOut(BaseModel):
    job_id: UUID
    book_id: UUID | None = Field(default=None, exclude_if=is_none, description="Of a file that is known already.")
    duplicate_of: UUID | None = Field(default=None, exclude_if=is_none, description="The book that these bytes are.")

    @classmethod
    def of(cls, job: BookJob) -> "BookUploadOut":
        same = job.book_id if job.is_duplicate else None
        return cls(job_id=job.pk, book_id=same, duplicate_of=same)


class BookJobError(BaseModel):
    code: str = Field(description="Stable, such as `encrypted`, `damaged`, `no_text`, `took_too_long`.")
    detail: str


class BookJobOut(BaseModel):
    job_id: UUID
    status: JobState
    stage: JobStage
    progress: float = Field(description="Of the whole job, 0 to 1.")
    file_name: str
    title: str = Field(description="As given with the file; empty where the document's own is taken.")
    book_id: UUID | None = Field(description="Once all of it can be found, by its words at first: see `embedded`.")
    duplicate: bool = Field(description="The file was known already.")
    error: BookJobError | None = Field(default=None, exclude_if=is_none)
    created_at: datetime
    finished_at: datetime | None

    @classmethod
    def of(cls, job: BookJob) -> "BookJobOut":
        failed = job.state == JobState.FAILED
        return cls(
            job_id=job.pk,
            status=job.told_state,
            stage=JobStage.DONE if job.is_found else JobStage(job.stage),
            progress=1.0 if job.is_found else job.progress,
            file_name=job.file_name,
            title=job.title,
            book_id=job.book_id,
            duplicate=job.is_duplicate,
            error=BookJobError(code=job.error_code, detail=job.error_detail) if failed else None,
            created_at=job.created_at,
            finished_at=job.finished_at,
        )


class BookJobList(BaseModel):
    items: list[BookJobOut]


class BookOut(BaseModel):
    book_id: UUID
    title: str
    author: str
    file_name: str
    file_type: str
    size: int = Field(description="Of the file, in bytes.")
    pages: int | None
    chunks: int
    embedded: int = Field(description="Of its chunks, those found by what they mean as well as by their words.")
    content_hash: str = Field(description="SHA-256 of the file's bytes.")
    thread_id: str | None = Field(
        default=None, exclude_if=is_none, description="The thread whose document it is; absent for a book."
    )
    notices: list[str] = Field(description="What a reader of the file would see and its passages do not have.")
    created_at: datetime

    @classmethod
    def of(cls, book: Book, unembedded: int) -> "BookOut":
        return cls(
            book_id=book.pk,
            title=book.title,
            author=book.author,
            file_name=book.file_name,
            file_type=book.file_type,
            size=book.size,
            pages=book.pages,
            chunks=book.chunk_count,
            embedded=max(0, book.chunk_count - unembedded),
            content_hash=book.content_hash,
            thread_id=book.thread_id or None,
            notices=book.notices,
            created_at=book.created_at,
        )


class DigestedText(BaseModel):
    text: str
    category: str


class DigestOut(BaseModel):
    state: DigestState
    parts: int = Field(description="That are read, spread over the book.")
    parts_of_book: int
    parts_read: int
    summary: str
    themes: list[str]
    insights: list[str]
    concepts: list[str]
    quotes: list[DigestedText] = Field(description="Word for word as in the book.")
    models: list[DigestedText] = Field(description="Methods, frameworks and rules that it explains.")
    summaries: list[DigestedText]
    tone: str
    style: str

    @classmethod
    def of(cls, digest: BookDigest) -> "DigestOut":
        return cls(
            state=DigestState(digest.state),
            parts=digest.parts,
            parts_of_book=digest.parts_of_book,
            parts_read=digest.parts_read,
            summary=digest.summary,
            themes=digest.themes,
            insights=digest.insights,
            concepts=digest.concepts,
            quotes=[DigestedText(**one) for one in digest.quotes],
            models=[DigestedText(**one) for one in digest.models_found],
            summaries=[DigestedText(**one) for one in digest.summaries],
            tone=digest.tone,
            style=digest.style,
        )


class BookWholeOut(BookOut):
    digest: DigestOut | None = Field(description="What a language model reads out of it; null where none was asked.")


class BookPage(BaseModel):
    items: list[BookOut]
    next_cursor: str | None


class PassageOut(BaseModel):
    chunk_id: UUID = Field(description="The memory that holds the passage.")
    position: int = Field(description="Its place in the book, from 0.")
    page: int | None
    section: str
    tokens: int
    has_code: bool
    text: str

    @classmethod
    def of(cls, passage: BookPassage) -> "PassageOut":
        chunk = passage.chunk
        return cls(
            chunk_id=chunk.item_id,
            position=chunk.position,
            page=chunk.page,
            section=chunk.section,
            tokens=chunk.tokens,
            has_code=chunk.has_code,
            text=passage.item.text,
        )


class PassagePage(BaseModel):
    items: list[PassageOut]
    next_cursor: str | None


class BookListOptions(QueryParameters):
    cursor: str | None = Field(default=None, max_length=1000)
    limit: PageSize = 50
    q: str = Field(default="", max_length=200, description="Words of the title, the author or the file's name.")
    thread_id: Name | None = Field(default=None, description="The documents of this thread in place of the books.")


class PublishIn(RequestBody):
    content_hash: str = Field(strict=True, pattern=r"^[0-9a-f]{64}$", description="SHA-256 of the file's bytes.")
    thread_id: Name = Field(min_length=1, description="The thread whose document it is.")
    title: str | None = Field(default=None, strict=True, max_length=300)
