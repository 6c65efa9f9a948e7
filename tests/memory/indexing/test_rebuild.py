"""Rebuilding the index: what it promises while it goes on, when it is cut off, and afterwards."""

import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory import indexes, inference, tasks
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.indexes import vector_index
from memory.indexes.base import IndexFilter, PayloadChange
from memory.indexing import drift, passages, queue, rebuild, runs
from memory.indexing.rebuild import Phase, ReindexRefused, State
from memory.inference import embedder
from memory.models import EndUser, MemoryItem, ReindexRun, VectorCollection
from memory.operations import health
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Status, Tier
from tests.doubles.faults import EmbedderStub
from tests.memory.indexing.index_contents import (
    collection_roles,
    list_items,
    read_index,
    read_rows,
    store_memories,
)

memory = MemoryFacade("key:test")
IndexNow = Callable[[EndUser], None]
Role = VectorCollection.Role

pytestmark = pytest.mark.usefixtures("services", "quick")


def now() -> Any:
    return timezone.now()


def carry_on(run: ReindexRun, **how: Any) -> ReindexRun:
    return rebuild.continue_run(run.pk, stop=how.pop("stop", lambda: False), **how)


def rebuilt(**scope: Any) -> ReindexRun:
    return carry_on(runs.start_run(now=now(), **scope))


def search_nearest(user: EndUser, text: str) -> list[Any]:
    vector = embedder().embed_query(text, Deadline(5))
    return [match.id for match in vector_index().search(vector, IndexFilter(user.pk), 5, Deadline(5))]


# --- a whole run -------------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_run_ends_with_a_new_collection_that_holds_the_same(ann: EndUser, ben: EndUser) -> None:
    archived = memory.archive(ann, list_items(ann)[0].pk, now=now())
    assert archived is not None
    queue.index_batch(ann, now=now() + timedelta(minutes=1))
    before = {user.pk: read_index(user) for user in (ann, ben)}
    asked = search_nearest(ann, "shelf 7")
    old = vector_index().collection
    run = rebuilt()
    assert (run.state, run.phase, run.rows_done, run.rows_refused) == (State.DONE, Phase.CHECK, 25, 0)
    assert vector_index().collection == run.collection != old
    assert {user.pk: read_index(user) for user in (ann, ben)} == before
    assert read_index(ann) == read_rows(ann)
    assert search_nearest(ann, "shelf 7") == asked
    assert collection_roles() == [Role.LIVE, Role.PREVIOUS]
    assert run.report is not None
    assert (run.report.rows, run.report.drift, run.report.problem) == (25, 0, "")


@pytest.mark.django_db
def test_searches_see_the_old_index_until_the_new_one_is_whole(ann: EndUser) -> None:
    run = runs.start_run(now=now())
    asked = search_nearest(ann, "shelf 3")
    seen: list[bool] = []

    def look(run: ReindexRun) -> None:
        seen.append(search_nearest(ann, "shelf 3") == asked)

    carry_on(run, advanced=look)
    assert len(seen) > 8
    assert all(seen)


@pytest.mark.django_db
def test_what_is_written_during_a_run_lands_in_both_collections(ann: EndUser, index_now: IndexNow) -> None:
    run = runs.start_run(now=now())
    carry_on(run, stop=stop_after(3))
    [revised, moved, removed, *_] = list_items(ann)
    memory.revise(ann, revised.pk, {"text": "The box on shelf 0 went to the attic"}, now=now())
    memory.archive(ann, moved.pk, now=now())
    memory.remove(ann, removed.pk, now=now())
    fill_more = memory.store(ann, NewMemory("A late note about box 99"), now=now()).item
    index_now(ann)
    assert run.target is not None
    building = vector_index().open(run.target)
    held = {point.id: point for point in building.fetch_points(ann.pk, [fill_more.pk, revised.pk], Deadline(5))}
    assert set(held) == {fill_more.pk, revised.pk}
    assert read_index(ann) == read_rows(ann)
    assert carry_on(run).state == State.DONE
    assert read_index(ann) == read_rows(ann)
    assert removed.pk not in read_index(ann)
    assert read_index(ann)[moved.pk][1] == Status.ARCHIVED


def stop_after(steps: int) -> Callable[[], bool]:
    left = iter(range(steps))
    return lambda: next(left, None) is None


@pytest.mark.django_db
def test_a_run_ends_however_much_is_written_beside_it(
    ann: EndUser, index_now: IndexNow, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = 0

    def write_more(run: ReindexRun) -> None:
        nonlocal written
        # Beyond what a clock may be wrong by.
        late = [NewMemory(f"Parcel {number} went to quay {number}") for number in range(written, written + 10)]
        memory.store_many(ann, late, now=now() + timedelta(minutes=5))
        index_now(ann)
        written += len(late)

    run = carry_on(runs.start_run(now=now()), advanced=write_more, stop=stop_after(60))
    assert (run.state, run.rows_done) == (State.DONE, 20)
    index_now(ann)
    assert len(read_index(ann)) == 20 + written
    assert read_index(ann) == read_rows(ann)


@pytest.mark.django_db
def test_a_writer_that_had_not_heard_of_the_run_is_caught_up_with(
    ann: EndUser, monkeypatch: pytest.MonkeyPatch, index_now: IndexNow
) -> None:
    run = runs.start_run(now=now())
    carry_on(run, stop=lambda: ReindexRun.objects.get(pk=run.pk).phase == Phase.CATCH_UP)
    with monkeypatch.context() as deaf:
        registry = vector_index().registry
        live = [row for row in registry.list_rows() if row.role == Role.LIVE]
        deaf.setattr(registry, "list_rows", lambda: live)
        late = memory.store(ann, NewMemory("Nobody told the other collection of this"), now=now()).item
        index_now(ann)
    assert carry_on(run).state == State.DONE
    assert late.pk in read_index(ann)
    assert read_index(ann) == read_rows(ann)


@pytest.mark.django_db
def test_what_the_copy_left_out_or_spoiled_is_found_before_the_swap(ann: EndUser) -> None:
    run = runs.start_run(now=now())
    carry_on(run, stop=lambda: ReindexRun.objects.get(pk=run.pk).phase == Phase.VERIFY)
    assert run.target is not None
    building = vector_index().open(run.target)
    [lost, moved, *_] = [item.pk for item in list_items(ann)]
    building.delete(ann.pk, [lost], Deadline(5))
    building.set_payload(ann.pk, [moved], PayloadChange(tier=Tier.BOOKS), Deadline(5))
    done = carry_on(run)
    assert (done.state, done.rows_mended) == (State.DONE, 2)
    assert read_index(ann) == read_rows(ann)


@pytest.mark.django_db
def test_waiting_and_refused_rows_are_taken_along(user: EndUser, index_now: IndexNow) -> None:
    store_memories(user, 10)
    index_now(user)
    memory.store(user, NewMemory("Still waiting when the run begins"), now=now())
    with user_scope(user):
        MemoryItem.objects.for_user(user).filter(text__contains="shelf 3").update(indexing="failed")
    rebuilt()
    assert queue.count_indexing(user) == queue.IndexCounts(pending=0, ready=11, failed=0)
    assert read_index(user) == read_rows(user)


# --- steering ----------------------------------------------------------------------------------------------------
@pytest.mark.django_db
def test_a_paused_run_rests_and_goes_on_from_there(ann: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start_run(now=now())
    carry_on(run, stop=stop_after(2))
    assert runs.pause_run().state == State.PAUSED
    assert carry_on(run).rows_done == 16
    assert tasks.continue_reindex() == 0
    with pytest.raises(ReindexRefused, match="a run is paused"):
        runs.start_run(now=now())
    asked = count_calls(monkeypatch, rebuild, "upsert_points")
    assert carry_on(runs.resume_run()).state == State.DONE
    assert asked[0] <= 1 + 3, "the two batches before the pause are not copied again but for catching up"
    with pytest.raises(ReindexRefused):
        runs.resume_run()


def count_calls(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[int]:
    calls, call = [0], getattr(owner, name)

    def counted(*args: Any, **named: Any) -> Any:
        calls[0] += 1
        return call(*args, **named)

    monkeypatch.setattr(owner, name, counted)
    return calls


@pytest.mark.django_db
def test_a_run_that_is_given_up_leaves_nothing(ann: EndUser) -> None:
    run = runs.start_run(now=now())
    carry_on(run, stop=stop_after(2))
    before = read_index(ann)
    runs.cancel_run(now=now())
    memory.store(ann, NewMemory("Written after the run was given up"), now=now())
    queue.index_batch(ann, now=now() + timedelta(minutes=1))
    assert runs.drop_expired_collections(now=now()) == 1
    assert collection_roles() == [Role.LIVE]
    assert len(read_index(ann)) == len(before) + 1
    with pytest.raises(ReindexRefused):
        runs.cancel_run(now=now())


@pytest.mark.django_db
def test_rolling_back_within_the_window(ann: EndUser, index_now: IndexNow) -> None:
    old = vector_index().collection
    run = rebuilt()
    late = memory.store(ann, NewMemory("Written after the swap"), now=now()).item
    removed = list_items(ann)[0].pk
    memory.remove(ann, removed, now=now())
    index_now(ann)
    restored = runs.roll_back_run(now=now())
    assert vector_index().collection == restored.name == old
    run.refresh_from_db()
    assert run.state == State.ROLLED_BACK
    assert removed not in read_index(ann)
    report = drift.start_report(drift.Mode.FULL, now=now())
    drift.continue_report(report, clock=now, stop=lambda: False)
    assert report.found == {"missing": 1}
    index_now(ann)
    assert late.pk in read_index(ann)
    assert read_index(ann) == read_rows(ann)
    assert runs.drop_expired_collections(now=now()) == 1
    assert collection_roles() == [Role.LIVE]


@pytest.mark.django_db
def test_after_the_window_the_old_collection_goes(ann: EndUser, ben: EndUser) -> None:
    old = vector_index().collection
    rebuilt()
    assert runs.drop_expired_collections(now=now() + timedelta(minutes=119)) == 0
    assert runs.drop_expired_collections(now=now() + timedelta(minutes=121)) == 1
    assert collection_roles() == [Role.LIVE]
    gone = vector_index().engine.open(old, 384)
    if vector_index().engine.backend == "pgvector":
        assert list(gone.scroll(ann.pk)) == list(gone.scroll(ben.pk)) == []
    else:
        assert not gone.state().ok
    assert len(read_index(ann)) == 20
    with pytest.raises(ReindexRefused, match="no earlier collection"):
        runs.roll_back_run(now=now())


@pytest.mark.django_db
def test_a_part_is_written_again_in_place(ann: EndUser, ben: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    live = vector_index().collection
    written: list[Any] = []
    upsert = passages.build_points

    def watched(items: Any, *args: Any) -> Any:
        written.extend(item.user_id for item in items)
        return upsert(items, *args)

    monkeypatch.setattr(passages, "build_points", watched)
    run = rebuilt(user=ben, tier="history")
    assert (run.state, vector_index().collection, collection_roles()) == (State.DONE, live, [Role.LIVE])
    assert written == [ben.pk] * 5
    written.clear()
    rebuilt(since=now() + timedelta(hours=1))
    rebuilt(tier="books")
    assert written == []


@pytest.mark.django_db
def test_a_run_keeps_to_its_rate(ann: EndUser) -> None:
    started = time.monotonic()
    rebuilt(user=ann, rows_per_s=40.0)
    assert time.monotonic() - started >= 0.4


@pytest.mark.django_db
def test_a_run_rests_for_its_share_of_the_time(
    ann: EndUser, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = rebuild.upsert_points

    def slowly(*args: Any) -> int:
        time.sleep(0.05)
        return put(*args)

    monkeypatch.setattr(rebuild, "upsert_points", slowly)
    settings.MEMORY = {**settings.MEMORY, "REINDEX": {"rows_per_s": 1e6, "duty": 0.2}}
    started = time.monotonic()
    run = rebuilt(user=ann)
    assert time.monotonic() - started >= 3 * 0.05 * 5, "three batches, and four times as long for others after each"
    assert run.state == State.DONE


@pytest.mark.django_db
def test_while_the_embedder_is_away_the_run_waits(ann: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.start_run(now=now())

    def away(*args: Any) -> Any:
        raise Unavailable("embedder", "connection refused")

    with monkeypatch.context() as broken:
        broken.setattr(passages, "build_points", away)
        tasks.continue_reindex()
    run.refresh_from_db()
    assert (run.state, run.rows_done) == (State.RUNNING, 0)
    assert "connection refused" in run.error
    assert carry_on(run).error == ""
    assert read_index(ann) == read_rows(ann)


# --- another model -----------------------------------------------------------------------------------------------
@pytest.fixture
def other_model(settings: Settings, tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Turns the settings to a model of 64 dimensions."""
    original = settings.MEMORY
    with EmbedderStub(tmp_path / "e.sock", dimensions=64) as stub:

        def use() -> None:
            embedding = {**original["EMBEDDING"], "url": stub.url, "model": "stub/model", "dimensions": 64}
            settings.MEMORY = {**original, "EMBEDDING": embedding}
            inference.reset_adapters()
            indexes.vector_index.forget()
            health.forget()

        yield use
    inference.reset_adapters()
    health.forget()


@pytest.mark.django_db
def test_another_model_is_a_rebuilding_and_until_then_words_answer(
    ann: EndUser, other_model: Callable[[], None]
) -> None:
    old = vector_index().engine
    other_model()
    vector_index().engine = old
    request = SearchRequest("shelf 7 box 49")
    result = memory.search(ann, request, now=now())
    assert result.hits
    assert result.debug.vector_stage_status == "disabled_schema_mismatch"
    state = vector_index().state()
    assert not state.ok
    assert "run manage.py reindex" in (state.problem or "")
    late = memory.store(ann, NewMemory("Written between the models"), now=now()).item
    with pytest.raises(Unavailable, match="run manage"):
        queue.index_batch(ann, now=now() + timedelta(minutes=1))
    with pytest.raises(ReindexRefused, match="without --user"):
        runs.start_run(now=now(), user=ann)
    run = rebuilt()
    assert run.state == State.DONE
    assert run.report is not None
    assert (run.report.drift, run.report.problem) == (0, "")
    assert vector_index().state().ok
    assert read_index(ann) == read_rows(ann)
    assert late.pk in read_index(ann)
    result = memory.search(ann, request, now=now())
    assert result.debug.vector_stage_status == "enabled"
    assert search_nearest(ann, "shelf 7")


@pytest.mark.django_db
def test_a_run_does_not_mix_models(ann: EndUser, other_model: Callable[[], None]) -> None:
    run = runs.start_run(now=now())
    engine = vector_index().engine
    other_model()
    vector_index().engine = engine
    with pytest.raises(ReindexRefused, match="--cancel it and start again"):
        carry_on(run)
