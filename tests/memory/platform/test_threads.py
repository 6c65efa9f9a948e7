"""Two lookups at once: in time, on a connection of its own, and never where it would not see what was written."""

import threading
from collections.abc import Iterator
from functools import partial

import pytest
from django.db import connection, transaction

from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import DeadlineExceeded, Unavailable
from memory.platform.threads import THREADS, run_in_thread
from tests.factories import EndUserFactory, MemoryItemFactory
from tests.patience import PATIENCE_S, Stopwatch

pytestmark = pytest.mark.django_db(transaction=True)


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def memories_of(user: EndUser) -> int:
    with user_scope(user):
        return MemoryItem.objects.for_user(user).count()


@pytest.fixture
def all_busy() -> Iterator[None]:
    """Every thread waits for the end of the test."""
    ended, begun = threading.Event(), threading.Barrier(THREADS + 1)

    def wait() -> None:
        begun.wait(PATIENCE_S)
        ended.wait(PATIENCE_S)

    waits = [run_in_thread("mill", wait, Deadline(PATIENCE_S)) for _ in range(THREADS)]
    begun.wait(PATIENCE_S)
    yield
    ended.set()
    for wait_for in waits:
        wait_for()


def test_the_work_has_a_thread_and_a_connection_of_its_own() -> None:
    mine = backend()
    assert run_in_thread("mill", backend, Deadline(PATIENCE_S))() != mine
    assert run_in_thread("mill", threading.get_ident, Deadline(PATIENCE_S))() != threading.get_ident()


def test_it_goes_on_while_the_caller_does_something_else() -> None:
    reached = threading.Event()
    answer = run_in_thread("mill", lambda: reached.wait(PATIENCE_S), Deadline(PATIENCE_S))
    reached.set()
    assert answer() is True


def test_inside_a_transaction_the_caller_does_it_and_sees_what_was_written() -> None:
    user = EndUserFactory.create()
    with user_scope(user):
        MemoryItemFactory.create(user=user)
        assert run_in_thread("mill", lambda: (backend(), memories_of(user)), Deadline(PATIENCE_S))() == (backend(), 1)


def test_elsewhere_it_sees_the_rows_of_its_scope_alone() -> None:
    ann, ben = EndUserFactory.create_batch(2)
    with user_scope(ann):
        MemoryItemFactory.create_batch(2, user=ann)
    seen = [run_in_thread("mill", partial(memories_of, user), Deadline(PATIENCE_S)) for user in (ann, ben)]
    assert [answer() for answer in seen] == [2, 0]


@pytest.mark.usefixtures("all_busy")
def test_with_every_thread_busy_the_caller_does_it_when_asked() -> None:
    answer = run_in_thread("mill", threading.get_ident, Deadline(PATIENCE_S))
    assert answer() == threading.get_ident()


def test_what_the_work_raises_reaches_the_caller_and_the_thread_goes_on() -> None:
    def stop() -> None:
        raise Unavailable("mill", "the wheel stands still")

    for _ in range(2 * THREADS):
        with pytest.raises(Unavailable, match="stands still"):
            run_in_thread("mill", stop, Deadline(PATIENCE_S))()
    assert run_in_thread("mill", threading.get_ident, Deadline(PATIENCE_S))() != threading.get_ident()


def test_nobody_waits_much_longer_than_the_deadline() -> None:
    ended = threading.Event()
    answer = run_in_thread("mill", lambda: ended.wait(PATIENCE_S), Deadline(0.05))
    with Stopwatch() as watch, pytest.raises(DeadlineExceeded, match="longer than its time"):
        answer()
    assert watch.is_within(0.05)
    ended.set()


def test_connections_go_back_to_the_pool() -> None:
    for _ in range(30):
        run_in_thread("mill", backend, Deadline(PATIENCE_S))()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        assert cursor.fetchone()[0] < 20
