"""A file's name is told in one line and never becomes a path, however a client words it."""

from typing import Any

import pytest

from books.models import FILE_NAME_CHARS
from memory.conf import data_dir
from memory.models import EndUser
from tests.books.shelf import BookShelf, rows_left

pytestmark = pytest.mark.usefixtures("services", "db")

TAKEN = {
    'filename="../../etc/passwd.txt"': "passwd.txt",
    'filename="..\\\\..\\\\x.txt"': "x.txt",
    'filename="/abs.txt"': "abs.txt",
    'filename="C:\\\\x.txt"': "x.txt",
    'filename="x/../../y.txt"': "y.txt",
    'filename="....//a.txt"': "a.txt",
    'filename="%2e%2e%2fz.txt"': "%2e%2e%2fz.txt",
    'filename="a b .txt"': "a b .txt",
    'filename="aux.TXT"': "aux.TXT",
    'filename="{{ 7*7 }}.txt"': "{{ 7*7 }}.txt",
    'filename="<script>.txt"': "<script>.txt",
    'filename="Ａctive.txt"': "Ａctive.txt",
    'filename="exe\u202etxt.txt"': "exetxt.txt",
    f'filename="{"a" * 300}.txt"': f"{'a' * (FILE_NAME_CHARS - 4)}.txt",
    "filename*=UTF-8''..%2f..%2fb.txt": "b.txt",
    "filename=\"a.exe\"; filename*=UTF-8''c.txt": "c.txt",
    "filename*=utf-8'en'%e2%82%ac.txt": "€.txt",
}
REFUSED = [
    'filename=".."',
    'filename="."',
    'filename=""',
    'filename="   "',
    'filename="CON"',
    'filename=".txt"',
    'filename="a.txt."',
    'filename="a.txt/"',
    'filename="a.txt;b.exe"',
    'filename="a.txt"; filename="b.exe"',
    "filename*=bogus''x.txt",
    "filename*=UTF-8''%00.txt%00.exe",
    f'filename="{"n" * 5_000}.txt"',
]


def hand_in(shelf: BookShelf, disposition: str) -> Any:
    head = f'--B\r\nContent-Disposition: form-data; name="file"; {disposition}\r\nContent-Type: image/png\r\n\r\n'
    body = f"{head}Words of {disposition!a}.\r\n--B--\r\n".encode()
    place, form = "/api/v1/books/upload", "multipart/form-data; boundary=B"
    return shelf.http.post(place, body, form, headers=shelf.headers)


def test_no_name_leads_anywhere(shelf: BookShelf, user: EndUser) -> None:
    told = {}
    for disposition in TAKEN:
        answer = hand_in(shelf, disposition)
        assert answer.status_code == 202, (disposition, answer.content)
        told[disposition] = shelf.status(answer.json()["job_id"])["file_name"]
    refused = {disposition: hand_in(shelf, disposition) for disposition in REFUSED}

    assert told == TAKEN
    assert {disposition: answer.status_code for disposition, answer in refused.items()} == dict.fromkeys(REFUSED, 422)
    assert {answer.json()["errors"][0]["field"] for answer in refused.values()} == {"file"}
    assert "its name is too long" in refused[REFUSED[-1]].json()["detail"]
    assert rows_left(user) == (0, 0, 0, len(TAKEN))
    assert [path for path in data_dir().rglob("*") if path.name in told.values()] == []
