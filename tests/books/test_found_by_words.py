"""A long book can be asked as soon as it is stored: found by its words at once, by what it means once that is known."""

import uuid
from typing import Any

import pytest
from django.utils import timezone

from books import ingestion, jobs, tasks
from books.ingestion import release_held, run_job
from books.models import BookJob
from memory.access.scope import user_scope
from memory.indexing import queue
from memory.models import EndUser, MemoryItem
from memory.platform.faults import Unavailable
from memory.tiers import Indexing
from tests.api_client import ApiClient
from tests.books.shelf import BookShelf, rows_left, table, work

pytestmark = pytest.mark.usefixtures("services", "db")


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is handed in is a long book."""
    monkeypatch.setattr(ingestion, "EMBED_AHEAD_S", 0.0)


def begin(shelf: BookShelf, user: EndUser, body: bytes = b"", name: str = "stations.csv") -> dict[str, Any]:
    """Hand in a file and have it read as far as it can be asked."""
    job = shelf.upload(body or table(), name).json()["job_id"]
    run_job(user, uuid.UUID(job), clock=timezone.now)
    return shelf.status(job)


def count_pending(user: EndUser) -> int:
    with user_scope(user):
        return MemoryItem.objects.for_user(user).filter(indexing=Indexing.PENDING).count()


def test_a_long_book_can_be_asked_before_its_vectors_are_made(
    shelf: BookShelf, user: EndUser, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = begin(shelf, user)

    assert (told["status"], told["stage"], told["progress"]) == ("completed", "done", 1.0)
    assert told["finished_at"]
    book = shelf.get(told["book_id"]).json()
    assert (book["embedded"], book["chunks"]) == (0, count_pending(user))
    assert shelf.get("list").json()["items"][0]["embedded"] == 0
    [hit, *_] = api.post("search", {"query": "Who is the keeper of Rock 399?"}).json()["results"]
    assert "Rock 399; keeper: Keeper 2793" in hit["content"]
    assert shelf.post(f"jobs/{told['job_id']}/cancel").status_code == 409
    # The same file again is this book and no second job.
    assert shelf.upload(table(), "again.csv").json()["duplicate_of"] == told["book_id"]

    report = jobs.report_progress
    heard: list[dict[str, Any]] = []

    def hear(user: EndUser, job_id: uuid.UUID, *given: Any) -> bool:
        goes_on = report(user, job_id, *given)
        heard.append(shelf.status(told["job_id"]))
        return goes_on

    monkeypatch.setattr(jobs, "report_progress", hear)
    # What was not embedded in time is left to the queue of the index, and waited for.
    monkeypatch.setattr(ingestion, "embed_behind", lambda user, book, *_: release_held(user, book, now=timezone.now()))
    work(user)
    assert heard
    assert all(one == told for one in heard)
    assert count_pending(user) == 0
    whole = shelf.get(told["book_id"]).json()
    assert whole["embedded"] == whole["chunks"] == book["chunks"]
    assert shelf.status(told["job_id"]) == told


def test_what_a_person_says_meanwhile_stands_behind_no_passage(
    shelf: BookShelf, user: EndUser, api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(shelf, user)
    waiting = count_pending(user)
    api.post("memories", {"text": "The ferry leaves at nine."})
    assert queue.index_batch(user, now=timezone.now()) == 1
    assert count_pending(user) == waiting

    # Also while the vectors are made, when no message tells the queue of it.
    index = queue.index_items
    said: list[Any] = []

    def say_meanwhile(*given: Any, **named: Any) -> None:
        index(*given, **named)
        if not said:
            said.append(api.post("memories", {"text": "The ferry returns at noon."}).json())

    monkeypatch.setattr(queue, "index_items", say_meanwhile)
    work(user)
    assert count_pending(user) == 0


def test_a_killed_worker_leaves_the_rest_to_the_next(
    shelf: BookShelf, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = begin(shelf, user)
    index = queue.index_items

    class Killed(BaseException):
        pass

    def index_one_batch(*given: Any, **named: Any) -> None:
        index(*given, **named)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(ingestion, "BATCH", 4)
        patched.setattr(queue, "index_items", index_one_batch)
        with pytest.raises(Killed):
            work(user)
    left = count_pending(user)
    assert 0 < left < shelf.get(told["book_id"]).json()["chunks"]
    assert shelf.status(told["job_id"])["status"] == "completed"
    assert tasks.sweep_books() == 1
    assert tasks.work_on_books(user.pk) == 1
    assert count_pending(user) == 0


def test_an_embedder_that_is_late_with_many_is_asked_for_few(
    shelf: BookShelf, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "RETRY_AFTER_S", 0.0)
    told, index = begin(shelf, user), queue.index_items
    sizes: list[int] = []

    def index_few(user: EndUser, items: list[MemoryItem], **named: Any) -> None:
        sizes.append(len(items))
        if len(items) > ingestion.FEWEST:
            raise Unavailable("embedder", "did not answer in time")
        index(user, items, **named)

    monkeypatch.setattr(queue, "index_items", index_few)
    work(user)
    book = shelf.get(told["book_id"]).json()
    assert book["embedded"] == book["chunks"]
    assert ingestion.FEWEST in sizes


def test_files_that_nobody_can_ask_yet_go_first(shelf: BookShelf, user: EndUser) -> None:
    found = begin(shelf, user)
    waiting = shelf.upload(table().replace(b"Keeper", b"Warden"), "wardens.csv").json()["job_id"]

    assert [str(job.pk) for job in jobs.list_open_jobs(user)] == [waiting, found["job_id"]]
    assert tasks.work_on_books(user.pk) == 1
    assert shelf.status(waiting)["status"] == "completed"
    assert shelf.get(found["book_id"]).json()["embedded"] == 0


def test_a_book_is_removed_before_its_vectors_are_made(shelf: BookShelf, user: EndUser) -> None:
    told = begin(shelf, user)
    assert shelf.delete(told["book_id"]).status_code == 204
    assert rows_left(user) == (0, 0, 0, 0)
    # A finished job goes with its book.
    assert shelf.get(f"jobs/{told['job_id']}/status").status_code == 404
    work(user)
    with user_scope(user):
        assert not BookJob.objects.filter(user=user).exists()
