"""What may be handed in as a book, how often, and under which name."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from books import ingestion
from memory.models import EndUser
from memory.models.people import SecretHandling
from tests.api_client import client_for
from tests.books.shelf import HANDBOOK, BookShelf, rows_left, work

pytestmark = pytest.mark.usefixtures("services", "db")


def test_the_same_bytes_are_one_book_and_a_removed_one_may_come_again(shelf: BookShelf, user: EndUser) -> None:
    book = shelf.read(user, HANDBOOK.encode())
    known = shelf.upload(HANDBOOK.encode(), "again.md", title="Another name")
    assert known.status_code == 200
    assert (known.json()["book_id"], known.json()["duplicate_of"]) == (book, book)
    assert shelf.status(known.json()["job_id"])["duplicate"] is True
    shelf.delete(book)
    assert shelf.read(user, HANDBOOK.encode()) != book
    first = shelf.upload(b"A second document.", "b.txt", "one")
    assert shelf.upload(b"A third document.", "b.txt", "one").status_code == 409
    assert first.status_code == 202


@pytest.mark.parametrize(
    ("body", "name", "fields", "named"),
    [
        (b"", "a.txt", {}, "file"),
        (b"MZ\x90\x00\x03", "a.txt", {}, "file"),
        (b"%PDF-1.7 x", "a.docx", {}, "file"),
        (b"words", "a.exe", {}, "file"),
        (b"words", "a.txt", {"title": "a\x07b"}, "title"),
        (b"words", "a.txt", {"title": "long " * 100}, "title"),
        (b"words", "a.txt", {"tilte": "x"}, "tilte"),
    ],
)
def test_what_is_no_document_is_refused_by_its_field(
    shelf: BookShelf, user: EndUser, body: bytes, name: str, fields: dict[str, str], named: str
) -> None:
    refused = shelf.upload(body, name, **fields)
    assert refused.status_code == 422, refused.content
    assert [error["field"] for error in refused.json()["errors"]] == [named]
    assert shelf.get("jobs").json()["items"] == []


def test_ten_mebibytes_are_taken_and_one_byte_more_is_not(shelf: BookShelf, user: EndUser) -> None:
    most = 10 * 1024 * 1024
    line = b"The tide turns twice a day.\n"
    whole = (line * (most // len(line) + 1))[:most]
    assert shelf.upload(whole, "tide.txt").status_code == 202
    for body in (whole + b"x", whole + b"x" * 200_000):
        refused = shelf.upload(body, "tide.txt")
        assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    plain = shelf.http.post("/api/v1/books/upload", b"{}", "application/json", headers=shelf.headers)
    assert plain.status_code == 415
    files = [SimpleUploadedFile(name, b"Words.") for name in ("a.txt", "b.txt")]
    two = shelf.http.post("/api/v1/books/upload", {"file": files}, headers=shelf.headers)
    assert (two.status_code, two.json()["errors"][0]["field"]) == (422, "file")


def test_a_name_with_a_path_becomes_a_name(shelf: BookShelf, user: EndUser) -> None:
    shelf.upload(b"The tide turns twice a day.", "..\\..\\evil\u202e\u200btide.txt")
    [job] = shelf.get("jobs").json()["items"]
    assert job["file_name"] == "eviltide.txt"


def test_a_key_that_refuses_secrets_has_such_a_document_refused(user: EndUser, shelf: BookShelf) -> None:
    strict = BookShelf(client_for(user, secret_handling=SecretHandling.REFUSE))
    job = strict.upload(HANDBOOK.encode()).json()["job_id"]
    work(user)
    error = strict.status(job)["error"]
    assert error["code"] == ingestion.SECRET_REFUSED
    assert "password" in error["detail"]
    assert "Swordfish" not in error["detail"]
    assert rows_left(user)[0] == 0
