"""Books through the API: handed in, read by the worker, found, cited, read inside, removed; and what may go wrong."""

import csv
import hashlib
import io
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from books import ingestion, jobs, passages, tasks
from books.ingestion import run_job
from books.models import Book, BookChunk, BookJob, BookUpload
from books.progress import JobProgress
from memory import inference
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Tombstone
from memory.models.people import SecretHandling
from memory.store.admission import NewMemory
from tests.api_client import ApiClient, client_for

pytestmark = pytest.mark.usefixtures("services", "db")

HANDBOOK = """# Lighthouse handbook

## Keeping the lamp

The lamp is trimmed at dusk by whoever has the watch. A trimmed lamp burns for eleven hours.

## Visitors

Visitors leave the tower before four in the afternoon. The password of the pantry is Swordfish99!.

```python
def count_steps():
    return 217
```
"""
STATIONS = [("station", "keeper", "steps"), *((f"Rock {n}", f"Keeper {n * 7}", str(100 + n)) for n in range(400))]


def table() -> bytes:
    out = io.StringIO()
    csv.writer(out).writerows(STATIONS)
    return out.getvalue().encode()


class BookShelf:
    """Books of one person as a client has them."""

    def __init__(self, api: ApiClient, person: str = "") -> None:
        self.http = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {api.key}"} | {"X-User-Id": person or api.external_id}

    def upload(self, body: bytes, name: str = "handbook.md", idempotency_key: str = "", **fields: str) -> Any:
        data = {"file": SimpleUploadedFile(name, body), **fields}
        once = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        return self.http.post("/api/v1/books/upload", data, headers=self.headers | once)

    def get(self, path: str, **query: Any) -> Any:
        return self.http.get(f"/api/v1/books/{path}", query, headers=self.headers)

    def post(self, path: str, body: Any = None) -> Any:
        return self.http.post(f"/api/v1/books/{path}", body or {}, "application/json", headers=self.headers)

    def delete(self, path: str) -> Any:
        return self.http.delete(f"/api/v1/books/{path}", headers=self.headers)

    def status(self, job_id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"jobs/{job_id}/status").json()
        return found

    def read(self, user: EndUser, body: bytes, name: str = "handbook.md", **fields: str) -> str:
        """The id of the book it becomes."""
        job = self.upload(body, name, **fields).json()["job_id"]
        work(user)
        status = self.status(job)
        assert status["status"] == "completed", status
        return str(status["book_id"])


@pytest.fixture
def shelf(api: ApiClient) -> BookShelf:
    return BookShelf(api)


def work(user: EndUser) -> None:
    """As the worker does, one job after the other."""
    for job in jobs.list_open_jobs(user):
        run_job(user, job.pk, clock=timezone.now)
    # A machine that is short of time stores a book before its vectors are made.
    for job in jobs.list_open_jobs(user):
        if job.is_found:
            run_job(user, job.pk, clock=timezone.now)


def rows_left(user: EndUser) -> tuple[int, ...]:
    with user_scope(user):
        items = MemoryItem.objects.for_user(user).count()
        return (items, *(model._default_manager.filter(user=user).count() for model in (Book, BookChunk, BookUpload)))


def test_a_document_is_handed_in_and_becomes_a_book(shelf: BookShelf, user: EndUser) -> None:
    handed = shelf.upload(HANDBOOK.encode(), title="The  handbook")
    assert (handed.status_code, set(handed.json())) == (202, {"job_id"})
    job = handed.json()["job_id"]
    assert shelf.status(job) | {"created_at": 0} == {
        "job_id": job,
        "status": "pending",
        "stage": "waiting",
        "progress": 0.0,
        "file_name": "handbook.md",
        "title": "The handbook",
        "book_id": None,
        "duplicate": False,
        "created_at": 0,
        "finished_at": None,
    }
    # The same file while it waits is the same job.
    assert shelf.upload(HANDBOOK.encode(), "other.md").json() == {"job_id": job}
    work(user)
    done = shelf.status(job)
    assert (done["status"], done["stage"], done["progress"]) == ("completed", "done", 1.0)
    [book] = shelf.get("list").json()["items"]
    assert (book["title"], book["file_type"], book["size"]) == ("The handbook", "md", len(HANDBOOK.encode()))
    # What a language model made of it is told with the book, and not in the list.
    assert book | {"digest": None} == shelf.get(book["book_id"]).json()
    assert book["content_hash"] == hashlib.sha256(HANDBOOK.encode()).hexdigest()


def test_a_book_is_read_inside_found_cited_and_removed(api: ApiClient, shelf: BookShelf, user: EndUser) -> None:
    book = shelf.get(shelf.read(user, HANDBOOK.encode(), title="The handbook")).json()
    job = shelf.get("jobs").json()["items"][0]["job_id"]
    chunks = shelf.get(f"{book['book_id']}/chunks", limit=1).json()
    again = shelf.get(f"{book['book_id']}/chunks", limit=200, cursor=chunks["next_cursor"]).json()
    texts = [chunk["text"] for chunk in (*chunks["items"], *again["items"])]
    assert len(texts) == book["chunks"]
    assert "Swordfish" not in " ".join(texts)
    assert "[redacted: password]" in " ".join(texts)

    [hit, *_] = api.post("search", {"query": "How long does a trimmed lamp burn?", "collections": ["books"]}).json()[
        "results"
    ]
    assert "eleven hours" in hit["content"]
    assert (hit["book"]["title"], hit["book"]["book_id"]) == ("The handbook", book["book_id"])
    assert "Keeping the lamp" in hit["book"]["section"]
    [citation] = hit["citations"]
    assert (citation["doc_id"], citation["chunk_id"]) == (book["book_id"], hit["memory_id"])
    context = api.post("context", {"query": "How long does a trimmed lamp burn?"}).json()
    assert book["book_id"] in {cited["doc_id"] for cited in context["meta"]["citations"]}
    tool = api.post("tools/search_memory", {"query": "how long does a trimmed lamp burn", "collections": ["books"]})
    assert 'book "The handbook"' in tool.json()["content"]

    assert shelf.delete(book["book_id"]).status_code == 204
    assert shelf.get(book["book_id"]).status_code == 404
    assert shelf.get("list").json()["items"] == []
    assert api.post("search", {"query": "trimmed lamp"}).json()["results"] == []
    assert rows_left(user) == (0, 0, 0, 0)
    assert shelf.get(f"jobs/{job}/status").status_code == 404


def test_one_cell_of_a_table_is_found_within_its_book(shelf: BookShelf, user: EndUser, api: ApiClient) -> None:
    other = shelf.read(user, b"Rock 217 is mentioned here as well. Its keeper is away.", "notes.txt")
    book = shelf.read(user, table(), "stations.csv")
    asked = {"query": "Who is the keeper of Rock 217?", "limit": 5}
    hits = shelf.post(f"{book}/search", asked).json()["results"]
    assert any("Keeper 1519" in hit["content"] for hit in hits)
    assert {hit["book"]["book_id"] for hit in hits} == {book}
    hits = api.post("search", {**asked, "book_id": other}).json()["results"]
    assert {hit["book"]["book_id"] for hit in hits} == {other}
    assert shelf.post(f"{uuid.uuid4()}/search", asked).status_code == 404
    code = shelf.read(user, HANDBOOK.encode())
    found = shelf.post(f"{code}/search", {"query": "count steps", "content_types": ["code"]}).json()["results"]
    assert len(found) == 1
    assert "217" in found[0]["content"]


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


def test_what_cannot_be_read_fails_with_a_reason_and_leaves_nothing(shelf: BookShelf, user: EndUser) -> None:
    job = shelf.upload(b"%PDF-1.7\nthis is no page\n%%EOF", "broken.pdf").json()["job_id"]
    work(user)
    status = shelf.status(job)
    assert (status["status"], status["error"]["code"]) == ("failed", "damaged")
    assert rows_left(user) == (0, 0, 0, 1)
    retried = shelf.post(f"jobs/{job}/retry")
    assert (retried.status_code, retried.json()["status"]) == (202, "pending")
    work(user)
    jobs.clear_away(user, now=timezone.now() + jobs.KEPT_FOR_RETRY)
    assert rows_left(user) == (0, 0, 0, 0)
    assert shelf.post(f"jobs/{job}/retry").status_code == 409
    assert shelf.post(f"jobs/{uuid.uuid4()}/retry").status_code == 404


def test_what_has_no_words_or_too_many_passages_is_refused_with_a_reason(
    shelf: BookShelf, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passages, "MOST_PASSAGES", 100)
    unseen = shelf.upload("\u200b\u2060 ".encode() * 500, "unseen.txt").json()["job_id"]
    endless = shelf.upload(b". ".join(b"Row %d is long enough to be kept" % n for n in range(9_000)), "rows.txt")
    work(user)
    assert [shelf.status(job)["error"]["code"] for job in (unseen, endless.json()["job_id"])] == [
        "no_text",
        "too_large",
    ]
    assert rows_left(user) == (0, 0, 0, 2)


def test_a_cancelled_job_leaves_nothing(shelf: BookShelf, user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    job = shelf.upload(table(), "stations.csv").json()["job_id"]
    embed = ingestion.embed_ahead

    def cancel_meanwhile(items: Any, progress: JobProgress) -> int:
        assert shelf.post(f"jobs/{job}/cancel").json()["status"] == "cancelled"
        return embed(items, progress)

    monkeypatch.setattr(ingestion, "embed_ahead", cancel_meanwhile)
    work(user)
    assert shelf.status(job)["status"] == "cancelled"
    assert rows_left(user) == (0, 0, 0, 0)
    assert shelf.post(f"jobs/{job}/cancel").status_code == 200
    monkeypatch.undo()
    book = shelf.read(user, HANDBOOK.encode(), "b.md")
    done = shelf.get("jobs").json()["items"][0]["job_id"]
    assert shelf.post(f"jobs/{done}/cancel").status_code == 409
    # After its rows are there, and before anybody is told that it can be asked, it is cancelled by removing it.
    with user_scope(user):
        BookJob.objects.filter(user=user, pk=done).update(state="processing", stage="indexing", finished_at=None)
    assert shelf.post(f"jobs/{done}/cancel").json()["book_id"] is None
    assert shelf.get(book).status_code == 404


def test_a_lost_worker_costs_an_attempt_and_never_half_a_book(
    shelf: BookShelf, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = shelf.upload(table(), "stations.csv").json()["job_id"]

    class Killed(BaseException):
        pass

    def die(*given: Any, **named: Any) -> None:
        raise Killed

    for step in ("read_document", "BookChunk", "await_index"):
        with monkeypatch.context() as patched:
            patched.setattr(ingestion, step, die)
            with pytest.raises((Killed, AttributeError)):
                work(user)
        stored = rows_left(user)
        assert stored[0] == stored[2]
        assert bool(stored[1]) == (step == "await_index")
        assert tasks.sweep_books() == 1
    work(user)
    status = shelf.status(job)
    assert status["status"] == "completed"
    assert shelf.get(status["book_id"]).json()["chunks"] == rows_left(user)[0]

    lost = shelf.upload(b"The tide turns twice a day.", "tide.txt").json()["job_id"]
    with monkeypatch.context() as patched:
        patched.setattr(ingestion, "read_document", die)
        for _ in range(jobs.MAX_ATTEMPTS):
            with pytest.raises(Killed):
                work(user)
    work(user)
    assert shelf.status(lost)["error"]["code"] == jobs.GIVEN_UP


def test_without_an_embedder_a_book_is_found_by_its_words(
    shelf: BookShelf, user: EndUser, api: ApiClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "INDEX_PATIENCE_S", 0.0)
    monkeypatch.setattr(ingestion, "EMBED_AHEAD_S", 0.0)
    away = {**settings.MEMORY["EMBEDDING"], "url": "http://127.0.0.1:9"}
    settings.MEMORY = {**settings.MEMORY, "EMBEDDING": away}
    inference.reset_adapters()
    try:
        book = shelf.read(user, HANDBOOK.encode())
        [hit, *_] = api.post("search", {"query": "trimmed lamp burns"}).json()["results"]
        assert hit["book"]["book_id"] == book
    finally:
        inference.reset_adapters()


def test_progress_comes_as_events_and_ends_with_the_job(shelf: BookShelf, user: EndUser) -> None:
    job = shelf.upload(HANDBOOK.encode()).json()["job_id"]
    stream = shelf.get(f"jobs/{job}/events")
    assert stream.headers["Content-Type"] == "text/event-stream"
    parts: Iterator[bytes] = iter(stream.streaming_content)
    assert next(parts).startswith(b"retry:")
    assert b'"pending"' in next(parts)
    work(user)
    last = list(parts)[-1]
    assert last.startswith(b"event: end")
    assert b'"completed"' in last
    assert shelf.get(f"jobs/{uuid.uuid4()}/events").status_code == 404


def test_books_of_others_and_of_other_projects_are_not_there(
    shelf: BookShelf, user: EndUser, other_user: EndUser, foreign_api: ApiClient, api: ApiClient
) -> None:
    book = shelf.read(user, HANDBOOK.encode())
    job = shelf.get("jobs").json()["items"][0]["job_id"]
    others = [BookShelf(client_for(other_user)), BookShelf(foreign_api, "ann"), BookShelf(foreign_api, "nobody")]
    for stranger in others:
        assert stranger.get("list").json()["items"] == []
        for path in (book, f"{book}/chunks", f"jobs/{job}/status", f"jobs/{job}/events"):
            assert stranger.get(path).status_code == 404
        assert stranger.delete(book).status_code == 404
        assert stranger.post(f"{book}/search", {"query": "lamp"}).status_code == 404
        assert stranger.post(f"jobs/{job}/cancel").status_code == 404
    bound = BookShelf(client_for(user, user_ids=["ben"]), "ann")
    assert {bound.get("list").status_code, bound.upload(b"words", "a.txt").status_code} == {403}
    assert BookShelf(client_for(user, scopes=("read",))).upload(b"words", "a.txt").status_code == 403

    atlas = BookShelf(api)
    atlas.headers["X-Project-Id"] = "atlas"
    assert atlas.upload(HANDBOOK.encode()).json()["duplicate_of"] == book
    own = atlas.read(user, b"Atlas alone knows where the spare wick lies.", "atlas.txt")
    zeus = BookShelf(api)
    zeus.headers["X-Project-Id"] = "zeus"
    assert zeus.get(own).status_code == 404
    assert [one["book_id"] for one in zeus.get("list").json()["items"]] == [book]
    # The person's own shelf has it a second time, as nobody else would find the project's there.
    assert shelf.upload(b"Atlas alone knows where the spare wick lies.", "atlas.txt").status_code == 202


def test_a_threads_document_becomes_a_book_by_its_hash(shelf: BookShelf, user: EndUser, api: ApiClient) -> None:
    document = shelf.read(user, HANDBOOK.encode(), thread_id="watch")
    digest = hashlib.sha256(HANDBOOK.encode()).hexdigest()
    assert shelf.get("list").json()["items"] == []
    [listed] = shelf.get("list", thread_id="watch").json()["items"]
    assert (listed["book_id"], listed["thread_id"]) == (document, "watch")
    asked = {"content_hash": digest, "thread_id": "watch"}
    assert shelf.post("publish", asked | {"thread_id": "elsewhere"}).status_code == 404
    job = shelf.post("publish", asked).json()["job_id"]
    work(user)
    book = shelf.status(job)["book_id"]
    assert [one["book_id"] for one in shelf.get("list").json()["items"]] == [book]
    assert shelf.get(document).status_code == 404
    hits = api.post("search", {"query": "How long does a trimmed lamp burn?"}).json()["results"]
    assert {(hit["tier"], hit["book"]["book_id"]) for hit in hits} == {("books", book)}
    assert shelf.post("publish", asked).json()["duplicate_of"] == book


def test_a_key_that_refuses_secrets_has_such_a_document_refused(user: EndUser, shelf: BookShelf) -> None:
    strict = BookShelf(client_for(user, secret_handling=SecretHandling.REFUSE))
    job = strict.upload(HANDBOOK.encode()).json()["job_id"]
    work(user)
    error = strict.status(job)["error"]
    assert error["code"] == ingestion.SECRET_REFUSED
    assert "password" in error["detail"]
    assert "Swordfish" not in error["detail"]
    assert rows_left(user)[0] == 0


def test_a_book_leaves_and_arrives_with_its_person_and_stays_removed(
    shelf: BookShelf, user: EndUser, foreign_user: EndUser
) -> None:
    from tests.memory.portability.test_portability import count, export, import_file, rows_of

    book = shelf.read(user, HANDBOOK.encode())
    file = export(user)
    assert import_file(foreign_user, file).state == "completed"
    with user_scope(foreign_user):
        copy = Book.objects.get(user=foreign_user)
        chunk = BookChunk.objects.filter(user=foreign_user, book=copy).first()
        assert chunk is not None
        item = MemoryItem.objects.for_user(foreign_user).get(pk=chunk.item_id)
        assert (copy.pk != uuid.UUID(book), item.source["doc_id"]) == (True, str(copy.pk))
    assert rows_of(export(user)) == rows_of(file)
    assert count(import_file(user, file), "new") == 0
    shelf.delete(book)
    assert count(import_file(user, file), "new") == 0
    assert shelf.get("list").json()["items"] == []

    # The same file, read here under another id, is not there twice.
    shelf.read(user, HANDBOOK.encode())
    before = rows_left(user)
    with user_scope(user):
        Tombstone.objects.filter(user=user).delete()
    import_file(user, file)
    assert rows_left(user) == before


def test_the_facade_lists_searches_and_removes(shelf: BookShelf, user: EndUser) -> None:
    memory, now = MemoryFacade("test"), timezone.now()
    shelf.read(user, HANDBOOK.encode())
    memory.store(user, NewMemory("The lamp at home burns for three hours"), now=now)
    [book], _ = memory.list_books(user, words="hand")
    found = memory.retrieve_from_books(user, "how long does the lamp burn", now=now)
    assert {hit.item.tier for hit in found.hits} == {"books"}
    assert memory.remove_book(user, book.pk, now=now)
    assert not memory.remove_book(user, book.pk, now=now)
    assert memory.list_books(user) == ([], False)
