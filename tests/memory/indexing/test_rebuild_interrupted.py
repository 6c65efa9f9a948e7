"""Rebuilding the index where it is cut off: a process that is killed, and writers who do not wait for it."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from memory import tasks
from memory.facade import MemoryFacade
from memory.indexes import vector_index
from memory.indexing import drift, rebuild, runs
from memory.indexing.rebuild import State
from memory.models import EndUser, VectorCollection
from memory.store.admission import NewMemory
from tests.memory.indexing.index_contents import (
    collection_roles,
    list_items,
    read_index,
    read_rows,
    store_memories,
)
from tests.memory.indexing.interrupted_rebuild import RebuildProcess

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]
Role = VectorCollection.Role

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("services", "quick")]


def now() -> Any:
    return timezone.now()


DEATHS = [
    ("memory.indexing.passages:build_points", "before", 1),
    ("{index}.upsert", "after", 2),
    ("memory.indexing.rebuild:copy_rows", "after", 3),
    ("memory.models:ReindexRun.save", "after", 3),
    ("memory.indexing.rebuild:copy_late_changes", "after", 1),
    ("memory.indexing.rebuild:verify_page", "after", 2),
    ("memory.indexing.rebuild:remove_orphans", "before", 1),
    ("{index}.make_live", "before", 1),
    ("memory.indexes.collections:CollectionRegistry.swap", "before", 1),
    ("memory.indexes.collections:CollectionRegistry.swap", "after", 1),
    ("memory.indexing.drift:start_report", "after", 1),
    ("memory.indexing.rebuild:finish_run", "before", 1),
]


INDEXES = {
    "pgvector": "memory.indexes.pgvector:PgVectorIndex",
    "qdrant": "memory.indexes.qdrant:QdrantIndex",
}


@pytest.fixture(scope="module")
def process(services: None) -> Iterator[RebuildProcess]:
    with RebuildProcess() as process:
        yield process


# Where no vector is touched, it is the same rows of the same database whichever engine has them.
BY_ENGINE = [("pgvector", *death) for death in DEATHS] + [
    ("qdrant", *death) for death in DEATHS if "swap" in death[0] or "{index}" in death[0] or "copy" in death[0]
]


@pytest.mark.parametrize(("qdrant", "point", "when", "nth"), BY_ENGINE, indirect=["qdrant"])
def test_killed_anywhere_it_goes_on_and_ends_right(
    ann: EndUser, ben: EndUser, index_now: IndexNow, process: RebuildProcess, point: str, when: str, nth: int
) -> None:
    run = runs.start_run(now=now())
    assert process.die_at(point.format(index=INDEXES[vector_index().engine.backend]), when, nth) == -9
    [revised, removed, *_] = list_items(ann)
    memory.revise(ann, revised.pk, {"text": "Changed while nobody carried the run on"}, now=now())
    memory.remove(ann, removed.pk, now=now())
    memory.store(ben, NewMemory("Added while nobody carried the run on"), now=now())
    index_now(ann)
    index_now(ben)
    tasks.continue_reindex()
    run.refresh_from_db()
    assert run.state == State.DONE
    assert vector_index().collection == run.collection
    assert collection_roles() == [Role.LIVE, Role.PREVIOUS]
    for user in (ann, ben):
        assert read_index(user) == read_rows(user)
    report = drift.start_report(drift.Mode.FULL, now=now())
    drift.continue_report(report, clock=now, stop=lambda: False)
    assert (report.found, report.rows) == ({}, 25)


def test_removing_the_old_collection_may_be_cut_off_too(ann: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    rebuild.continue_run(runs.start_run(now=now()).pk, stop=lambda: False)
    later = now() + timedelta(hours=3)

    def cut(*args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(VectorCollection, "delete", cut)
        with pytest.raises(KeyboardInterrupt):
            runs.drop_expired_collections(now=later)
    assert collection_roles() == [Role.LIVE, Role.REMOVING]
    assert runs.drop_expired_collections(now=later) == 1
    assert collection_roles() == [Role.LIVE]


def test_under_live_writes_nothing_is_lost_and_nothing_comes_back(user: EndUser, index_now: IndexNow) -> None:
    store_memories(user, 60)
    index_now(user)
    ended, faults = threading.Event(), list[Exception]()

    def write() -> None:
        try:
            number = 0
            # Bounded, or a slow machine would have ever more to copy.
            while not ended.is_set() and number < 120:
                number += 1
                stored = memory.store(user, NewMemory(f"Live note {number} about crate {number * 3}"), now=now()).item
                if number % 3 == 0:
                    memory.remove(user, stored.pk, now=now())
                if number % 4 == 0:
                    memory.archive(user, stored.pk, now=now())
                if number % 5 == 0:
                    memory.revise(user, stored.pk, {"text": f"Changed note {number}"}, now=now())
                if number % 7 == 0:
                    tasks.index_user(user.pk)
        except Exception as error:  # noqa: BLE001  (told by the main thread)
            faults.append(error)
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        run = rebuild.continue_run(runs.start_run(now=now(), rows_per_s=60.0).pk, stop=lambda: False)
    finally:
        ended.set()
        writer.join()
    assert not faults
    assert run.state == State.DONE
    index_now(user)
    assert len(read_rows(user)) > 60
    assert read_index(user) == read_rows(user)
