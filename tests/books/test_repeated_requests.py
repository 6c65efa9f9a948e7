"""A call about books that is sent twice under one Idempotency-Key has one effect."""

from typing import Any

import pytest

from books import jobs
from memory.models import EndUser
from tests.books.shelf import BookShelf
from tests.books.test_digests import LAMP, hand_in, model

__all__ = ["model"]

pytestmark = pytest.mark.usefixtures("services", "db")


def send_form(shelf: BookShelf, boundary: str, body: str) -> Any:
    form = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="tide.txt"\r\n\r\n{body}\r\n'
    return shelf.http.post(
        "/api/v1/books/upload",
        f"{form}--{boundary}--\r\n".encode(),
        f"multipart/form-data; boundary={boundary}",
        headers=shelf.headers | {"Idempotency-Key": "tide-1"},
    )


def test_a_file_sent_again_between_other_lines_is_the_same_request(shelf: BookShelf, user: EndUser) -> None:
    first = send_form(shelf, "line-1", "The tide turns twice a day.")
    again = send_form(shelf, "another-line", "The tide turns twice a day.")

    assert (first.status_code, again.status_code) == (202, 202)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.json() == first.json()
    assert send_form(shelf, "line-1", "The tide turns once.").status_code == 409
    assert len(jobs.list_jobs(user, 9)) == 1


@pytest.mark.usefixtures("model")
def test_a_digest_asked_for_twice_is_begun_once(shelf: BookShelf, user: EndUser) -> None:
    place, once = f"/api/v1/books/{hand_in(user, LAMP)}/digest", {"Idempotency-Key": "digest-1"}

    first, again = (shelf.http.post(place, {}, "application/json", headers=shelf.headers | once) for _ in range(2))

    assert (first.status_code, again.status_code) == (202, 202), first.content
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.content == first.content
