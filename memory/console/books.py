"""Books: handing in files, how far they are, what there is, reading inside, searching one, removing."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from books import library
from books.jobs import MOST_WAITING, JobRefused, NewUpload, TooManyJobs
from books.library import BookCursor, BookPassage
from books.models import OPEN_STATES, TITLE_CHARS, Book, BookJob, JobStage, JobState
from books.reading.document import DocumentKind, DocumentRefused, RefusalCode
from books.reading.kinds import KIND_BY_EXTENSION, recognise_kind
from books.uploads import clean_field, clean_file_name
from memory.console.acting import open_facade
from memory.retrieval.results import SearchHit
from memory.tiers import MAX_QUERY_CHARS
from memory.web.large_bodies import BOOK_BYTES
from memory.web.page_cursors import parse_moment, read_page_cursor, write_page_cursor
from memory.web.pages import OperatorRequest, person_page, render_page
from memory.web.problems import Problem
from memory.web.quantities import say_number
from memory.web.refusal_wordings import word_refusal
from memory.web.viewing import ViewedPerson
from memory.web.wordings import translate as _

PAGE = 30
SHOWN_JOBS = 12
THREAD_DOCUMENTS = 20
FOUND = 8
LONGEST_WORDS = 200
STAGES = {
    JobStage.WAITING: _("waits its turn"),
    JobStage.READING: _("reading"),
    JobStage.CUTTING: _("cutting into passages"),
    JobStage.EMBEDDING: _("working out what passages mean"),
    JobStage.STORING: _("storing"),
    JobStage.INDEXING: _("indexing"),
    JobStage.DONE: _("done"),
}
ChangeJob = Callable[..., BookJob | None]
ACCEPTED = ",".join(f".{extension}" for extension in KIND_BY_EXTENSION)


class BookForm(forms.Form):
    """A file, and a title where the document's own is not wanted."""

    file = forms.FileField(error_messages={"required": _("Choose a file."), "empty": _("The file is empty.")})
    title = forms.CharField(required=False, max_length=TITLE_CHARS)


class BookSearchForm(forms.Form):
    query = forms.CharField(required=False, max_length=MAX_QUERY_CHARS, strip=True)
    at = forms.IntegerField(required=False, min_value=0, max_value=2_000_000)


@dataclass(frozen=True, slots=True)
class ShownJob:
    """A job with its stage in words."""

    job: BookJob
    stage: str
    percent: int
    is_open: bool
    may_retry: bool


@dataclass(frozen=True, slots=True)
class ShownBook:
    """A book, and how many of its passages are found by what they mean."""

    book: Book
    embedded: int

    @property
    def is_embedded(self) -> bool:
        return self.embedded >= self.book.chunk_count


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A hit within one book, with the place in it that its link leads to."""

    hit: SearchHit
    position: int
    section: str
    page: int | None


@require_safe
@person_page
def page(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    words = request.GET.get("q", "")[:LONGEST_WORDS].strip()
    cursor = request.GET.get("cursor", "")
    books, has_more = open_facade(person).list_books(person.user, limit=PAGE, after=read_cursor(cursor), words=words)
    jobs = [show_job(job) for job in open_facade(person).list_book_jobs(person.user, SHOWN_JOBS)]
    context = {
        "person": person,
        "now": timezone.now(),
        "q": words,
        "typed_title": request.GET.get("title", "")[:TITLE_CHARS],
        "books": show_books(person, books),
        "next_page": urlencode({"q": words, "cursor": write_cursor(books[-1])}) if has_more else "",
        "is_first": not cursor,
        "jobs": [shown for shown in jobs if shown.is_open or shown.job.state == JobState.FAILED],
        "is_working": any(shown.is_open or shown.job.is_found for shown in jobs),
        "documents": list_thread_documents(person) if not cursor else [],
        "accepted": ACCEPTED,
        "kinds": [kind.value for kind in DocumentKind],
    }
    part = "console/books/_rows.html" if cursor else "console/books/_library.html"
    return render_page(request, "console/books/page.html", part, context)


def show_job(job: BookJob) -> ShownJob:
    is_open = job.told_state in OPEN_STATES
    return ShownJob(job, STAGES[JobStage(job.stage)], round(100 * job.progress), is_open, job.state == JobState.FAILED)


def show_books(person: ViewedPerson, books: Sequence[Book]) -> list[ShownBook]:
    left = library.count_unembedded(person.user, books)
    return [ShownBook(book, max(0, book.chunk_count - left.get(book.pk, 0))) for book in books]


def list_thread_documents(person: ViewedPerson) -> list[Book]:
    """What was handed in for one conversation alone and may be made a book."""
    found, _total = library.list_books(person.user, limit=PAGE + THREAD_DOCUMENTS, thread_id=None)
    return [book for book in found if book.thread_id][:THREAD_DOCUMENTS]


@require_POST
@person_page
def upload(request: OperatorRequest, person: ViewedPerson) -> HttpResponse:
    """Without JavaScript one file at a time; what was wrong is said on the page it leads back to."""
    form = BookForm(request.POST, request.FILES)
    if not form.is_valid():
        sent, said = request.FILES.get("file"), str(next(iter(form.errors.values()))[0])
        messages.error(request, f"{clean_file_name(sent.name or '')}: {said}" if sent else said)
        return lead_back(person, request.POST.get("title", ""))
    file, name = form.cleaned_data["file"], clean_file_name(form.cleaned_data["file"].name or "")
    try:
        if file.size > BOOK_BYTES:
            raise DocumentRefused(
                RefusalCode.TOO_LARGE,
                _("A file may have {book_bytes} bytes.").format(book_bytes=say_number(BOOK_BYTES)),
            )
        recognise_kind(file, name)
        title = clean_field("title", form.cleaned_data["title"], refuses_secrets=False)
        file.seek(0)
        job = open_facade(person).upload_book(person.user, NewUpload(file.read(), name, title), now=timezone.now())
    except DocumentRefused as refusal:
        messages.error(request, f"{name}: {word_refusal(refusal.detail)}")
    except Problem as problem:
        messages.error(
            request, _("{name}: the title {rule}.").format(name=name, rule=word_refusal(problem.errors[0].message))
        )
    except TooManyJobs as refusal:
        messages.error(request, word_full_queue(refusal))
    else:
        if job.is_duplicate:
            messages.success(request, _("{name} is among the books already.").format(name=name))
        return lead_back(person)
    return lead_back(person, form.cleaned_data["title"])


def word_full_queue(refusal: TooManyJobs) -> str:
    return str(
        _("{most_waiting} files wait to be read; upload {name} when one is done.").format(
            most_waiting=MOST_WAITING, name=refusal
        )
    )


def lead_back(person: ViewedPerson, title: str = "") -> HttpResponse:
    """To the page of books, with the title that was typed where the file was refused."""
    typed = f"?{urlencode({'title': title[:TITLE_CHARS]})}" if title else ""
    return redirect(reverse("console:books", args=person.path) + typed)


@require_POST
@person_page
def cancel(request: OperatorRequest, person: ViewedPerson, job_id: uuid.UUID) -> HttpResponse:
    return change_job(request, person, open_facade(person).cancel_book_job, job_id)


@require_POST
@person_page
def retry(request: OperatorRequest, person: ViewedPerson, job_id: uuid.UUID) -> HttpResponse:
    return change_job(request, person, open_facade(person).retry_book_job, job_id)


def change_job(request: OperatorRequest, person: ViewedPerson, change: ChangeJob, job_id: uuid.UUID) -> HttpResponse:
    try:
        job = change(person.user, job_id, now=timezone.now())
    except JobRefused as refusal:
        messages.error(request, word_refusal(str(refusal)))
        return redirect("console:books", *person.path)
    except TooManyJobs as refusal:
        messages.error(request, word_full_queue(refusal))
        return redirect("console:books", *person.path)
    if job is None:
        raise Http404("no such job")
    return redirect("console:books", *person.path)


@require_safe
@person_page
def read(request: OperatorRequest, person: ViewedPerson, book_id: uuid.UUID) -> HttpResponse:
    """One passage with those around it, and what a search within the book finds."""
    book = find_book_or_404(person, book_id)
    form = BookSearchForm(request.GET)
    fields = form.cleaned_data if form.is_valid() else {}
    query, at = fields.get("query", ""), fields.get("at")
    found = search_book(person, book, query) if query else []
    if at is None:
        at = found[0].position if found else 0
    context: dict[str, Any] = {
        "person": person,
        "now": timezone.now(),
        "book": book,
        "query": query,
        "found": found,
        "is_marked": bool(query) or fields.get("at") is not None,
        "form": form,
        "digest": open_facade(person).find_book_digest(person.user, book.pk),
        **build_passage_context(person, book, at),
    }
    return render_page(
        request, "console/books/read.html", "console/books/_read.html", context, status=200 if form.is_valid() else 422
    )


def build_passage_context(person: ViewedPerson, book: Book, at: int) -> dict[str, Any]:
    """The passage at a place, or the nearest after it, with its neighbours."""
    memory = open_facade(person)
    before = list(memory.list_passages(person.user, book, limit=1, after=at, backwards=True))
    here = list(memory.list_passages(person.user, book, limit=2, after=at - 1))
    current: BookPassage | None = here[0] if here else (before[0] if before else None)
    return {
        "passage": current,
        "before": before[0] if before and here else None,
        "after": here[1] if len(here) > 1 else None,
        "number": current.chunk.position + 1 if current else 0,
    }


def search_book(person: ViewedPerson, book: Book, query: str) -> list[FoundPassage]:
    """An operator looks on: nothing counts as retrieved."""
    result = open_facade(person).retrieve_from_books(
        person.user, query, now=timezone.now(), book_id=book.pk, limit=FOUND, remember=False
    )
    chunks = library.find_books_by_items(person.user, [hit.item.pk for hit in result.hits])
    found = [(hit, chunks[hit.item.pk]) for hit in result.hits if hit.item.pk in chunks]
    return [FoundPassage(hit, chunk.position, chunk.section, chunk.page) for hit, chunk in found]


@require_safe
@person_page
def find_passage(request: OperatorRequest, person: ViewedPerson, item_id: uuid.UUID) -> HttpResponse:
    """From a memory to its place in its book."""
    chunk = library.find_chunk(person.user, item_id)
    if chunk is None:
        raise Http404("no passage of a book")
    address = reverse("console:book", args=[*person.path, chunk.book_id])
    return redirect(f"{address}?{urlencode({'at': chunk.position})}")


@require_http_methods(["GET", "HEAD", "POST"])
@person_page
def remove(request: OperatorRequest, person: ViewedPerson, book_id: uuid.UUID) -> HttpResponse:
    """Ask, then remove for good."""
    book = find_book_or_404(person, book_id)
    if request.method != "POST":
        return render(request, "console/books/remove.html", {"person": person, "book": book})
    open_facade(person).remove_book(person.user, book_id, now=timezone.now())
    messages.success(
        request,
        ngettext(
            "{title} is removed with its {chunk_count} passage.",
            "{title} is removed with its {chunk_count} passages.",
            book.chunk_count,
        ).format(title=book.title, chunk_count=say_number(book.chunk_count)),
    )
    return redirect("console:books", *person.path)


@require_POST
@person_page
def publish(request: OperatorRequest, person: ViewedPerson, book_id: uuid.UUID) -> HttpResponse:
    """Make a conversation's document a book of the person."""
    book = find_book_or_404(person, book_id)
    job = open_facade(person).publish_document(person.user, book.content_hash, book.thread_id, now=timezone.now())
    if job is not None and job.is_duplicate:
        messages.success(request, _("{title} is among the books already.").format(title=book.title))
    return redirect("console:books", *person.path)


def find_book_or_404(person: ViewedPerson, book_id: uuid.UUID) -> Book:
    book = open_facade(person).find_book(person.user, book_id)
    if book is None:
        raise Http404("no such book")
    return book


def write_cursor(book: Book) -> str:
    return write_page_cursor(book.created_at.isoformat(), book.pk)


def read_cursor(cursor: str) -> BookCursor | None:
    """The book a page ended with; None when the cursor is none of ours."""
    key, book_id = read_page_cursor(cursor) or ("", None)
    moment = parse_moment(key)
    return BookCursor(moment, book_id) if moment and book_id else None
