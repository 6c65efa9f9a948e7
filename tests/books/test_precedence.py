"""Whose file is read first, and what becomes of one whose worker has to stop."""

import uuid
from datetime import datetime
from functools import partial

import pytest
from django.utils import timezone

from books import digests, ingestion, jobs, precedence, progress, tasks
from books.models import BookJob
from books.reading.sandbox import read_document
from memory.access.scope import user_scope
from memory.models import EndUser
from tests.api_client import client_for
from tests.books.shelf import BookShelf, rows_left, table, work

pytestmark = pytest.mark.usefixtures("services", "db")


def find_job(user: EndUser, job_id: str) -> BookJob:
    with user_scope(user):
        return BookJob.objects.get(user=user, pk=uuid.UUID(job_id))


def test_a_small_file_of_anybody_is_read_between_the_batches_of_a_large_one(
    shelf: BookShelf, user: EndUser, other_user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precedence, "LOOK_EVERY_S", 0.0)
    large = shelf.upload(table(), "stations.csv").json()["job_id"]
    own = shelf.upload(b"The tide turns twice a day.", "tide.txt").json()["job_id"]
    as_large = shelf.upload(table().replace(b"Keeper", b"Warden"), "wardens.csv").json()["job_id"]
    small = BookShelf(client_for(other_user)).upload(b"Gulls nest in May.", "gulls.txt").json()["job_id"]

    tasks.work_on_books(user.pk)

    ended = [find_job(*one).finished_at for one in ((other_user, small), (user, own), (user, large))]
    assert None not in ended
    assert max(ended[:2]) < ended[2]  # type: ignore[operator, type-var]
    assert find_job(user, as_large).state == "pending"
    assert jobs.DUE.list_users(timezone.now()) == [user.pk]


def test_a_file_that_comes_between_and_fails_leaves_the_other_alone(
    shelf: BookShelf, user: EndUser, other_user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precedence, "LOOK_EVERY_S", 0.0)
    large = shelf.upload(table(), "stations.csv").json()["job_id"]
    small = BookShelf(client_for(other_user)).upload(b"Gulls nest in May.", "gulls.txt").json()["job_id"]
    read = read_document

    def fail_for_gulls(path: object, name: str, **named: object) -> object:
        if name == "gulls.txt":
            raise RuntimeError("no such luck")
        return read(path, name, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(ingestion, "read_document", fail_for_gulls)
    tasks.work_on_books(user.pk)

    assert find_job(user, large).state == "completed"
    assert find_job(other_user, small).state != "completed"


@pytest.mark.parametrize("stage", ["cutting", "storing"])
def test_a_worker_that_stops_leaves_its_job_to_the_next_as_if_it_had_not_begun(
    stage: str, shelf: BookShelf, user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = shelf.upload(table(), "stations.csv").json()["job_id"]

    def is_there_yet() -> bool:
        return find_job(user, job).stage == stage

    with monkeypatch.context() as patched:
        patched.setattr(progress, "is_stopping", is_there_yet)
        work(user)
    left = find_job(user, job)
    assert (left.state, left.attempts, left.stage) == ("pending", 0, "waiting")
    assert rows_left(user) == (0, 0, 0, 1)

    work(user)
    assert find_job(user, job).state == "completed"


def test_whoever_hands_in_many_files_at_once_holds_up_nobody(
    shelf: BookShelf, user: EndUser, other_user: EndUser
) -> None:
    many = [shelf.upload(f"Tide {number} turns.".encode(), f"tide{number}.txt").json()["job_id"] for number in range(4)]
    other = BookShelf(client_for(other_user)).upload(b"Gulls nest in May.", "gulls.txt").json()["job_id"]

    # Each file has a message in the queue, and the four of the one person stand before that of the other.
    tasks.work_on_books(user.pk)
    tasks.work_on_books(user.pk)

    assert find_job(other_user, other).state == "completed"
    assert [find_job(user, job).state for job in many] == ["completed", "pending", "pending", "pending"]


def test_a_model_reads_behind_every_file_that_waits(
    shelf: BookShelf, user: EndUser, other_user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def read_a_part(reader: EndUser, *, now: datetime) -> int:
        asked.append(reader.pk)
        return 1

    monkeypatch.setattr(digests, "read_next_part", read_a_part)
    # Of the other person nothing waits but a digest, and longer than any file.
    jobs.DUE.mark(other_user, timezone.now())
    monkeypatch.setattr(jobs, "find_next_moment", lambda _user, now: now)
    files = [shelf.upload(f"Tide {n} turns.".encode(), f"tide{n}.txt").json()["job_id"] for n in range(2)]

    for _ in range(3):
        tasks.work_on_books(other_user.pk)

    assert [find_job(user, file).state for file in files] == ["completed", "completed"]
    assert asked == [other_user.pk]


def test_small_files_of_others_come_between_before_those_of_the_large_ones_own_person(
    shelf: BookShelf, user: EndUser, other_user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precedence, "LOOK_EVERY_S", 0.0)
    large = shelf.upload(table(), "stations.csv").json()["job_id"]
    own = shelf.upload(b"The tide turns twice a day.", "tide.txt").json()["job_id"]
    small = BookShelf(client_for(other_user)).upload(b"Gulls nest in May.", "gulls.txt").json()["job_id"]

    tasks.work_on_books(user.pk)

    first, second, third = (find_job(*one).finished_at for one in ((other_user, small), (user, own), (user, large)))
    assert None not in (first, second, third)
    assert first < second < third  # type: ignore[operator]


def test_many_small_files_come_between_two_batches_for_as_long_as_the_large_one_was_worked_on(
    shelf: BookShelf, user: EndUser, other_user: EndUser
) -> None:
    other = BookShelf(client_for(other_user))
    files = [other.upload(f"Gull {n} nests.".encode(), f"gull{n}.txt").json()["job_id"] for n in range(4)]
    large = find_job(user, shelf.upload(table(), "stations.csv").json()["job_id"])
    run = partial(ingestion.run_job, clock=timezone.now)
    between = precedence.SmallFilesFirst(large, run, timezone.now)

    between()
    assert {find_job(other_user, file).state for file in files} == {"pending"}

    # Half a minute at the large one.
    between.resumed_at, between.next_at = between.resumed_at - 30, 0.0
    between()
    assert {find_job(other_user, file).state for file in files} == {"completed"}
