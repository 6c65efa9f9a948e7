"""The vector index port: one suite of behaviours over every adapter, then what only one of them can get wrong."""

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.db import connection, transaction
from pytest_django.plugin import DjangoDbBlocker
from qdrant_client import QdrantClient, models

from memory.access import WrongScope, user_scope
from memory.http import DeadlineTransport
from memory.indexes import pgvector
from memory.indexes.base import Filter, Held, Point, VectorEngine, VectorIndex
from memory.indexes.pgvector import PgVectorEngine, PgVectorIndex
from memory.indexes.qdrant import QdrantEngine, QdrantIndex
from memory.inference.base import Vector
from memory.models import EndUser, MemoryItem
from memory.resilience import BadReply, Deadline, Late, Rejected, Unavailable, breaker_states
from tests.factories import EndUserFactory, MemoryItemFactory, OrganizationFactory
from tests.faults import EmbedderStub, Stopwatch

DIMENSIONS = 384
# Half-precision vectors move a distance by less than this.
NEAR = 2e-3


def soon() -> Deadline:
    return Deadline(10)


def axis(number: int) -> Vector:
    vector = np.zeros(DIMENSIONS, np.float32)
    vector[number] = 1
    return vector


def turned(degrees: float) -> Vector:
    """A unit vector at this angle to the first axis."""
    angle = math.radians(degrees)
    return (math.cos(angle) * axis(0) + math.sin(angle) * axis(1)).astype(np.float32)


def any_unit(seed: int) -> Vector:
    vector = np.random.default_rng(seed).normal(size=DIMENSIONS)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


class VectorIndexContract:
    """What every vector index does. An adapter's class gives ``index`` and says how an item comes to exist."""

    @pytest.fixture
    def index(self) -> VectorIndex:
        raise NotImplementedError

    @pytest.fixture
    def engine(self) -> VectorEngine:
        raise NotImplementedError

    def admit(self, user: EndUser, item_id: UUID) -> None:
        """Make sure the item may have a vector."""

    @pytest.fixture
    def put(self, index: VectorIndex) -> Callable[..., UUID]:
        def put(
            user: EndUser,
            vector: Vector,
            *,
            id: UUID | None = None,
            tier: str = "working",
            status: str = "active",
            vector_hash: str = "hash",
            revision: int = 0,
        ) -> UUID:
            item_id = id or uuid4()
            self.admit(user, item_id)
            index.upsert([Point(item_id, user.pk, tier, status, vector, vector_hash, revision)], soon())
            return item_id

        return put

    def found(self, index: VectorIndex, filter: Filter, vector: Vector | None = None, limit: int = 10) -> list[UUID]:
        return [match.id for match in index.search(axis(0) if vector is None else vector, filter, limit, soon())]

    def test_the_nearest_comes_first_with_its_euclidean_distance(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        ids = {degrees: put(user, turned(degrees)) for degrees in (90, 0, 180, 30)}
        matches = index.search(axis(0), Filter(user.pk), 10, soon())
        assert [match.id for match in matches] == [ids[0], ids[30], ids[90], ids[180]]
        for match, degrees in zip(matches, (0, 30, 90, 180), strict=True):
            assert match.distance == pytest.approx(math.sqrt(2 - 2 * math.cos(math.radians(degrees))), abs=NEAR)

    def test_equal_distances_are_ordered_by_id(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        ids = [put(user, axis(3)) for _ in range(6)]
        assert self.found(index, Filter(user.pk)) == sorted(ids)

    def test_as_many_come_back_as_were_asked_for_or_exist(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        for number in range(7):
            put(user, any_unit(number))
        for limit in (0, 1, 5, 7, 100):
            assert len(self.found(index, Filter(user.pk), limit=limit)) == min(limit, 7)

    def test_nothing_indexed_is_nothing_found(self, index: VectorIndex, user: EndUser) -> None:
        assert self.found(index, Filter(user.pk)) == []
        assert list(index.scroll(user.pk)) == []

    def test_tier_and_status_filter(self, index: VectorIndex, put: Callable[..., UUID], user: EndUser) -> None:
        working = put(user, turned(1))
        bank = put(user, turned(2), tier="memory_bank")
        archived = put(user, turned(3), tier="memory_bank", status="archived")
        assert self.found(index, Filter(user.pk)) == [working, bank]
        assert self.found(index, Filter(user.pk, frozenset({"memory_bank"}))) == [bank]
        assert self.found(index, Filter(user.pk, frozenset({"memory_bank", "working"}))) == [working, bank]
        either = frozenset({"active", "archived"})
        assert self.found(index, Filter(user.pk, frozenset({"memory_bank"}), either)) == [bank, archived]
        assert self.found(index, Filter(user.pk, frozenset({"books"}))) == []

    def test_an_empty_choice_lets_nothing_through(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis(0))
        assert self.found(index, Filter(user.pk, frozenset())) == []
        assert self.found(index, Filter(user.pk, None, frozenset())) == []

    def test_values_of_a_filter_are_values_and_not_language(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        put(user, axis(0))
        put(other_user, axis(0))
        for odd in ("' OR '1'='1", "{working}", "%s", 'working"', "NULL", ""):
            assert self.found(index, Filter(user.pk, frozenset({odd}))) == []

    def test_nobody_finds_what_belongs_to_another(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        mine, theirs = put(user, axis(0)), put(other_user, axis(0))
        assert self.found(index, Filter(user.pk)) == [mine]
        assert self.found(index, Filter(other_user.pk)) == [theirs]
        assert [id for id, _ in index.scroll(user.pk)] == [mine]

    @pytest.mark.parametrize("nobody", [0, -1, None, True, "1"])
    def test_without_a_user_nothing_is_done(self, index: VectorIndex, nobody: int) -> None:
        asked: list[Callable[[], object]] = [
            lambda: Filter(nobody),
            lambda: Point(uuid4(), nobody, "working", "active", axis(0), "hash"),
            lambda: index.set_payload(nobody, [uuid4()], tier="books", deadline=soon()),
            lambda: index.delete(nobody, [uuid4()], soon()),
            lambda: list(index.scroll(nobody)),
            lambda: index.held(nobody, [uuid4()], soon()),
            lambda: index.count(nobody, soon()),
            lambda: index.strays(nobody, remove=True),
            lambda: index.erase(nobody),
        ]
        for ask in asked:
            with pytest.raises(ValueError, match="one user"):
                ask()

    def test_writing_again_replaces(self, index: VectorIndex, put: Callable[..., UUID], user: EndUser) -> None:
        item = put(user, axis(0), vector_hash="old")
        put(user, axis(5), id=item, tier="history", vector_hash="new")
        [match] = index.search(axis(5), Filter(user.pk, frozenset({"history"})), 10, soon())
        assert match.id == item
        assert match.distance == pytest.approx(0, abs=NEAR)
        assert list(index.scroll(user.pk)) == [(item, "new")]

    def test_one_call_may_hold_several_users_and_one_id_twice(
        self, index: VectorIndex, user: EndUser, other_user: EndUser
    ) -> None:
        mine, theirs = uuid4(), uuid4()
        self.admit(user, mine)
        self.admit(other_user, theirs)
        index.upsert(
            [
                Point(mine, user.pk, "working", "active", axis(0), "first"),
                Point(theirs, other_user.pk, "working", "active", axis(0), "hash"),
                Point(mine, user.pk, "working", "active", axis(0), "second"),
            ],
            soon(),
        )
        assert list(index.scroll(user.pk)) == [(mine, "second")]
        assert list(index.scroll(other_user.pk)) == [(theirs, "hash")]

    def test_the_payload_changes_alone(self, index: VectorIndex, put: Callable[..., UUID], user: EndUser) -> None:
        first, second = put(user, turned(1)), put(user, turned(2))
        index.set_payload(user.pk, [first, uuid4()], tier="history", deadline=soon())
        index.set_payload(user.pk, [second], status="archived", deadline=soon())
        index.set_payload(user.pk, [second], deadline=soon())
        index.set_payload(user.pk, [], tier="books", deadline=soon())
        assert self.found(index, Filter(user.pk, frozenset({"history"}))) == [first]
        assert self.found(index, Filter(user.pk, None, frozenset({"archived"}))) == [second]
        assert sorted(index.scroll(user.pk)) == sorted([(first, "hash"), (second, "hash")])

    def test_a_write_that_was_held_up_changes_nothing(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        item = put(user, axis(1), tier="history", vector_hash="new", revision=5)
        put(user, axis(0), id=item, tier="working", vector_hash="old", revision=4)
        index.set_payload(user.pk, [item], tier="books", status="archived", revision=4, deadline=soon())
        assert index.held(user.pk, [item], soon()) == [Held(item, "history", "active", "new", 5, DIMENSIONS)]
        [match] = index.search(axis(1), Filter(user.pk), 10, soon())
        assert match.distance == pytest.approx(0, abs=NEAR)
        index.set_payload(user.pk, [item], tier="patterns", revision=6, deadline=soon())
        put(user, axis(1), id=item, tier="history", vector_hash="new", revision=5)
        assert index.held(user.pk, [item], soon()) == [Held(item, "patterns", "active", "new", 6, DIMENSIONS)]
        put(user, axis(2), id=item, tier="patterns", vector_hash="newest", revision=6)
        assert list(index.scroll(user.pk)) == [(item, "newest")]

    def test_a_held_up_write_does_not_stop_the_others_of_its_call(self, index: VectorIndex, user: EndUser) -> None:
        first, second = uuid4(), uuid4()
        for item in (first, second):
            self.admit(user, item)

        def points(digest: str, revisions: tuple[int, int]) -> list[Point]:
            pairs = zip((first, second), revisions, strict=True)
            return [Point(item, user.pk, "working", "active", axis(0), digest, number) for item, number in pairs]

        index.upsert(points("one", (1, 7)), soon())
        index.upsert(points("two", (2, 2)), soon())
        assert dict(index.scroll(user.pk)) == {first: "two", second: "one"}

    def test_what_is_held_of_some_ids_and_how_much_there_is(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        mine = put(user, axis(0), tier="books", status="archived", vector_hash="h", revision=3)
        put(user, axis(1))
        theirs = put(other_user, axis(0))
        asked = [mine, theirs, uuid4()]
        assert index.held(user.pk, asked, soon()) == [Held(mine, "books", "archived", "h", 3, DIMENSIONS)]
        assert index.held(user.pk, [], soon()) == []
        assert (index.count(user.pk, soon()), index.count(other_user.pk, soon())) == (2, 1)

    def test_what_was_written_properly_is_no_stray(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis(0))
        assert index.strays(user.pk, remove=True) == []
        assert index.count(user.pk, soon()) == 1

    def test_collections_of_an_engine_lie_beside_one_another(
        self, engine: VectorEngine, user: EndUser, other_user: EndUser
    ) -> None:
        item = uuid4()
        self.admit(user, item)
        first, second = engine.open("first", DIMENSIONS), engine.open("second", DIMENSIONS)
        for collection, digest in ((first, "one"), (second, "two")):
            collection.ensure()
            collection.upsert([Point(item, user.pk, "working", "active", axis(0), digest)], soon())
        assert list(first.scroll(user.pk)) == [(item, "one")]
        first.drop([user.pk, other_user.pk])
        first.drop([user.pk, other_user.pk])
        assert list(second.scroll(user.pk)) == [(item, "two")]
        first.delete(user.pk, [item], soon())
        first.set_payload(user.pk, [item], tier="books", deadline=soon())
        first.erase(user.pk)
        first.ensure()
        assert list(first.scroll(user.pk)) == []

    def test_what_is_deleted_is_gone_and_deleting_again_is_nothing(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        gone, kept = put(user, turned(1)), put(user, turned(2))
        for _ in range(2):
            index.delete(user.pk, [gone, uuid4()], soon())
        index.delete(user.pk, [], soon())
        assert self.found(index, Filter(user.pk)) == [kept]

    def test_nobody_changes_what_belongs_to_another(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        theirs = put(other_user, axis(0))
        index.set_payload(user.pk, [theirs], tier="books", status="archived", deadline=soon())
        index.delete(user.pk, [theirs], soon())
        index.upsert([Point(theirs, user.pk, "books", "active", axis(1), "stolen")], soon())
        index.erase(user.pk)
        [match] = index.search(axis(0), Filter(other_user.pk, frozenset({"working"})), 10, soon())
        assert match.id == theirs
        assert list(index.scroll(other_user.pk)) == [(theirs, "hash")]

    def test_scroll_gives_everything_once(self, index: VectorIndex, user: EndUser) -> None:
        points = [
            Point(uuid4(), user.pk, "working", ("active", "archived")[number % 2], any_unit(number), f"hash {number}")
            for number in range(25)
        ]
        for point in points:
            self.admit(user, point.id)
        index.upsert(points, soon())
        assert sorted(index.scroll(user.pk)) == sorted((point.id, point.vector_hash) for point in points)

    def test_erasing_a_user_leaves_the_others(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        put(user, axis(0))
        put(user, axis(1), status="archived")
        theirs = put(other_user, axis(0))
        for _ in range(2):
            index.erase(user.pk)
        assert list(index.scroll(user.pk)) == []
        assert self.found(index, Filter(other_user.pk)) == [theirs]

    def test_a_vector_that_does_not_fit_is_refused(self, index: VectorIndex, user: EndUser) -> None:
        narrow = axis(0)[:100]
        not_a_number = axis(0) * np.float32("nan")
        for vector, reason in ((narrow, "384 dimensions, got"), (not_a_number, "finite")):
            with pytest.raises(BadReply, match=reason):
                index.search(vector, Filter(user.pk), 10, soon())
            with pytest.raises(BadReply, match=reason):
                index.upsert([Point(uuid4(), user.pk, "working", "active", vector, "hash")], soon())

    def test_without_time_nothing_is_asked(self, index: VectorIndex, user: EndUser) -> None:
        with pytest.raises(Late):
            index.search(axis(0), Filter(user.pk), 10, Deadline(0))
        with pytest.raises(Late):
            index.upsert([Point(uuid4(), user.pk, "working", "active", axis(0), "hash")], Deadline(0))

    def test_ensuring_twice_and_then_all_is_well(self, index: VectorIndex) -> None:
        index.ensure()
        index.ensure()
        state = index.state()
        assert state.ok
        assert state.problem is None
        assert state.dimensions == DIMENSIONS


@pytest.mark.django_db
class TestPgVector(VectorIndexContract):
    @pytest.fixture
    def index(self, db: None) -> PgVectorIndex:
        return PgVectorIndex("test", DIMENSIONS)

    @pytest.fixture
    def engine(self, db: None) -> PgVectorEngine:
        return PgVectorEngine()

    def admit(self, user: EndUser, item_id: UUID) -> None:
        with user_scope(user):
            if not MemoryItem.objects.for_user(user).filter(pk=item_id).exists():
                MemoryItemFactory(id=item_id, user=user)

    def test_a_deleted_item_gets_no_vector(self, index: PgVectorIndex, user: EndUser) -> None:
        index.upsert([Point(uuid4(), user.pk, "working", "active", axis(0), "hash")], soon())
        assert list(index.scroll(user.pk)) == []

    def test_collections_do_not_see_each_other_and_are_erased_together(
        self, index: PgVectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis(0))
        other = PgVectorIndex("another", DIMENSIONS)
        assert other.search(axis(0), Filter(user.pk), 10, soon()) == []
        other.erase(user.pk)
        assert list(index.scroll(user.pk)) == []

    def test_a_row_of_another_width_is_not_compared(
        self, index: PgVectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis(0))
        assert PgVectorIndex("test", 768).search(np.ones(768, np.float32), Filter(user.pk), 10, soon()) == []

    def test_postgres_is_interrupted_and_the_transaction_around_lives_on(
        self, index: PgVectorIndex, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pgvector, "COUNT_UP_TO", "SELECT length(pg_sleep(5)::text)")
        with user_scope(user):
            MemoryItemFactory(user=user)
            with Stopwatch() as watch, pytest.raises(Unavailable, match="timeout"):
                index.search(axis(0), Filter(user.pk), 10, Deadline(0.2))
            assert watch.seconds < 1
            assert MemoryItem.objects.for_user(user).count() == 1

    def test_settings_of_the_transaction_around_are_put_back(self, index: PgVectorIndex, user: EndUser) -> None:
        def settings() -> tuple[str, ...]:
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT current_setting('statement_timeout'), current_setting('hnsw.ef_search', true), "
                    "current_setting('app.user_id')"
                )
                return cursor.fetchone()

        with user_scope(user):
            before = settings()
            index.search(axis(0), Filter(user.pk), 10, Deadline(0.5))
            assert settings() == before

    def test_inside_the_scope_of_another_user_it_refuses(
        self, index: PgVectorIndex, user: EndUser, other_user: EndUser
    ) -> None:
        with user_scope(other_user), pytest.raises(WrongScope):
            index.search(axis(0), Filter(user.pk), 10, soon())

    def test_the_table_shows_nothing_without_a_scope(
        self, index: PgVectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis(0))
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM memory_vector")
            assert cursor.fetchone() == (0,)

    def test_a_width_without_an_index_is_told(self, db: None) -> None:
        state = PgVectorIndex("test", 512).state()
        assert state.ok
        assert "no HNSW index for 512" in (state.problem or "")

    def test_a_width_pgvector_cannot_index_is_refused(self, db: None) -> None:
        with pytest.raises(BadReply, match="4096"):
            PgVectorIndex("test", 4096).ensure()
        assert not PgVectorIndex("test", 4096).state().ok


class Cloud:
    """Vectors as embeddings lie: many topics, each a cluster, all of them leaning one way."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)
        latent = 32
        self.basis = self.rng.normal(size=(latent, DIMENSIONS)) / math.sqrt(latent)
        self.topics = self.rng.normal(size=(400, latent))
        self.lean = self.rng.normal(size=DIMENSIONS) * 0.35

    def draw(self, count: int, topics: int) -> np.ndarray:
        mine = self.topics[self.rng.choice(len(self.topics), topics, replace=False)]
        latent = mine[self.rng.integers(topics, size=count)] + self.rng.normal(size=(count, mine.shape[1])) * 0.6
        vectors = latent @ self.basis + self.rng.normal(size=(count, DIMENSIONS)) * 0.25 + self.lean
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


SIZES = {"small": 200, "middle": 1_500, "large": 4_000, "many others": 2_000}
EXACT_UP_TO = 2_500


@dataclass
class Filled:
    """An index with users of several sizes in it."""

    index: PgVectorIndex
    cloud: Cloud
    users: dict[str, EndUser]
    ids: dict[str, list[UUID]]
    vectors: dict[str, np.ndarray]


@pytest.mark.slow
class TestPgVectorAtSize:
    """Complete answers for users of every size beside one another, with the limit between the two ways lowered."""

    @pytest.fixture(scope="class")
    @classmethod
    def filled(cls, django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Filled]:
        filled = Filled(PgVectorIndex("test", DIMENSIONS), Cloud(), {}, {}, {})
        with django_db_blocker.unblock(), transaction.atomic():
            organization = OrganizationFactory.create()
            for name, size in SIZES.items():
                filled.users[name] = EndUserFactory.create(organization=organization)
                filled.ids[name] = [uuid4() for _ in range(size)]
                filled.vectors[name] = filled.cloud.draw(size, topics=max(5, size // 50))
                cls.insert(filled, name)
            yield filled
            transaction.set_rollback(True)

    @pytest.fixture(autouse=True)
    def lower_limit(self, filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pgvector, "EXACT_UP_TO", EXACT_UP_TO)
        filled.index._large.clear()

    @staticmethod
    def insert(filled: Filled, name: str) -> None:
        """One in twenty is in the memory bank."""
        ids, vectors, user = filled.ids[name], filled.vectors[name], filled.users[name]
        tiers = ["memory_bank" if number % 20 == 0 else "history" for number in range(len(ids))]
        with user_scope(user), connection.cursor() as cursor:
            for start in range(0, len(ids), 500):
                part = slice(start, start + 500)
                literals = [pgvector._literal(vector, DIMENSIONS) for vector in vectors[part]]
                cursor.execute(
                    "INSERT INTO memory_vector (user_id, item_id, collection, dims, tier, status, embedding, "
                    "vector_hash, updated_at) SELECT %s, id, 'test', %s, tier, 'active', v, 'hash', now() "
                    "FROM unnest(%s::uuid[], %s::text[], %s::halfvec[]) AS rows (id, tier, v)",
                    [user.pk, DIMENSIONS, ids[part], tiers[part], literals],
                )

    def test_every_user_gets_complete_answers(self, filled: Filled) -> None:
        queries = filled.cloud.draw(20, topics=20)
        for name, user in filled.users.items():
            recall = []
            for query in queries:
                nearest = np.argsort(np.linalg.norm(filled.vectors[name] - query, axis=1))[:20]
                found = [match.id for match in filled.index.search(query, Filter(user.pk), 20, soon())]
                assert len(found) == 20, name
                recall.append(len({filled.ids[name][row] for row in nearest} & set(found)) / 20)
            walked = Filter(user.pk) in filled.index._large
            assert walked == (SIZES[name] > EXACT_UP_TO), name
            assert np.mean(recall) >= (0.9 if walked else 0.99), (name, np.mean(recall))

    def test_a_small_tier_of_a_large_user_is_read_and_not_searched_for(self, filled: Filled) -> None:
        wanted = Filter(filled.users["large"].pk, frozenset({"memory_bank"}))
        found = [match.id for match in filled.index.search(filled.cloud.draw(1, 1)[0], wanted, 100, soon())]
        assert len(found) == 100
        assert set(found) <= set(filled.ids["large"][::20])
        assert wanted not in filled.index._large

    def test_when_the_graph_gives_up_the_rows_are_read(self, filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(pgvector, "EXACT_UP_TO", 10)
        monkeypatch.setattr(pgvector, "MAX_SCAN_TUPLES", 1)
        wanted = Filter(filled.users["small"].pk)
        assert len(filled.index.search(filled.cloud.draw(1, 1)[0], wanted, 150, soon())) == 150

    def test_each_way_can_use_the_index_meant_for_it(self, filled: Filled) -> None:
        where, values = filled.index._where(Filter(filled.users["large"].pk, frozenset({"memory_bank"})))
        values |= {"vector": pgvector._literal(filled.cloud.draw(1, 1)[0], DIMENSIONS), "limit": 20}

        def plan(statement: str) -> str:
            with user_scope(filled.users["large"]), connection.cursor() as cursor:
                # The statistics of a fresh table would send the planner anywhere.
                cursor.execute("SET LOCAL enable_seqscan = off")
                cursor.execute("SET LOCAL enable_sort = off")
                cursor.execute("EXPLAIN " + statement.format(dims=DIMENSIONS, where=where), values)
                return "\n".join(line for (line,) in cursor.fetchall())

        assert "memory_vector_hnsw_384" in plan(pgvector.NEAREST)
        exact = plan(pgvector.NEAREST_EXACT)
        assert "hnsw" not in exact
        assert "memory_vector_payload" in exact or "memory_vector_once" in exact


class TestQdrantLocal(VectorIndexContract):
    """Over the client's own local mode, which needs no server."""

    @pytest.fixture
    def client(self, services: object) -> Iterator[QdrantClient]:
        client = QdrantClient(":memory:")
        yield client
        client.close()

    @pytest.fixture
    def index(self, client: QdrantClient) -> QdrantIndex:
        index = QdrantIndex(client, "test", DIMENSIONS)
        index.ensure()
        return index

    @pytest.fixture
    def engine(self, client: QdrantClient) -> QdrantEngine:
        return QdrantEngine(client)

    @pytest.fixture
    def user(self) -> EndUser:
        return EndUser(pk=11)

    @pytest.fixture
    def other_user(self) -> EndUser:
        return EndUser(pk=12)

    def test_a_collection_of_another_width_is_told_and_not_used(self, client: QdrantClient, index: QdrantIndex) -> None:
        wider = QdrantIndex(client, "test", 768)
        with pytest.raises(BadReply, match="has 384 dimensions, the model 768"):
            wider.ensure()
        state = wider.state()
        assert not state.ok
        assert "768" in (state.problem or "")

    def test_a_collection_of_another_metric_is_told(self, client: QdrantClient) -> None:
        client.create_collection(
            "dot", vectors_config=models.VectorParams(size=DIMENSIONS, distance=models.Distance.DOT)
        )
        with pytest.raises(BadReply, match="measures Dot, Euclid is expected"):
            QdrantIndex(client, "dot", DIMENSIONS).ensure()

    def test_a_lost_collection_is_told_by_reading_and_made_again_by_writing(
        self, client: QdrantClient, index: QdrantIndex, user: EndUser
    ) -> None:
        client.delete_collection("test")
        assert not index.state().ok
        with pytest.raises(Rejected):
            index.search(axis(0), Filter(user.pk), 10, soon())
        index.erase(user.pk)
        index.upsert([Point(uuid4(), user.pk, "working", "active", axis(0), "hash")], soon())
        assert len(self.found(index, Filter(user.pk))) == 1

    def test_searches_go_where_the_alias_points(
        self, client: QdrantClient, engine: QdrantEngine, user: EndUser
    ) -> None:
        first, second = engine.open("first", DIMENSIONS, "notes"), engine.open("second", DIMENSIONS, "notes")
        items = {}
        for collection in (first, second):
            collection.ensure()
            items[collection.collection] = uuid4()
            point = Point(items[collection.collection], user.pk, "working", "active", axis(0), "hash")
            collection.upsert([point], soon())
        # Whoever ensures makes the alias when it is missing and leaves it where it points otherwise.
        assert self.found(first, Filter(user.pk)) == self.found(second, Filter(user.pk)) == [items["first"]]
        for _ in range(2):
            second.make_live()
        assert self.found(first, Filter(user.pk)) == self.found(second, Filter(user.pk)) == [items["second"]]
        assert [id for id, _ in first.scroll(user.pk)] == [items["first"]]
        assert second.state().ok

    def test_a_point_under_another_id_is_a_stray(
        self, client: QdrantClient, index: QdrantIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        item = put(user, axis(0))
        payload = {"user_id": str(user.pk), "item_id": str(item), "status": "active", "tier": "working"}
        client.upsert("test", [models.PointStruct(id=str(uuid4()), vector=axis(0).tolist(), payload=payload)])
        assert index.strays(user.pk, remove=False) == [item]
        assert index.strays(user.pk, remove=True) == [item]
        assert index.strays(user.pk, remove=True) == []
        assert index.count(user.pk, soon()) == 1

    def test_points_from_before_revisions_were_counted_are_replaced(
        self, client: QdrantClient, index: QdrantIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        item = put(user, axis(0))
        client.delete_payload("test", ["revision"], points=models.Filter())
        put(user, axis(0), id=item, vector_hash="new", revision=1)
        assert list(index.scroll(user.pk)) == [(item, "new")]

    def test_a_point_that_names_no_item_is_not_passed_on(
        self, client: QdrantClient, index: QdrantIndex, user: EndUser
    ) -> None:
        payload = {"user_id": str(user.pk), "status": "active"}
        client.upsert("test", [models.PointStruct(id=str(uuid4()), vector=axis(0).tolist(), payload=payload)])
        with pytest.raises(BadReply, match="no item id"):
            index.search(axis(0), Filter(user.pk), 10, soon())


@pytest.mark.skipif(not os.environ.get("QDRANT_URL"), reason="QDRANT_URL names no server")
class TestQdrantServer(TestQdrantLocal):
    @pytest.fixture
    def client(self, services: object) -> Iterator[QdrantClient]:
        client = QdrantClient(url=os.environ["QDRANT_URL"], api_key=os.environ.get("QDRANT_API_KEY"))
        yield client
        client.close()

    @pytest.fixture
    def index(self, client: QdrantClient) -> Iterator[QdrantIndex]:
        for name in ("test", "dot", "first", "second"):
            client.delete_collection(name)
        index = QdrantIndex(client, "test", DIMENSIONS)
        index.ensure()
        yield index
        for name in ("test", "dot", "first", "second"):
            client.delete_collection(name)


class TestQdrantInTrouble:
    """A server that answers wrongly, late or not at all."""

    @pytest.fixture
    def stub(self, services: object, tmp_path: Path) -> Iterator[EmbedderStub]:
        with EmbedderStub(tmp_path / "qdrant.sock") as server:
            yield server

    @pytest.fixture
    def index(self, stub: EmbedderStub) -> Iterator[QdrantIndex]:
        client = QdrantClient(
            url="http://qdrant", check_compatibility=False, transport=DeadlineTransport(str(stub.path))
        )
        yield QdrantIndex(client, "test", DIMENSIONS)
        client.close()

    @pytest.mark.parametrize("fault", ["500", "503", "429", "reset", "cut body"])
    def test_trouble_is_unavailable(self, index: QdrantIndex, stub: EmbedderStub, fault: str) -> None:
        stub.behave(fault)
        with pytest.raises(Unavailable) as caught:
            index.search(axis(0), Filter(1), 10, soon())
        assert caught.value.dependency == "vector"
        assert not isinstance(caught.value, BadReply | Rejected)

    @pytest.mark.parametrize("fault", ["html", "not json", "object", "empty"])
    def test_a_reply_of_another_form_is_a_bad_reply(self, index: QdrantIndex, stub: EmbedderStub, fault: str) -> None:
        stub.behave(fault)
        with pytest.raises(BadReply):
            index.search(axis(0), Filter(1), 10, soon())

    @pytest.mark.parametrize("fault", ["hang", "trickled headers", "trickled body"])
    def test_whoever_never_finishes_is_left_at_the_deadline(
        self, index: QdrantIndex, stub: EmbedderStub, fault: str
    ) -> None:
        stub.behave(fault)
        with Stopwatch() as watch, pytest.raises(Unavailable, match="in time"):
            index.search(axis(0), Filter(1), 10, Deadline(0.2))
        assert watch.seconds < 0.6

    def test_a_refusal_opens_nothing_and_trouble_does(self, index: QdrantIndex, stub: EmbedderStub) -> None:
        stub.behave("400")
        for _ in range(6):
            with pytest.raises(Rejected):
                index.search(axis(0), Filter(1), 10, soon())
        assert breaker_states()["vector"] == "closed"
        stub.behave("500")
        for _ in range(5):
            with pytest.raises(Unavailable):
                index.search(axis(0), Filter(1), 10, soon())
        asked = len(stub.asked)
        with pytest.raises(Unavailable, match="not asked"):
            index.search(axis(0), Filter(1), 10, soon())
        assert len(stub.asked) == asked

    def test_nobody_listens(self, index: QdrantIndex, stub: EmbedderStub) -> None:
        stub.path.unlink()
        with Stopwatch() as watch, pytest.raises(Unavailable):
            index.search(axis(0), Filter(1), 10, soon())
        assert watch.seconds < 0.5
        assert not index.state().ok
        stub.path.touch()
