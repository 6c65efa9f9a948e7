"""The job that reads a book: how it fails, is cancelled, survives its worker, and tells how far it is."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from books import ingestion, jobs, passages, tasks
from books.models import BookJob, JobState
from books.progress import JobProgress
from memory import inference
from memory.access.scope import user_scope
from memory.models import EndUser
from tests.api_client import ApiClient
from tests.books.shelf import HANDBOOK, BookShelf, rows_left, table, work

pytestmark = pytest.mark.usefixtures("services", "db")


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


def test_what_was_handed_in_again_is_not_read_twice_for_a_retry(
    shelf: BookShelf, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed, other = (shelf.upload(body, "handbook.md").json()["job_id"] for body in (HANDBOOK.encode(), table()))
    for job_id in (failed, other):
        jobs.end_job(user, uuid.UUID(job_id), JobState.FAILED, now=timezone.now(), code="given_up")
    again = shelf.upload(HANDBOOK.encode()).json()["job_id"]
    assert shelf.post(f"jobs/{failed}/retry").json()["job_id"] == again
    work(user)
    book = shelf.status(again)["book_id"]
    retried = shelf.post(f"jobs/{failed}/retry").json()
    assert (retried["status"], retried["book_id"], retried["duplicate"], "error" in retried) == (
        *("completed", book, True),
        False,
    )
    work(user)
    assert [one["book_id"] for one in shelf.get("list").json()["items"]] == [book]
    monkeypatch.setattr(jobs, "MOST_WAITING", 0)
    assert shelf.post(f"jobs/{other}/retry").status_code == 429


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


def test_a_file_that_another_worker_is_done_with_is_passed_over(tmp_path: Path) -> None:
    stale, fresh = tmp_path / "stale", tmp_path / "fresh"
    for file in (stale, fresh):
        file.touch()
    os.utime(stale, (0, 0))
    # Listed, and gone when it is looked at.
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    ingestion.sweep_folder(tmp_path)
    assert (stale.exists(), fresh.exists()) == (False, True)


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
