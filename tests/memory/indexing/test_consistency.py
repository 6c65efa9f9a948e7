"""Comparing the index with the rows: everything that can differ is injected, found, mended, and found no more."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone
from qdrant_client import models

from memory import tasks
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.indexes import vector_index
from memory.indexes.base import VectorPoint
from memory.indexing import drift, queue
from memory.indexing.drift import Mode
from memory.inference import embedder
from memory.models import DriftReport, EndUser, Erasure, MemoryItem, VectorCollection
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.retrieval.results import SearchRequest
from memory.tiers import Status, Tier
from tests.doubles.qdrant_server import QdrantStandIn
from tests.memory.indexing.index_contents import read_index, read_rows, store_memories

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("services", "qdrant")]


@pytest.fixture(autouse=True)
def short_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "PAGE", 7)


only_pgvector = pytest.mark.parametrize("qdrant", ["pgvector"], indirect=True)
only_qdrant = pytest.mark.parametrize("qdrant", ["qdrant"], indirect=True)


def ids_of(user: EndUser) -> list[UUID]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).order_by("arrival").values_list("pk", flat=True))


def make_deadline() -> Deadline:
    return Deadline(10)


def compare_index(mode: str = Mode.FULL, **how: Any) -> DriftReport:
    begun = drift.start_report(mode, now=timezone.now(), **how)
    assert drift.continue_report(begun, clock=timezone.now, stop=lambda: False)
    return DriftReport.objects.get(pk=begun.pk)


def write_point(user: EndUser, item_id: UUID, **fields: Any) -> None:
    """Put a point into the live collection, as a fault would have left it."""
    [vector] = embedder().embed_passages(["something else"], make_deadline())
    point = VectorPoint(item_id, user.pk, Tier.HISTORY, Status.ACTIVE, vector, "not the hash", revision=1)
    vector_index().upsert([replace(point, **fields)], make_deadline())


def set_point(qdrant: QdrantStandIn | None, user: EndUser, item_id: UUID, **payload: Any) -> None:
    """Change what the index holds of an item behind everybody's back."""
    if qdrant is not None:
        named = models.FieldCondition(key="item_id", match=models.MatchValue(value=str(item_id)))
        [record], _ = qdrant.kept.client.scroll("memories_v1", models.Filter(must=[named]))
        qdrant.kept.client.set_payload("memories_v1", payload, points=[record.id])
        return
    with user_scope(user), connection.cursor() as cursor:
        for name, value in payload.items():
            cursor.execute(
                f"UPDATE memory_vector SET {name} = %s WHERE user_id = %s AND item_id = %s", [value, user.pk, item_id]
            )


def assert_settled(user: EndUser, index_now: IndexNow) -> None:
    """Whatever was queued again is indexed, and then nothing is left to find."""
    index_now(user)
    assert read_index(user) == read_rows(user)
    again = compare_index()
    assert (again.found, again.mended, again.quarantine) == ({}, {}, [])


# --- what may differ ---------------------------------------------------------------------------------------------
def test_an_index_that_agrees_is_left_alone(ann: EndUser, ben: EndUser) -> None:
    for mode in Mode.values:
        found = compare_index(mode)
        assert (found.found, found.mended, found.problem, found.users) == ({}, {}, "", 2)
    assert (found.rows, found.points) == (25, 25)
    assert queue.count_indexing(ann).pending == 0


def test_missing_points_are_queued_again(ann: EndUser, index_now: IndexNow) -> None:
    lost = ids_of(ann)[3:12]
    vector_index().delete(ann.pk, lost, make_deadline())
    found = compare_index()
    assert (found.found, found.mended) == ({"missing": 9}, {"missing": 9})
    assert queue.count_indexing(ann).pending == 9
    assert compare_index().found == {}, "what is queued is not found again"
    assert_settled(ann, index_now)


def test_points_of_another_text_are_queued_again(ann: EndUser, index_now: IndexNow) -> None:
    write_point(ann, ids_of(ann)[0])
    found = compare_index()
    assert (found.found, found.mended) == ({"stale": 1}, {"stale": 1})
    assert_settled(ann, index_now)


def test_points_later_than_their_row_give_way_to_it(ann: EndUser, index_now: IndexNow) -> None:
    """As after a backup was restored: the rows are older than the index."""
    write_point(ann, ids_of(ann)[0], revision=9)
    assert compare_index().found == {"ahead": 1}
    assert_settled(ann, index_now)


def test_another_tier_or_status_is_put_right_in_place(
    ann: EndUser, qdrant: QdrantStandIn | None, index_now: IndexNow
) -> None:
    first, second = ids_of(ann)[:2]
    set_point(qdrant, ann, first, tier="books")
    set_point(qdrant, ann, second, status="archived")
    found = compare_index()
    assert (found.found, found.mended) == ({"payload": 2}, {"payload": 2})
    assert queue.count_indexing(ann).pending == 0
    assert_settled(ann, index_now)


def test_points_without_a_row_are_removed(ann: EndUser, qdrant: QdrantStandIn | None, index_now: IndexNow) -> None:
    gone = ids_of(ann)[:8]
    for item_id in gone:
        memory.remove(ann, item_id, now=timezone.now())
    # Their purge was lost, as when the index comes back from an older copy.
    found = compare_index()
    assert (found.found, found.mended) == ({"orphans": 8}, {"orphans": 8})
    assert found.quarantine == []
    assert_settled(ann, index_now)


@only_pgvector
def test_points_of_another_width_are_queued_again(ann: EndUser, index_now: IndexNow) -> None:
    with user_scope(ann), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memory_vector SET dims = 3, embedding = '[1,0,0]' WHERE user_id = %s AND item_id = %s",
            [ann.pk, ids_of(ann)[5]],
        )
    found = compare_index()
    assert (found.found, found.mended) == ({"dimensions": 1}, {"dimensions": 1})
    assert_settled(ann, index_now)


@only_pgvector
def test_a_point_of_somebody_else_is_removed_and_raises_an_alarm(
    ann: EndUser, ben: EndUser, index_now: IndexNow
) -> None:
    theirs = ids_of(ben)[0]
    with user_scope(ann), connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO memory_vector (user_id, item_id, collection, dims, tier, status, embedding, vector_hash, "
            "updated_at) SELECT user_id, %s, collection, dims, tier, status, embedding, vector_hash, now() "
            "FROM memory_vector WHERE user_id = %s LIMIT 1",
            [theirs, ann.pk],
        )
    found = compare_index()
    assert found.found == {"foreign": 1}
    assert found.quarantine == [{"item": str(theirs), "found_under": ann.pk, "owner": ben.pk}]
    assert found.is_alarming
    assert theirs in read_index(ben)
    assert_settled(ann, index_now)


@only_qdrant
def test_a_point_whose_owner_was_changed_is_removed_and_raises_an_alarm(
    ann: EndUser, ben: EndUser, qdrant: QdrantStandIn, index_now: IndexNow
) -> None:
    theirs = ids_of(ben)[0]
    set_point(qdrant, ben, theirs, user_id=str(ann.pk))
    found = compare_index()
    assert found.found == {"strays": 1, "missing": 1}
    assert found.quarantine == [{"item": str(theirs), "found_under": ann.pk, "owner": ben.pk}]
    assert theirs not in read_index(ann)
    assert_settled(ann, index_now)
    assert_settled(ben, index_now)


@only_qdrant
def test_a_point_that_is_there_twice_is_removed_once(ann: EndUser, qdrant: QdrantStandIn, index_now: IndexNow) -> None:
    [record], _ = qdrant.kept.client.scroll("memories_v1", limit=1)
    vector = embedder().embed_query("a copy", make_deadline()).tolist()
    copy = models.PointStruct(id=str(uuid4()), vector=vector, payload=record.payload)
    qdrant.kept.client.upsert("memories_v1", [copy])
    found = compare_index()
    assert (found.found, found.mended, found.quarantine) == ({"strays": 1}, {"strays": 1}, [])
    assert_settled(ann, index_now)


@only_qdrant
def test_whoever_was_erased_does_not_come_back(ann: EndUser, qdrant: QdrantStandIn, index_now: IndexNow) -> None:
    erased = EndUser(pk=ann.pk + 1000)
    point = VectorPoint(uuid4(), erased.pk, "working", "active", embedder().embed_query("x", make_deadline()), "hash")
    vector_index().upsert([point], make_deadline())
    Erasure.objects.create(organization=ann.organization, end_user_id=erased.pk, finished_at=timezone.now())
    assert compare_index().mended == {"orphans": 1}
    assert vector_index().count(erased.pk, make_deadline()) == 0
    assert_settled(ann, index_now)


@only_qdrant
def test_a_lost_collection_is_made_again_and_filled_from_the_rows(
    ann: EndUser, qdrant: QdrantStandIn, index_now: IndexNow
) -> None:
    before = read_index(ann)
    qdrant.kept.client.delete_collection("memories_v1")
    assert not vector_index().state().ok
    assert memory.search(ann, SearchRequest("shelf 7"), now=timezone.now()).hits
    assert compare_index(Mode.SAMPLE).mended == {"missing": 20}
    assert_settled(ann, index_now)
    assert read_index(ann) == before
    assert vector_index().state().ok


def test_everything_at_once_and_a_second_run_changes_nothing(
    ann: EndUser, ben: EndUser, qdrant: QdrantStandIn | None, index_now: IndexNow
) -> None:
    ids = ids_of(ann)
    vector_index().delete(ann.pk, ids[:2], make_deadline())
    write_point(ann, ids[2])
    set_point(qdrant, ann, ids[3], tier="books")
    memory.remove(ann, ids[4], now=timezone.now())
    write_point(ann, ids[5], revision=7)
    found = compare_index()
    assert found.found == {"missing": 2, "stale": 1, "payload": 1, "orphans": 1, "ahead": 1}
    assert found.mended == found.found
    assert_settled(ann, index_now)
    assert read_index(ben) == read_rows(ben)


# --- modes -------------------------------------------------------------------------------------------------------
def test_without_repair_nothing_changes(ann: EndUser, qdrant: QdrantStandIn | None) -> None:
    ids = ids_of(ann)
    vector_index().delete(ann.pk, ids[:2], make_deadline())
    set_point(qdrant, ann, ids[3], tier="books")
    for _ in range(2):
        found = compare_index(repair=False)
        assert (found.found, found.mended) == ({"missing": 2, "payload": 1}, {})
    assert queue.count_indexing(ann).pending == 0


def test_counts_see_only_numbers_and_a_sample_looks_closer(
    ann: EndUser, qdrant: QdrantStandIn | None, index_now: IndexNow
) -> None:
    ids = ids_of(ann)
    set_point(qdrant, ann, ids[3], tier="books")
    assert compare_index(Mode.COUNTS).found == {}
    assert compare_index(Mode.SAMPLE).mended == {"payload": 1}
    vector_index().delete(ann.pk, ids[:2], make_deadline())
    found = compare_index(Mode.COUNTS)
    assert (found.found, found.mended) == ({"missing": 2}, {})
    assert compare_index(Mode.SAMPLE).mended == {"missing": 2}
    assert_settled(ann, index_now)


def test_a_sample_looks_after_the_latest_deletions(ann: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when as many points are missing as are too many."""
    gone, late = ids_of(ann)[0], timezone.now() + timedelta(minutes=5)
    kept = read_index(ann)[gone]
    memory.remove(ann, gone, now=timezone.now())
    queue.purge_vectors(ann, now=late)
    if vector_index().engine.backend == "pgvector":
        with user_scope(ann), connection.cursor() as cursor:
            cursor.execute("UPDATE memory_vector SET item_id = %s WHERE item_id = %s", [gone, ids_of(ann)[0]])
    else:
        vector_index().delete(ann.pk, [ids_of(ann)[0]], make_deadline())
        write_point(ann, gone, vector_hash=kept[2])
    monkeypatch.setattr(drift, "SAMPLE", 1)
    found = compare_index(Mode.SAMPLE)
    assert Counter(found.mended) == {"orphans": 1, "missing": 1}


def test_one_user_alone(ann: EndUser, ben: EndUser) -> None:
    for user in (ann, ben):
        vector_index().delete(user.pk, ids_of(user)[:1], make_deadline())
    assert compare_index(user=ben).found == {"missing": 1}
    assert compare_index().found == {"missing": 1}


def test_rows_that_wait_are_not_missing(user: EndUser) -> None:
    store_memories(user, 3)
    for mode in Mode.values:
        assert compare_index(mode).found == {}


# --- around it ---------------------------------------------------------------------------------------------------
def test_a_long_comparison_goes_on_where_it_was(ann: EndUser, ben: EndUser) -> None:
    begun = drift.start_report(Mode.FULL, now=timezone.now())
    stops = iter([False, True])
    assert not drift.continue_report(begun, clock=timezone.now, stop=lambda: next(stops))
    assert (begun.users, begun.rows, begun.finished_at) == (1, 20, None)
    assert drift.continue_report(begun, clock=timezone.now, stop=lambda: False)
    assert (begun.users, begun.rows) == (2, 25)


def test_an_index_that_is_away_is_said_and_not_repaired(ann: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: Any, **named: Any) -> Any:
        raise Unavailable("vector", "connection refused")

    monkeypatch.setattr(vector_index(), "fetch_points", away)
    found = compare_index()
    assert found.problem == "vector: connection refused"
    assert queue.count_indexing(ann).pending == 0


def test_an_index_of_another_model_is_not_compared(ann: EndUser) -> None:
    VectorCollection.objects.update(model="another/model")
    vector_index().registry.invalidate()
    found = compare_index()
    assert "run manage.py reindex" in found.problem
    assert (found.users, found.found) == (0, {})


def test_the_task_looks_closely_once_a_day(ann: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        tasks.check_consistency()
    assert list(DriftReport.objects.order_by("started_at").values_list("mode", flat=True)) == [Mode.FULL, Mode.SAMPLE]
    DriftReport.objects.update(started_at=timezone.now() - timedelta(hours=24))
    assert drift.choose_mode(timezone.now()) == Mode.FULL


def test_reports_are_kept_a_month_and_alarms_longer(ann: EndUser) -> None:
    long_ago = timezone.now() - timedelta(days=31)
    DriftReport.objects.create(mode=Mode.FULL, started_at=long_ago)
    alarm = DriftReport.objects.create(mode=Mode.FULL, started_at=long_ago, quarantine=[{"item": "x"}])
    recent = compare_index()
    drift.delete_old_reports(timezone.now())
    assert set(DriftReport.objects.all()) == {alarm, recent}


def test_a_rebuilt_index_teaches_the_rows_their_new_hash(ann: EndUser) -> None:
    with user_scope(ann):
        MemoryItem.objects.for_user(ann).update(vector_hash="of an earlier model")
    found = compare_index()
    assert found.found == {}
    assert read_index(ann) == read_rows(ann)
