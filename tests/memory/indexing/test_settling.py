"""The mark that a user's rows wait for the index: set by writers, cleared when nothing is pending."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection
from django.utils import timezone

from memory import tasks
from memory.access.scope import user_scope
from memory.indexing import queue
from memory.models import EndUser
from memory.store import writing as store
from memory.store.admission import NewMemory
from tests.conftest import Clock
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.usefixtures("services")

IndexNow = Callable[[EndUser], None]


def put_memory(user: EndUser, clock: Clock, text: str = "The ferry leaves at nine") -> None:
    store.store_memory(user, NewMemory(text), now=clock())


def is_marked(user: EndUser) -> bool:
    return user.pk in queue.list_due_users()


def test_only_marked_users_are_due_and_the_longest_waiting_first(
    user: EndUser, other_user: EndUser, clock: Clock, index_now: IndexNow
) -> None:
    put_memory(other_user, clock)
    clock.advance(minutes=1)
    put_memory(user, clock)
    assert queue.list_due_users() == [other_user.pk, user.pk]
    index_now(other_user)
    queue.clear_user_mark(other_user)
    assert queue.list_due_users() == [user.pk]


@pytest.mark.django_db(transaction=True)
def test_settling_waits_for_a_writer_whose_row_is_not_visible_yet(user: EndUser, clock: Clock) -> None:
    put_memory(user, clock)
    queue.index_batch(user, now=clock())
    is_written, may_commit = Event(), Event()

    def write_slowly() -> None:
        try:
            with user_scope(user):
                put_memory(user, clock, "Written while the worker settles")
                is_written.set()
                may_commit.wait(PATIENCE_S)
        finally:
            connection.close()

    def settle() -> bool:
        try:
            return queue.clear_user_mark(user)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(write_slowly)
        assert is_written.wait(PATIENCE_S)
        settling = pool.submit(settle)
        assert not settling.done()
        Event().wait(0.3)
        assert not settling.done(), "the mark must not go while the row is on its way"
        may_commit.set()
        writing.result(PATIENCE_S)
        assert settling.result(PATIENCE_S) is False
    assert is_marked(user)
    assert queue.index_batch(user, now=clock()) == 1


@pytest.mark.django_db(transaction=True)
def test_settling_gives_up_on_a_writer_that_takes_long(user: EndUser, clock: Clock) -> None:
    put_memory(user, clock)
    queue.index_batch(user, now=clock())

    def settle() -> bool:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '100ms'")
            return queue.clear_user_mark(user)
        finally:
            with connection.cursor() as cursor:
                cursor.execute("RESET lock_timeout")
            connection.close()

    with ThreadPoolExecutor(1) as pool, user_scope(user):
        put_memory(user, clock, "Written for long")
        assert pool.submit(settle).result(PATIENCE_S) is False
    assert is_marked(user)


@pytest.mark.django_db(transaction=True)
def test_a_writer_that_comes_while_the_mark_is_taken_back_sets_it_again(user: EndUser, clock: Clock) -> None:
    put_memory(user, clock)
    queue.index_batch(user, now=clock())

    def write() -> None:
        try:
            put_memory(user, clock, "Just too late")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with user_scope(user):
            assert queue.clear_user_mark(user) is True
            writing = pool.submit(write)
            Event().wait(0.3)
            assert not writing.done()
        writing.result(PATIENCE_S)
    assert is_marked(user)


def test_a_row_that_a_rebuild_took_meanwhile_leaves_no_mark_behind(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_memory(user, clock)
    settle = queue.clear_user_mark

    def settle_beside_a_rebuild(settled: EndUser) -> bool:
        monkeypatch.setattr(queue, "clear_user_mark", settle)
        put_memory(user, clock, "Written while the worker settles")
        is_settled = settle(settled)
        assert queue.index_batch(user, now=timezone.now()) == 1
        return is_settled

    monkeypatch.setattr(queue, "clear_user_mark", settle_beside_a_rebuild)
    assert tasks.index_user(user.pk) == 1
    assert not is_marked(user)
