"""Books: what a person handed in, found again, read and removed."""

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime

from books import digests, jobs, library, publishing
from books.jobs import NewUpload
from books.library import BookCursor, BookPassage
from books.models import Book, BookDigest, BookJob
from books.tasks import work_on_books
from memory.facade.retrieval import RetrievalVerbs
from memory.models import EndUser
from memory.models.conditions import RowConditions
from memory.platform.queue import enqueue
from memory.retrieval.results import SearchRequest, SearchResult
from memory.tiers import Tier

BOOKS_ALONE = frozenset({Tier.BOOKS})


class BookVerbs(RetrievalVerbs):
    def upload_book(self, user: EndUser, new: NewUpload, *, now: datetime) -> BookJob:
        """Keep a file for the worker, which reads all of it or nothing. Raises TooManyJobs."""
        job = jobs.stage_upload(user, new, now=now, actor=self.actor)
        enqueue(work_on_books, user.pk)
        return job

    def list_books(
        self, user: EndUser, *, limit: int = 50, after: BookCursor | None = None, words: str = ""
    ) -> tuple[list[Book], bool]:
        """The latest first, and whether there are more."""
        return library.list_books(user, limit=limit, after=after, words=words)

    def retrieve_from_books(
        self,
        user: EndUser,
        query: str,
        *,
        now: datetime,
        content_types: Collection[str] = (),
        book_id: uuid.UUID | None = None,
        limit: int = 5,
        remember: bool = True,
    ) -> SearchResult:
        """Passages of all books or of one; of ``content_types`` (text, rows, code) where some are named."""
        rows = RowConditions(book_id=book_id, content_types=frozenset(content_types))
        request = SearchRequest(query, tiers=BOOKS_ALONE, limit=limit, rows=rows)
        return self.search(user, request, now=now, remember=remember)

    def remove_book(self, user: EndUser, book_id: uuid.UUID, *, now: datetime) -> bool:
        """For good, with every passage: gone from searches and lists at once. False when there is none such."""
        return library.remove_book(user, book_id, now=now)

    def publish_document(
        self, user: EndUser, content_hash: str, thread_id: str, *, now: datetime, title: str = ""
    ) -> BookJob | None:
        """Make a thread's document a book; None when the thread has none with this hash."""
        job = publishing.stage_publication(user, content_hash, thread_id, title=title, now=now, actor=self.actor)
        if job is not None:
            enqueue(work_on_books, user.pk)
        return job

    def find_book(self, user: EndUser, book_id: uuid.UUID) -> Book | None:
        return library.find_book(user, book_id)

    def find_book_digest(self, user: EndUser, book_id: uuid.UUID) -> BookDigest | None:
        """What a language model reads out of it; None where none was asked."""
        return digests.find_digest(user, book_id)

    def digest_book(self, user: EndUser, book_id: uuid.UUID, *, now: datetime) -> BookDigest | None:
        """Have a language model read a book from the beginning. None without one, or without such a book."""
        digest = digests.begin_digest(user, book_id, now=now)
        enqueue(work_on_books, user.pk)
        return digest

    def list_passages(
        self, user: EndUser, book: Book, *, limit: int, after: int | None = None, backwards: bool = False
    ) -> Sequence[BookPassage]:
        """From the passage after this position on, or before it, in the book's order."""
        return library.list_passages(user, book, limit=limit, after=after, backwards=backwards)

    def list_book_jobs(self, user: EndUser, limit: int) -> list[BookJob]:
        """The latest first."""
        return jobs.list_jobs(user, limit)

    def cancel_book_job(self, user: EndUser, job_id: uuid.UUID, *, now: datetime) -> BookJob | None:
        """Stop a job and leave nothing of it. None when there is none such. Raises JobRefused."""
        return library.cancel_job(user, job_id, now=now)

    def retry_book_job(self, user: EndUser, job_id: uuid.UUID, *, now: datetime) -> BookJob | None:
        """Try a failed job again. None when there is none such. Raises JobRefused and TooManyJobs."""
        job = jobs.retry_job(user, job_id, now=now)
        enqueue(work_on_books, user.pk)
        return job
