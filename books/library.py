"""The books of a person: listing, reading inside, removing, and publishing what belonged to a thread."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q

from books import jobs
from books.models import OPEN_STATES, Book, BookChunk, BookJob, JobState
from memory.access.scope import UNHURRIED, user_scope
from memory.lifecycle.erasure import redact_stored_answers
from memory.models import EndUser, MemoryItem, Tombstone
from memory.platform import metrics
from memory.store.archiving import delete_memories
from memory.tiers import Indexing

# Removed in one transaction, so that half of a book is never found; a statement for so many.
REMOVED_AT_ONCE: Final = 1_000
UNEMBEDDED: Final = (Indexing.PENDING, Indexing.FAILED)
# Thousands of rows, of which the worker may just hold some that it indexes or learns from.
WAITING_FOR_ROWS: Final = {**UNHURRIED, "lock_timeout": "30s"}


@dataclass(frozen=True, slots=True)
class BookCursor:
    created_at: datetime
    book_id: uuid.UUID


@dataclass(frozen=True, slots=True)
class BookPassage:
    """A passage of a book with the memory that holds its text."""

    chunk: BookChunk
    item: MemoryItem


def list_books(
    user: EndUser, *, limit: int, after: BookCursor | None = None, thread_id: str | None = "", words: str = ""
) -> tuple[list[Book], bool]:
    """The latest first, and whether there are more. ``thread_id`` None: of every thread as well as the person's own.

    ``words`` stand in the title, the author or the file's name.
    """
    with user_scope(user):
        found = Book.objects.filter(user=user)
        if thread_id is not None:
            found = found.filter(thread_id=thread_id)
        for word in words.split():
            found = found.filter(Q(title__icontains=word) | Q(author__icontains=word) | Q(file_name__icontains=word))
        if after is not None:
            same_moment = Q(created_at=after.created_at, pk__gt=after.book_id)
            found = found.filter(Q(created_at__lt=after.created_at) | same_moment)
        page = list(found.order_by("-created_at", "pk")[: limit + 1])
    return page[:limit], len(page) > limit


def count_unembedded(user: EndUser, books: Sequence[Book]) -> dict[uuid.UUID, int]:
    """Of each book that has some, the passages that have no vector yet."""
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).values_list("pk", flat=True)
        # An index has the few rows of either state; from the books' side all passages of fifty books would be read.
        left = [pk for state in UNEMBEDDED for pk in items.filter(indexing=state)]
        if not left:
            return {}
        waiting = BookChunk.objects.filter(user=user, book__in=books, item_id__in=left)
        # No order: the table's own would make a group of every passage.
        counted = waiting.order_by().values_list("book_id").annotate(Count("pk"))
        return dict(counted)


def find_book(user: EndUser, book_id: uuid.UUID) -> Book | None:
    with user_scope(user):
        return Book.objects.filter(user=user, pk=book_id).first()


def list_passages(
    user: EndUser, book: Book, *, limit: int, after: int | None = None, backwards: bool = False
) -> list[BookPassage]:
    """From the passage after this position on, or before it, in the book's order; at most ``limit``."""
    with user_scope(user):
        found = BookChunk.objects.filter(user=user, book=book)
        if after is not None:
            found = found.filter(position__lt=after) if backwards else found.filter(position__gt=after)
        chunks = list(found.order_by("-position" if backwards else "position")[:limit])
        ids = [chunk.item_id for chunk in chunks]
        items = MemoryItem.objects.for_user(user).defer("lexemes").in_bulk(ids)
    ordered = reversed(chunks) if backwards else chunks
    return [BookPassage(chunk, items[chunk.item_id]) for chunk in ordered if chunk.item_id in items]


def find_chunk(user: EndUser, item_id: uuid.UUID) -> BookChunk | None:
    """The passage that a memory is, with its book."""
    with user_scope(user):
        return BookChunk.objects.filter(user=user, item_id=item_id).select_related("book").first()


def list_passage_ids(user: EndUser, ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Those of these memories that are passages of a book or of a thread's document."""
    with user_scope(user):
        return set(BookChunk.objects.filter(user=user, item_id__in=list(ids)).values_list("item_id", flat=True))


def remove_book(user: EndUser, book_id: uuid.UUID, *, now: datetime) -> bool:
    """For good, with every passage: gone from searches, lists and stored answers at once, from the index soon."""
    with user_scope(user, settings=WAITING_FOR_ROWS):
        book = Book.objects.select_for_update().filter(user=user, pk=book_id).first()
        if book is None:
            return False
        passages = BookChunk.objects.filter(user=user, book=book)
        ids = list(passages.order_by("position").values_list("item_id", flat=True))
        for start in range(0, len(ids), REMOVED_AT_ONCE):
            delete_memories(user, ids[start : start + REMOVED_AT_ONCE], now=now)
        close_jobs_of(user, book_id, now=now)
        passages.delete()
        book.delete()
        # An old export does not bring it back.
        Tombstone.objects.create(user=user, item_id=book_id, deleted_at=now)
        redact_stored_answers(user, [book_id, *ids])
    metrics.count("books", "removed")
    return True


def close_jobs_of(user: EndUser, book_id: uuid.UUID, *, now: datetime) -> None:
    """A finished job goes with its book, as it has its name; one that still brings it into the index is cancelled."""
    of_book = BookJob.objects.filter(user=user, book_id=book_id)
    for job in of_book.filter(state__in=OPEN_STATES).select_for_update(no_key=True):
        if not job.is_found:
            jobs.close_job(job, JobState.CANCELLED, now=now)
    of_book.filter(state=JobState.CANCELLED).update(book_id=None)
    of_book.delete()


def cancel_job(user: EndUser, job_id: uuid.UUID, *, now: datetime) -> BookJob | None:
    """Stop a job that is not over, or let go of a failed one, and leave nothing of it.

    None when there is none such. Raises JobRefused.
    """
    with user_scope(user, settings=WAITING_FOR_ROWS):
        job = jobs.lock_job(user, job_id)
        if job is None:
            return None
        if job.state == JobState.CANCELLED:
            return job
        # The file of a failed one is kept for another try, which somebody may not want.
        if job.told_state not in OPEN_STATES and job.state != JobState.FAILED:
            raise jobs.JobRefused(f"This job is over: {job.told_state}.")
        if job.book_id is None:
            jobs.close_job(job, JobState.CANCELLED, now=now)
        else:
            # Everything is stored, and the index is being brought up to it.
            remove_book(user, job.book_id, now=now)
            job.refresh_from_db()
    metrics.count("books", JobState.CANCELLED)
    return job


def find_books_by_items(user: EndUser, ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, BookChunk]:
    """The passages among these memories, with their books."""
    with user_scope(user):
        found = BookChunk.objects.filter(user=user, item_id__in=list(ids)).select_related("book")
        return {chunk.item_id: chunk for chunk in found}
