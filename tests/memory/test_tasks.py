"""Tasks: each may run twice, at once, too late or for nobody, and ends the same."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from pytest_django import DjangoCaptureOnCommitCallbacks

from config.celery import app
from config.schedule import SCHEDULE
from memory import tasks
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.facts import streaming
from memory.indexing import queue
from memory.lifecycle import erasure
from memory.models import EndUser, Erasure, MemoryItem
from memory.platform.faults import Unavailable
from memory.platform.queue import LEFT_OVER, count_waiting
from memory.store import archiving, writing
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.conftest import Clock
from tests.factories import MemoryItemFactory
from tests.patience import PATIENCE_S

memory = MemoryFacade("key:test")
NOBODY = 2**40


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[Any, ...]]]:
    """What would have gone to the queue."""
    messages: list[tuple[str, tuple[Any, ...]]] = []
    for name in ("index_user", "sweep_index_queue", "promote_user", "erase_user", "purge_user_logs"):
        task = getattr(tasks, name)

        def note(args: Any = (), task: Any = task, **options: Any) -> None:
            messages.append((task.name, tuple(args)))

        monkeypatch.setattr(task, "apply_async", note)
        monkeypatch.setattr(task, "delay", lambda *args, note=note: note(args))
    return messages


def put_memory(user: EndUser, clock: Clock, count: int = 1) -> None:
    writing.store_memories(user, [NewMemory(f"Entry {number}") for number in range(count)], now=clock())


def test_a_write_nudges_the_worker_once_and_after_the_commit(
    user: EndUser,
    clock: Clock,
    sent: list[tuple[str, tuple[Any, ...]]],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        put_memory(user, clock)
        put_memory(user, clock)
        assert sent == []
    assert sent == [("memory.index_user", (user.pk,))]


def test_a_queue_that_is_away_costs_no_write(
    user: EndUser,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    from kombu.exceptions import OperationalError

    def away(*args: Any, **options: Any) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(tasks.index_user, "apply_async", away)
    with django_capture_on_commit_callbacks(execute=True):
        put_memory(user, clock)
    assert queue.list_due_users() == [user.pk]


def test_indexing_takes_all_that_is_due_and_settles(user: EndUser, clock: Clock, services: None) -> None:
    put_memory(user, clock, 140)
    assert tasks.index_user(user.pk) == 140
    assert queue.count_indexing(user) == queue.IndexCounts(pending=0, ready=140, failed=0)
    assert queue.list_due_users() == []
    assert tasks.index_user(user.pk) == 0


def test_many_deletions_are_purged_in_one_run(user: EndUser, clock: Clock, services: None) -> None:
    put_memory(user, clock, 140)
    tasks.index_user(user.pk)
    with user_scope(user):
        ids = list(MemoryItem.objects.for_user(user).values_list("pk", flat=True))
    for item_id in ids:
        archiving.delete_memory(user, item_id, now=clock())
    tasks.index_user(user.pk)
    assert queue.list_due_users() == []


def test_indexing_while_something_is_down_ends_quietly_and_leaves_the_mark(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_memory(user, clock)

    def away(*asked: Any, **named: Any) -> int:
        raise Unavailable("embedder", "connection refused")

    monkeypatch.setattr(queue, "index_batch", away)
    assert tasks.index_user(user.pk) == 0
    assert queue.list_due_users() == [user.pk]


def test_a_long_queue_is_handed_on_so_that_others_get_their_turn(
    user: EndUser,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
    sent: list[tuple[str, tuple[Any, ...]]],
) -> None:
    def index_slowly(*asked: Any, **named: Any) -> int:
        clock.advance(seconds=6)
        return 1

    monkeypatch.setattr(queue, "index_batch", index_slowly)
    assert tasks.index_user(user.pk) == 4
    assert sent == [("memory.index_user", (user.pk,))]


def test_a_backlog_steps_aside_for_what_others_have_just_written(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[Any, ...]] = []
    for task, due in ((tasks.index_user, "index_batch"), (tasks.complete_facts, "complete_batch")):
        monkeypatch.setattr(tasks, due, lambda user: 1)
        monkeypatch.setattr(task, "apply_async", lambda args, **options: sent.append((args, options["priority"])))
    monkeypatch.setattr(tasks, "has_waiting_writes", lambda: True)
    assert (tasks.index_user(user.pk), tasks.complete_facts(user.pk)) == (1, 1)
    assert sent == [((user.pk,), LEFT_OVER)] * 2


def test_what_is_left_over_keeps_nobody_waiting(services: None, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"left-over-{uuid4()}"
    send = partial(app.send_task, "memory.index_user", (NOBODY,), queue=name)
    send(priority=LEFT_OVER)
    assert count_waiting(name) == 0
    send()
    assert count_waiting(name) == 1
    with app.connection_for_write() as connection:
        taken = [connection.SimpleQueue(name).get(block=False) for _ in "ab"]
        for message in taken:
            message.ack()
    priorities: list[Any] = [message.properties["priority"] for message in taken]
    assert priorities == [0, LEFT_OVER]
    monkeypatch.setattr(app, "connection_or_acquire", partial(app.connection_for_read, "redis://127.0.0.1:1/0"))
    assert count_waiting(name) == 0


@pytest.mark.django_db(transaction=True)
def test_a_user_is_indexed_by_one_task_at_a_time(
    user: EndUser, clock: Clock, services: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_memory(user, clock)
    is_busy, may_end = Event(), Event()
    index_batch = queue.index_batch

    def slow(*asked: Any, **named: Any) -> int:
        is_busy.set()
        may_end.wait(PATIENCE_S)
        return index_batch(*asked, **named)

    monkeypatch.setattr(queue, "index_batch", slow)

    def run() -> None:
        try:
            tasks.index_user(user.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(run)
        assert is_busy.wait(PATIENCE_S)
        assert tasks.index_user(user.pk) == 0
        assert queue.count_indexing(user).pending == 1
        may_end.set()
        first.result(PATIENCE_S)
    assert queue.count_indexing(user).ready == 1
    put_memory(user, clock)
    assert tasks.index_user(user.pk) == 1, "the lock is free again"


def test_the_sweep_finds_what_lost_messages_left(
    user: EndUser, other_user: EndUser, foreign_user: EndUser, clock: Clock, sent: list[tuple[str, tuple[Any, ...]]]
) -> None:
    put_memory(user, clock)
    put_memory(foreign_user, clock)
    requested = erasure.request_erasure(other_user, now=clock())
    sent.clear()
    assert tasks.sweep_index_queue() == 2
    assert sorted(sent) == sorted(
        [
            ("memory.index_user", (user.pk,)),
            ("memory.index_user", (foreign_user.pk,)),
            ("memory.erase_user", (str(requested.pk),)),
        ]
    )


def test_promoting_everyone_is_a_task_for_each(
    user: EndUser, other_user: EndUser, sent: list[tuple[str, tuple[Any, ...]]]
) -> None:
    tasks.promote_everyone()
    assert sent == [("memory.promote_user", (user.pk,)), ("memory.promote_user", (other_user.pk,))]


def test_promoting_a_user_twice_does_it_once(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user, proven=True)
    EndUser.objects.filter(pk=user.pk).update(messages_since_promotion=30)
    assert tasks.promote_user(user.pk) == 1
    assert tasks.promote_user(user.pk) == 0
    found = memory.get(user, item.pk)
    assert found is not None
    assert found.tier == Tier.PATTERNS
    user.refresh_from_db()
    assert user.messages_since_promotion == 0


def test_a_task_for_nobody_ends_quietly(db: None, services: None) -> None:
    assert tasks.index_user(NOBODY) == 0
    assert tasks.promote_user(NOBODY) == 0
    assert tasks.purge_user_logs(NOBODY) == 0
    with pytest.raises(Erasure.DoesNotExist):
        tasks.erase_user("00000000-0000-0000-0000-000000000000")


def test_everything_on_the_schedule_exists_and_expires_before_its_next_turn() -> None:
    app.loader.import_default_modules()
    for entry in SCHEDULE.values():
        assert entry["task"] in app.tasks
        assert entry["options"]["expires"] < entry["schedule"]


def test_who_is_erased_while_something_is_brought_to_mind_leaves_no_error(
    user: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def erase(*_: object) -> None:
        EndUser.objects.filter(pk=user.pk).delete()
        raise IntegrityError("the person is gone")

    monkeypatch.setattr(streaming, "is_streaming_for", lambda _: True)
    monkeypatch.setattr(streaming, "make_stream", erase)
    assert tasks.stream_thread(user.pk, "t") == 0
