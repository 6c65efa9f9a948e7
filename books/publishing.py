"""A thread's document becomes a book: found from every thread, and no longer ended with the thread's memories."""

import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from books import jobs, library
from books.models import Book, BookJob, JobStage, JobState
from books.passages import ROWS, ReadBook, build_passages
from books.progress import JobProgress, JobStopped
from books.reading.document import DocumentChunk
from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.models import EndUser

READ_AT_ONCE: Final = 500


def stage_publication(
    user: EndUser, content_hash: str, thread_id: str, *, title: str, now: datetime, actor: str
) -> BookJob | None:
    """A job that publishes the document with this hash; None when the thread has none such.

    Where the same file is a book already, the job is completed and names it.
    """
    with user_scope(user):
        lock_for_transaction("books", user)
        known = jobs.find_same_book(user, content_hash, "")
        document = jobs.find_same_book(user, content_hash, thread_id)
        if document is None and known is None:
            return None
        if known is None and (under_way := jobs.find_open_job(user, content_hash, "")):
            return under_way
        told = document or known
        assert told is not None  # noqa: S101 -- tells the type checker
        job = BookJob(
            user=user,
            agent_id=told.agent_id,
            project_id=told.project_id,
            file_name=told.file_name,
            title=title or told.title,
            size=told.size,
            content_hash=content_hash,
            actor=actor,
            created_at=now,
        )
        if known is not None:
            jobs.name_known_book(job, known, now=now)
        else:
            job.document_id = told.pk
        job.save(force_insert=True)
        jobs.DUE.mark(user, now)
    return job


def copy_document(user: EndUser, job: BookJob, progress: JobProgress, *, now: datetime) -> ReadBook:
    """The rows of the book that a thread's document becomes. Raises JobStopped when the document is gone."""
    progress.report(JobStage.READING, 0.0)
    document = library.find_book(user, job.document_id) if job.document_id else None
    if document is None:
        jobs.end_job(
            user, job.pk, JobState.FAILED, now=now, code="document_gone", detail="The thread's document was removed."
        )
        raise JobStopped
    book = Book(
        **{
            field.attname: getattr(document, field.attname)
            for field in Book._meta.concrete_fields
            if field.name not in {"id", "title", "thread_id", "created_at"}
        },
        id=uuid.uuid4(),
        title=job.title or document.title,
        created_at=now,
    )
    passages = list(iterate_passages(user, document))
    whole = sum(len(chunk.text) for chunk in passages)
    # A passage that was deleted by itself leaves no gap in the order.
    numbered = (replace(chunk, position=place) for place, chunk in enumerate(passages))
    return build_passages(user, job, book, numbered, whole, progress)


def iterate_passages(user: EndUser, document: Book) -> Iterator[DocumentChunk]:
    after: int | None = None
    while page := library.list_passages(user, document, limit=READ_AT_ONCE, after=after):
        for passage in page:
            chunk = passage.chunk
            yield DocumentChunk(
                chunk.position,
                passage.item.text,
                chunk.section,
                chunk.page,
                chunk.tokens,
                chunk.has_code,
                rows=int(passage.item.source.get("content_type") == ROWS),
            )
        after = page[-1].chunk.position


def remove_document(user: EndUser, document_id: uuid.UUID, *, now: datetime) -> None:
    """In the transaction that writes the book: every passage is found once."""
    library.remove_book(user, document_id, now=now)
