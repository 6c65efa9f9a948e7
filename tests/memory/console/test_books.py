"""Books in the console: handed in, watched, read, searched, published and removed, and by members only."""

import re
import uuid
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from books import jobs
from books.ingestion import run_job
from books.jobs import NewUpload
from books.models import Book, BookJob
from memory.access.scope import user_scope
from memory.models import EndUser
from tests.factories import MemoryItemFactory
from tests.memory.console.conftest import Console

TEXT = "\n\n".join(
    f"{number}. Chapter of lamps\n\nLamp {number} stands {number * 7} metres above the sea and burns all night. "
    + f"Its keeper writes the log of the lamp at {number} o'clock, with wind, sea and the ships that passed. " * 6
    for number in range(1, 9)
).encode()


def read_now(user: EndUser, new: NewUpload) -> BookJob:
    job = jobs.stage_upload(user, new, now=timezone.now(), actor="test")
    run_job(user, job.pk, clock=timezone.now)
    found = jobs.find_job(user, job.pk)
    assert found is not None
    return found


@pytest.fixture
def book(user: EndUser) -> Book:
    job = read_now(user, NewUpload(TEXT, "lamps.txt", "The book of lamps"))
    with user_scope(user):
        return Book.objects.get(user=user, content_hash=job.content_hash)


def upload(console: Console, place: str, name: str, data: bytes, title: str = "") -> str:
    """What the page says after handing in a file."""
    file = SimpleUploadedFile(name, data)
    answer = console.post(f"{place}/books/upload", {"file": file, "title": title}, follow=True)
    assert [address.partition("?")[0] for address, _status in answer.redirect_chain] == [f"{place}/books"]
    return answer.content.decode()


def test_a_refused_file_is_named_and_leaves_the_title_that_was_typed(console: Console, place: str) -> None:
    page = upload(console, place, "lamps.txt", b"", "The & book of lamps")
    assert "lamps.txt: The file is empty." in page
    assert 'value="The &amp; book of lamps"' in page
    assert 'value="The &amp; book' not in upload(console, place, "lamps.txt", TEXT, "The & book of lamps")


def test_a_file_is_handed_in_watched_and_cancelled_without_script(console: Console, place: str, user: EndUser) -> None:
    page = upload(console, place, "lamps.txt", TEXT, "Lamps & <b>more</b>")
    assert "lamps.txt" in page
    assert "waits its turn" in page
    assert 'hx-trigger="every 1s"' in page
    (job,) = jobs.list_jobs(user, 5)
    assert job.title == "Lamps & <b>more</b>"
    # Without script nothing is fetched anew by itself, unless whoever looks on wants it.
    again = '<meta http-equiv="refresh" content="3">'
    assert again not in page
    assert 'href="?watch=1"' in page
    assert again in console.get(f"{place}/books?watch=1").content.decode()
    assert b"<html" not in console.part(f"{place}/books").content
    assert console.post(f"{place}/books/jobs/{job.pk}/cancel").status_code == 302
    page = console.post(f"{place}/books/jobs/{job.pk}/cancel", follow=True).content.decode()
    assert "lamps.txt" not in page
    assert "No books yet" in page
    assert again not in console.get(f"{place}/books?watch=1").content.decode()


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("lamps.exe", b"MZ", "Only these kinds"),
        ("lamps.pdf", b"plain", "the content is not of that kind"),
        ("lamps.txt", b"", "The file is empty."),
        ("lamps.txt", b"x" * (10 * 1024 * 1024 + 1), "10,485,760"),
    ],
)
def test_what_cannot_be_read_is_refused_on_the_page(
    console: Console, place: str, user: EndUser, name: str, data: bytes, told: str
) -> None:
    assert told in upload(console, place, name, data)
    assert not jobs.list_jobs(user, 5)


def test_a_failed_job_says_why_and_is_tried_again(console: Console, place: str, user: EndUser) -> None:
    job = read_now(user, NewUpload(b"%PDF-1.4 nothing", "broken.pdf"))
    assert "The PDF file is damaged." in console.get(f"{place}/books").content.decode()
    assert console.post(f"{place}/books/jobs/{job.pk}/retry").status_code == 302
    again = jobs.find_job(user, job.pk)
    assert again is not None
    assert again.state == "pending"
    page = console.post(f"{place}/books/jobs/{job.pk}/retry", follow=True).content.decode()
    assert "Only a failed job can be tried again" in page


def test_a_failed_job_that_nobody_wants_is_dismissed(console: Console, place: str, user: EndUser) -> None:
    job = read_now(user, NewUpload(b"%PDF-1.4 nothing", "broken.pdf"))
    assert "Dismiss" in console.get(f"{place}/books").content.decode()
    console.post(f"{place}/books/jobs/{job.pk}/cancel")
    assert "broken.pdf" not in console.get(f"{place}/books").content.decode()
    gone = jobs.find_job(user, job.pk)
    assert gone is not None
    assert gone.state == "cancelled"


def test_a_book_hides_neither_what_was_said_nor_what_happened(
    console: Console, place: str, user: EndUser, book: Book
) -> None:
    MemoryItemFactory.create(user=user, text="The lamp oil is in the cellar")
    for page in ("", "/timeline"):
        shown = console.get(place + page).content.decode()
        assert shown.count("passage") < 3, page
    timeline = console.get(f"{place}/timeline").content.decode()
    assert timeline.count('<span class="badge plain">Books</span>') == 1
    overview = console.get(place).content.decode()
    assert "The lamp oil is in the cellar" in overview


def test_a_passage_goes_with_its_book_alone_and_says_where_it_stands(
    console: Console, place: str, user: EndUser, book: Book
) -> None:
    found = console.get(f"{place}/books/{book.pk}?query=How+high+stands+lamp+6").content.decode()
    own = f"{place}/memories/{found.split('/memories/')[1].split(chr(34))[0]}"
    page = console.get(own).content.decode()
    assert ("None</dd>" in page, "last_page" in page, f"{own}/delete" in page) == (False, False, False)
    assert "Position</dt>" in page
    refused = console.post(f"{own}/delete", follow=True).content.decode()
    assert "Not deleted: is a passage of a book" in refused
    assert console.get(own).status_code == 200
    form = console.get(f"{own}/edit").content.decode()
    assert re.search(r"<textarea[^>]* readonly", form)
    assert "A passage of a book is kept as it was handed in." in form


def test_a_book_is_listed_read_searched_and_removed(console: Console, place: str, user: EndUser, book: Book) -> None:
    listed = console.get(f"{place}/books?q=lamps").content.decode()
    assert "The book of lamps" in listed
    assert "No book fits" in console.get(f"{place}/books?q=anchors").content.decode()
    first = console.get(f"{place}/books/{book.pk}").content.decode()
    assert f"Passage 1 of {book.chunk_count}" in first
    assert 'rel="prev"' not in first
    last = console.get(f"{place}/books/{book.pk}?at={book.chunk_count - 1}").content.decode()
    assert 'rel="next"' not in last
    assert 'rel="prev"' in last
    found = console.get(f"{place}/books/{book.pk}?query=How+high+stands+lamp+6").content.decode()
    assert "Lamp 6 stands 42 metres" in found.split('class="user-text full marked"')[1].split("</p>")[0]
    assert b"<html" not in console.part(f"{place}/books/{book.pk}?at=1").content
    assert console.get(f"{place}/books/{book.pk}?at=x").status_code == 422
    passage = found.split("/memories/")[1].split('"')[0]
    answer = console.get(f"{place}/memories/{passage}/book")
    assert answer.headers["Location"].startswith(f"{place}/books/{book.pk}?at=")
    assert b"In its book" in console.get(f"{place}/memories/{passage}").content
    assert b"In its book" in console.get(f"{place}/search?query=lamp+6+metres").content
    assert b"cannot be undone" in console.get(f"{place}/books/{book.pk}/remove").content
    assert "is removed" in console.post(f"{place}/books/{book.pk}/remove", follow=True).content.decode()
    assert console.get(f"{place}/books/{book.pk}").status_code == 404
    assert console.get(f"{place}/memories/{passage}/book").status_code == 404


def test_a_document_of_a_conversation_is_made_a_book(console: Console, place: str, user: EndUser) -> None:
    job = read_now(user, NewUpload(TEXT, "lamps.txt", "Lamps of the talk", thread_id="talk-1"))
    page = console.get(f"{place}/books").content.decode()
    assert "Documents of conversations" in page
    assert "Lamps of the talk" in page
    assert console.post(f"{place}/books/{job.book_id}/publish").status_code == 302
    (published, _) = jobs.list_jobs(user, 5)
    run_job(user, published.pk, clock=lambda: timezone.now() + timedelta(seconds=1))
    page = console.get(f"{place}/books").content.decode()
    assert "Documents of conversations" not in page
    assert "Lamps of the talk" in page


def test_books_are_their_members_only(
    console: Console, outsider: Console, nobody: Console, place: str, book: Book
) -> None:
    for page in ("", f"/{book.pk}", f"/{book.pk}?query=lamp", f"/{book.pk}/remove"):
        assert console.get(f"{place}/books{page}").status_code == 200
        assert outsider.get(f"{place}/books{page}").status_code == 404
        assert b"lamp" not in nobody.get(f"{place}/books{page}").content
    for action in ("upload", f"{book.pk}/remove", f"{book.pk}/publish", f"jobs/{uuid.uuid4()}/cancel"):
        assert outsider.post(f"{place}/books/{action}").status_code == 404
        assert nobody.post(f"{place}/books/{action}").status_code == 302
    assert console.get(f"{place}/books/{book.pk}").status_code == 200
