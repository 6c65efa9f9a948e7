"""From row to vector: whatever fails in between, the row says what remains to be done."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings

from memory import inference
from memory.access.scope import user_scope
from memory.indexes import vector_index
from memory.indexes.pgvector import PgVectorIndex
from memory.indexing import passages, queue
from memory.models import EndUser, MemoryItem, MemoryVector, Tombstone
from memory.platform.faults import BadReply, RequestRejected, Unavailable
from memory.store import archiving, writing
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.at_once import run_at_once
from tests.conftest import Clock
from tests.doubles.faults import EmbedderStub
from tests.patience import eventually

pytestmark = pytest.mark.usefixtures("services")

IndexNow = Callable[[EndUser], None]


@pytest.fixture
def stub(tmp_path: Path, settings: Settings) -> Iterator[EmbedderStub]:
    with EmbedderStub(tmp_path / "e.sock") as stub:
        conf = {**settings.MEMORY["EMBEDDING"], "url": stub.url, "cache_ttl_s": 0}
        settings.MEMORY = {**settings.MEMORY, "EMBEDDING": conf, "BREAKERS": {"fail_max": 1000, "reset_s": 30.0}}
        inference.reset_adapters()
        yield stub
    inference.reset_adapters()


def put_memory(user: EndUser, clock: Clock, text: str = "The ferry leaves at nine", **fields: Any) -> MemoryItem:
    return writing.store_memory(user, NewMemory(text, **fields), now=clock()).item


def row(item: MemoryItem) -> MemoryItem:
    with user_scope(item.user):
        return MemoryItem.objects.for_user(item.user).get(pk=item.pk)


def vectors(user: EndUser) -> dict[UUID, str]:
    return dict(vector_index().scroll(user.pk))


def payload(user: EndUser, item: MemoryItem) -> tuple[str, str]:
    with user_scope(user):
        return MemoryVector.objects.values_list("tier", "status").get(item_id=item.pk)


def is_marked(user: EndUser) -> bool:
    return user.pk in queue.list_due_users()


# --- the way of a row --------------------------------------------------------------------------------------------
def test_a_pending_row_becomes_ready_and_its_user_settled(user: EndUser, clock: Clock) -> None:
    item = put_memory(user, clock)
    assert is_marked(user)
    assert queue.index_batch(user, now=clock()) == 1
    ready = row(item)
    assert (ready.indexing, ready.indexed_at, ready.index_error) == ("ready", clock(), "")
    assert vectors(user) == {item.pk: ready.vector_hash}
    assert queue.index_batch(user, now=clock()) == 0
    assert queue.clear_user_mark(user) is True
    assert not is_marked(user)


def test_rows_are_taken_in_batches_oldest_first(user: EndUser, clock: Clock) -> None:
    items = []
    for number in range(5):
        items.append(put_memory(user, clock, f"Entry {number}"))
        clock.advance(seconds=1)
    assert queue.index_batch(user, now=clock(), limit=3) == 3
    assert [row(item).indexing for item in items] == ["ready"] * 3 + ["pending"] * 2
    assert queue.count_indexing(user) == queue.IndexCounts(pending=2, ready=3, failed=0)
    assert queue.clear_user_mark(user) is False


@pytest.mark.django_db(transaction=True)
def test_the_next_part_is_embedded_while_one_is_written(
    user: EndUser, clock: Clock, stub: EmbedderStub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedding = {**settings.MEMORY["EMBEDDING"], "batch_size": 2}
    settings.MEMORY = {**settings.MEMORY, "EMBEDDING": embedding}
    items = [put_memory(user, clock, f"Entry {number}") for number in range(5)]
    upsert = PgVectorIndex.upsert
    written: list[int] = []

    def write(index: PgVectorIndex, points: Any, *rest: Any) -> None:
        eventually(lambda: len(stub.asked) >= min(3, len(written) + 2))
        written.append(len(stub.asked))
        upsert(index, points, *rest)

    monkeypatch.setattr(PgVectorIndex, "upsert", write)
    assert queue.index_batch(user, now=clock()) == 5
    assert written == [2, 3, 3], "of three parts the next was asked for before one was written"
    assert [row(item).indexing for item in items] == ["ready"] * 5


def test_a_second_indexing_of_the_same_text_asks_for_no_vector(user: EndUser, clock: Clock, stub: EmbedderStub) -> None:
    item = put_memory(user, clock)
    queue.index_batch(user, now=clock())
    archiving.archive_memory(user, item.pk, now=clock())
    archiving.restore_memory(user, item.pk, now=clock())
    writing.revise_memory(user, item.pk, {"tags": ["new"]}, now=clock())
    asked = len(stub.asked)
    assert queue.index_batch(user, now=clock()) == 1
    assert len(stub.asked) == asked
    assert row(item).indexing == "ready"


def test_archiving_and_restoring_reach_the_index(user: EndUser, clock: Clock) -> None:
    item = put_memory(user, clock, tier=Tier.HISTORY)
    queue.index_batch(user, now=clock())
    assert payload(user, item) == ("history", "active")
    archiving.archive_memory(user, item.pk, now=clock())
    queue.index_batch(user, now=clock())
    assert payload(user, item) == ("history", "archived")
    archiving.restore_memory(user, item.pk, now=clock())
    queue.index_batch(user, now=clock())
    assert payload(user, item) == ("history", "active")


def test_the_speaker_is_embedded_with_a_text_and_not_with_the_banks(
    user: EndUser, clock: Clock, stub: EmbedderStub
) -> None:
    put_memory(user, clock, "We met at the pier", speaker="Maya")
    put_memory(user, clock, "Likes tea", tier=Tier.MEMORY_BANK, tags=["preference"])
    queue.index_batch(user, now=clock())
    assert sorted(stub.asked[0].texts) == ["Likes tea", "Maya: We met at the pier"]


# --- what fails --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("fault", ["503", "reset", "401", "403", "html", "wrong dimensions", "nan", "not json"])
def test_an_embedder_that_is_away_or_set_up_wrongly_costs_no_row_an_attempt(
    user: EndUser, clock: Clock, stub: EmbedderStub, fault: str
) -> None:
    items = [put_memory(user, clock, f"Entry {number}") for number in range(3)]
    stub.behave(fault)
    for _ in range(8):
        with pytest.raises(Unavailable):
            queue.index_batch(user, now=clock.advance(minutes=1))
    for item in items:
        waiting = row(item)
        assert (waiting.indexing, waiting.index_attempts) == ("pending", 0)
        assert waiting.index_error
        assert waiting.index_after > clock()
    assert is_marked(user)
    stub.behave("none")
    assert queue.index_batch(user, now=clock()) == 0, "not before the pause is over"
    assert queue.index_batch(user, now=clock.advance(minutes=1)) == 3
    assert queue.count_indexing(user).ready == 3


class Picky:
    """The real stub's client, which refuses one text by itself and with it every batch it is in."""

    def __init__(self, inner: Any, error: type[Unavailable]) -> None:
        self.inner = inner
        self.error = error

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def embed_passages(self, texts: list[str], deadline: Any) -> Any:
        if any("poison" in text for text in texts):
            raise self.error("embedder", "refused the request (422)")
        return self.inner.embed_passages(texts, deadline)


@pytest.mark.parametrize("error", [RequestRejected, BadReply])
def test_a_text_that_cannot_be_embedded_fails_alone(
    user: EndUser, clock: Clock, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch, error: type[Unavailable]
) -> None:
    picky = Picky(inference.embedder(), error)
    monkeypatch.setattr(passages, "embedder", lambda: picky)
    good = [put_memory(user, clock, f"Entry {number}") for number in range(3)]
    bad = put_memory(user, clock, "poison")
    assert queue.index_batch(user, now=clock()) == 4
    assert [row(item).indexing for item in good] == ["ready"] * 3
    for attempt in range(1, 5):
        now = row(bad)
        assert (now.indexing, now.index_attempts) == ("pending", attempt)
        assert now.index_after > clock()
        queue.index_batch(user, now=clock.advance(minutes=1))
    failed = row(bad)
    assert (failed.indexing, failed.index_attempts) == ("failed", 5)
    assert "refused" in failed.index_error
    assert queue.index_batch(user, now=clock.advance(days=1)) == 0
    assert queue.clear_user_mark(user) is True
    assert queue.count_indexing(user).failed == 1
    writing.revise_memory(user, bad.pk, {"text": "cured"}, now=clock())
    assert queue.index_batch(user, now=clock()) == 1
    assert row(bad).indexing == "ready"


def test_an_index_that_is_away_or_of_another_size_costs_no_row_an_attempt(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = put_memory(user, clock)
    for error in (Unavailable("vector", "refused"), BadReply("vector", "other size"), RequestRejected("vector", "400")):

        def fail(*asked: Any, error: Unavailable = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(vector_index(), "upsert", fail)
            with pytest.raises(Unavailable):
                queue.index_batch(user, now=clock.advance(minutes=1))
        assert (row(item).indexing, row(item).index_attempts) == ("pending", 0)
    assert queue.index_batch(user, now=clock.advance(minutes=1)) == 1


@pytest.mark.parametrize("step", ["upsert", "mark_ready"])
def test_a_worker_killed_between_two_steps_leaves_rows_that_are_taken_again(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    class Killed(BaseException):
        pass

    def die(*asked: Any) -> None:
        raise Killed

    items = [put_memory(user, clock, f"Entry {number}") for number in range(3)]
    with monkeypatch.context() as patch:
        patch.setattr(PgVectorIndex if step == "upsert" else queue, step, die)
        with pytest.raises(Killed):
            queue.index_batch(user, now=clock())
    assert {row(item).indexing for item in items} == {"pending"}
    assert queue.index_batch(user, now=clock()) == 3
    assert set(vectors(user)) == {item.pk for item in items}


# --- what changes meanwhile --------------------------------------------------------------------------------------
CHANGES: dict[str, Callable[[EndUser, MemoryItem, Clock], object]] = {
    "revised": lambda user, item, clock: writing.revise_memory(user, item.pk, {"text": "A new text"}, now=clock()),
    "archived": lambda user, item, clock: archiving.archive_memory(user, item.pk, now=clock()),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_row_that_changed_while_it_was_embedded_stays_pending(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    item = put_memory(user, clock)
    mark_ready = queue.mark_ready

    def change_first(*asked: Any) -> None:
        CHANGES[change](user, item, clock)
        mark_ready(*asked)

    with monkeypatch.context() as patch:
        patch.setattr(queue, "mark_ready", change_first)
        queue.index_batch(user, now=clock())
    assert row(item).indexing == "pending"
    assert queue.clear_user_mark(user) is False
    queue.index_batch(user, now=clock())
    now = row(item)
    assert (now.indexing, now.vector_hash) == ("ready", passages.vector_hash(now))
    assert vectors(user) == {item.pk: now.vector_hash}
    assert payload(user, item)[1] == now.status


def test_a_row_deleted_while_it_was_embedded_leaves_no_vector(
    user: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = put_memory(user, clock)
    index_items = queue.index_items

    def delete_first(*asked: Any, **named: Any) -> None:
        archiving.delete_memory(user, item.pk, now=clock())
        index_items(*asked, **named)

    with monkeypatch.context() as patch:
        patch.setattr(queue, "index_items", delete_first)
        queue.index_batch(user, now=clock())
    queue.index_batch(user, now=clock())
    assert vectors(user) == {}
    assert queue.clear_user_mark(user) is True


def test_tombstones_take_their_vectors_with_them_in_batches(
    user: EndUser, clock: Clock, index_now: IndexNow, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = [put_memory(user, clock, f"Entry {number}") for number in range(5)]
    index_now(user)
    monkeypatch.setattr(queue, "BATCH", 2)
    for item in items[:4]:
        archiving.delete_memory(user, item.pk, now=clock())
    assert queue.clear_user_mark(user) is False
    assert [queue.index_batch(user, now=clock()) for _ in range(3)] == [2, 2, 0]
    assert set(vectors(user)) == {items[4].pk}
    with user_scope(user):
        assert set(Tombstone.objects.values_list("purged_at", flat=True)) == {clock()}
    assert queue.clear_user_mark(user) is True


def test_paused_rows_keep_the_mark(user: EndUser, clock: Clock, stub: EmbedderStub) -> None:
    put_memory(user, clock)
    stub.behave("503")
    with pytest.raises(Unavailable):
        queue.index_batch(user, now=clock())
    assert queue.index_batch(user, now=clock()) == 0
    assert queue.clear_user_mark(user) is False
    assert is_marked(user)


@pytest.mark.django_db(transaction=True)
def test_two_workers_on_one_queue_end_with_every_row_ready(user: EndUser, clock: Clock) -> None:
    writing.store_memories(user, [NewMemory(f"Entry {number}") for number in range(60)], now=clock())

    def work() -> None:
        while queue.index_batch(user, now=clock() + timedelta(minutes=1), limit=16):
            pass

    run_at_once(*[work] * 3)
    assert queue.count_indexing(user).ready == 60
    with user_scope(user):
        assert MemoryVector.objects.count() == 60
