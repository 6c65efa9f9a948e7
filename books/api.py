"""Endpoints of books: handing in a file, the job that reads it, listing, reading inside, removing.

The person is named by a header and not in the address.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone
from ninja import Query, Router

from books import digests, jobs, library, publishing
from books.events import EVENT_STREAM, stream_job
from books.models import Book, BookDigest, BookJob
from books.schemas import (
    BookId,
    BookJobId,
    BookJobList,
    BookJobOut,
    BookListOptions,
    BookOut,
    BookPage,
    BookUploadOut,
    BookWholeOut,
    DigestOut,
    PassageOut,
    PassagePage,
    PublishIn,
)
from books.tasks import work_on_books
from books.uploads import FILE, THREAD, TITLE, read_upload
from memory.models import EndUser
from memory.platform import metrics
from memory.platform.queue import enqueue
from memory.web import paging
from memory.web.auth import READ, WRITE, get_actor, get_principal
from memory.web.fields import RecordPageOptions
from memory.web.idempotency import MULTIPART, json_response, run_once
from memory.web.openapi import describe_responses
from memory.web.persons import PersonName, act_for_person, find_person, require_person
from memory.web.problems import Problem, conflict, not_found
from memory.web.scoping import confine_to_fields

router = Router(tags=["Books"])

MOST_JOBS = 50
UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            MULTIPART: {
                "schema": {
                    "type": "object",
                    "required": [FILE],
                    "additionalProperties": False,
                    "properties": {
                        FILE: {
                            "type": "string",
                            "format": "binary",
                            "description": "pdf, docx, xlsx, csv, html, rtf, txt or md, up to 10 MiB.",
                        },
                        TITLE: {
                            "type": "string",
                            "maxLength": 300,
                            "description": "Left out, the document's own, else the file's name.",
                        },
                        THREAD: {
                            "type": "string",
                            "maxLength": 200,
                            "description": "Makes it a document of this thread; publishing makes it a book.",
                        },
                    },
                }
            }
        },
    }
}
STREAMED: dict[str, Any] = {
    "responses": {
        200: {
            "description": "`progress` events and one `end`, each with the job as JSON; `gone` when it is removed.",
            "content": {EVENT_STREAM: {"schema": {"type": "string"}}},
        }
    }
}


@router.post(
    "/books/upload",
    auth=WRITE,
    response={**describe_responses(202, BookUploadOut, reads_body=True, writes=True), 200: BookUploadOut},
    openapi_extra=UPLOAD,
    operation_id="upload_book",
    summary="Hand in a document",
)
def upload_book(request: HttpRequest, person: PersonName = None) -> HttpResponse:
    """Answers at once; the job that reads it says how far it is. The same bytes are one book: a file that is known is
    answered with it, one that is being read with its job."""
    upload = read_upload(request, refuses_secrets=get_principal(request).refuses_secrets)

    def stage(user: EndUser) -> HttpResponse:
        with answer_refusal():
            job = jobs.stage_upload(user, upload, now=timezone.now(), actor=get_actor(request))
        if job.is_duplicate:
            metrics.count("books", "duplicate")
        enqueue(work_on_books, user.pk)
        return json_response(200 if job.is_duplicate else 202, BookUploadOut.of(job))

    return act_for_person(request, person, lambda user: run_once(request, user, lambda: stage(user)))


@router.post(
    "/books/publish",
    auth=WRITE,
    response={
        **describe_responses(202, BookUploadOut, reads_body=True, writes=True, may_miss=True),
        200: BookUploadOut,
    },
    operation_id="publish_book",
    summary="Make a thread's document a book",
)
def publish_book(request: HttpRequest, body: PublishIn, person: PersonName = None) -> HttpResponse:
    """Named by its hash. The book is found from every thread and does not end with the thread's memories."""
    user = require_person(request, person)

    def publish() -> HttpResponse:
        job = publishing.stage_publication(
            user,
            body.content_hash,
            body.thread_id,
            title=body.title or "",
            now=timezone.now(),
            actor=get_actor(request),
        )
        if job is None:
            raise not_found()
        enqueue(work_on_books, user.pk)
        return json_response(200 if job.is_duplicate else 202, BookUploadOut.of(job))

    return run_once(request, user, publish)


@router.get(
    "/books/list",
    auth=READ,
    response=describe_responses(200, BookPage),
    operation_id="list_books",
    summary="List books, the latest first",
)
def list_books(request: HttpRequest, options: Query[BookListOptions], person: PersonName = None) -> HttpResponse:
    user = find_person(request, person)
    with confine_to_fields(options):
        own = ["books", user.pk if user else 0, options.q, options.thread_id or ""]
        position = paging.read_moment_cursor(own, options.cursor)
        if user is None:
            return json_response(200, BookPage(items=[], next_cursor=None))
        books, has_more = library.list_books(
            user,
            limit=options.limit,
            after=library.BookCursor(*position) if position else None,
            thread_id=options.thread_id or "",
            words=options.q,
        )
    cursor = paging.sign_moment_cursor(own, books[-1].created_at, books[-1].pk) if has_more else None
    left = library.count_unembedded(user, books)
    items = [BookOut.of(book, left.get(book.pk, 0)) for book in books]
    return json_response(200, BookPage(items=items, next_cursor=cursor))


@router.get(
    "/books/jobs",
    auth=READ,
    response=describe_responses(200, BookJobList),
    operation_id="list_book_jobs",
    summary="The latest jobs",
)
def list_jobs(request: HttpRequest, person: PersonName = None) -> HttpResponse:
    user = find_person(request, person)
    found = jobs.list_jobs(user, MOST_JOBS) if user else []
    return json_response(200, BookJobList(items=[BookJobOut.of(job) for job in found]))


@router.get(
    "/books/jobs/{job_id}/status",
    auth=READ,
    response=describe_responses(200, BookJobOut, may_miss=True),
    operation_id="get_book_job",
    summary="How far a job is",
)
def get_job(request: HttpRequest, job_id: BookJobId, person: PersonName = None) -> HttpResponse:
    return answer_job(jobs.find_job(require_person(request, person), UUID(job_id)))


@router.get(
    "/books/jobs/{job_id}/events",
    auth=READ,
    response=describe_responses(200, None, may_miss=True),
    openapi_extra=STREAMED,
    operation_id="stream_book_job",
    summary="How far a job is, as it changes",
)
def get_events(request: HttpRequest, job_id: BookJobId, person: PersonName = None) -> HttpResponseBase:
    """Server-sent events. After five minutes the stream ends and the client asks again; the status says the same."""
    user = require_person(request, person)
    if jobs.find_job(user, UUID(job_id)) is None:
        raise not_found()
    return stream_job(user, UUID(job_id))


@router.post(
    "/books/jobs/{job_id}/cancel",
    auth=WRITE,
    response=describe_responses(200, BookJobOut, writes=True, may_miss=True),
    operation_id="cancel_book_job",
    summary="Stop a job, and leave nothing of it",
)
def cancel_job(request: HttpRequest, job_id: BookJobId, person: PersonName = None) -> HttpResponse:
    user = require_person(request, person)

    def cancel() -> HttpResponse:
        with answer_refusal():
            return answer_job(library.cancel_job(user, UUID(job_id), now=timezone.now()))

    return run_once(request, user, cancel)


@router.post(
    "/books/jobs/{job_id}/retry",
    auth=WRITE,
    response=describe_responses(202, BookJobOut, writes=True, may_miss=True),
    operation_id="retry_book_job",
    summary="Try a failed job again",
)
def retry_job(request: HttpRequest, job_id: BookJobId, person: PersonName = None) -> HttpResponse:
    """For a day after it failed the file need not be handed in again. If it was, the answer is as to the upload: this
    job completed, with the book, or the job that reads it."""
    user = require_person(request, person)

    def retry() -> HttpResponse:
        with answer_refusal():
            job = jobs.retry_job(user, UUID(job_id), now=timezone.now())
        enqueue(work_on_books, user.pk)
        return answer_job(job, 202)

    return run_once(request, user, retry)


@contextmanager
def answer_refusal() -> Iterator[None]:
    """What is asked of a job and does not go with its state is a conflict."""
    try:
        yield
    except jobs.TooManyJobs:
        detail = f"{jobs.MOST_WAITING} files of this person wait to be read; hand in the next when one is done."
        raise Problem(429, "rate_limited", detail, headers={"Retry-After": "10"}) from None
    except jobs.JobRefused as refusal:
        raise conflict(str(refusal)) from refusal


def answer_job(job: BookJob | None, status: int = 200) -> HttpResponse:
    if job is None:
        raise not_found()
    return json_response(status, BookJobOut.of(job))


@router.get(
    "/books/{book_id}",
    auth=READ,
    response=describe_responses(200, BookWholeOut, may_miss=True),
    operation_id="get_book",
    summary="One book, and what a language model reads out of it",
)
def get_book(request: HttpRequest, book_id: BookId, person: PersonName = None) -> HttpResponse:
    user = require_person(request, person)
    book = find_book(user, book_id)
    return answer_book(user, book, digests.find_digest(user, book.pk))


@router.post(
    "/books/{book_id}/digest",
    auth=WRITE,
    response=describe_responses(202, BookWholeOut, may_miss=True, writes=True),
    operation_id="digest_book",
    summary="Have a language model read a book",
)
def digest_book(request: HttpRequest, book_id: BookId, person: PersonName = None) -> HttpResponse:
    """For books from before a model was configured, and again from the beginning for others; 409 without a model."""
    user = require_person(request, person)

    def begin() -> HttpResponse:
        book = find_book(user, book_id)
        digest = digests.begin_digest(user, book.pk, now=timezone.now())
        if digest is None:
            raise conflict("No language model is configured, or its prompts for books are switched off.")
        enqueue(work_on_books, user.pk)
        return answer_book(user, book, digest, 202)

    return run_once(request, user, begin)


def answer_book(user: EndUser, book: Book, digest: BookDigest | None, status: int = 200) -> HttpResponse:
    made = DigestOut.of(digest) if digest else None
    told = BookOut.of(book, library.count_unembedded(user, [book]).get(book.pk, 0))
    return json_response(status, BookWholeOut(**told.model_dump(), digest=made))


@router.get(
    "/books/{book_id}/chunks",
    auth=READ,
    response=describe_responses(200, PassagePage, may_miss=True),
    operation_id="list_book_chunks",
    summary="Read a book, passage by passage",
)
def list_chunks(
    request: HttpRequest, book_id: BookId, options: Query[RecordPageOptions], person: PersonName = None
) -> HttpResponse:
    user = require_person(request, person)
    with confine_to_fields(options):
        book = find_book(user, book_id)
        own = ["passages", user.pk, str(book.pk)]
        after = paging.read_number_cursor(own, options.cursor)
        found = library.list_passages(user, book, limit=options.limit + 1, after=after)
    page, cursor = paging.cut_page(found, options.limit, lambda one: paging.sign_cursor(own, [one.chunk.position]))
    return json_response(200, PassagePage(items=[PassageOut.of(one) for one in page], next_cursor=cursor))


@router.delete(
    "/books/{book_id}",
    auth=WRITE,
    response=describe_responses(204, None, may_miss=True),
    operation_id="remove_book",
    summary="Remove a book for good",
)
def remove_book(request: HttpRequest, book_id: BookId, person: PersonName = None) -> HttpResponse:
    """Gone from every search and list at once; its vectors follow."""
    if not library.remove_book(require_person(request, person), UUID(book_id), now=timezone.now()):
        raise not_found()
    return HttpResponse(status=204)


def find_book(user: EndUser, book_id: str) -> Book:
    book = library.find_book(user, UUID(book_id))
    if book is None:
        raise not_found()
    return book
