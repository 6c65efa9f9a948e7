"""Vectors in Postgres: the suite of the port, the walls between users, and complete answers at every size."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.db import connection, transaction
from pytest_django.plugin import DjangoDbBlocker

from memory.access.scope import WrongScope, user_scope
from memory.indexes import nearest, pgvector
from memory.indexes.base import IndexFilter, VectorPoint
from memory.indexes.nearest import format_vector
from memory.indexes.pgvector import PgVectorEngine, PgVectorIndex
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, Unavailable
from tests.factories import EndUserFactory, MemoryItemFactory, OrganizationFactory
from tests.memory.indexes.vector_index_contract import DIMENSIONS, VectorIndexContract, axis_vector, make_deadline
from tests.patience import Stopwatch


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
        index.upsert([VectorPoint(uuid4(), user.pk, "working", "active", axis_vector(0), "hash")], make_deadline())
        assert list(index.scroll(user.pk)) == []

    def test_collections_do_not_see_each_other_and_are_erased_together(
        self, index: PgVectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis_vector(0))
        other = PgVectorIndex("another", DIMENSIONS)
        assert other.search(axis_vector(0), IndexFilter(user.pk), 10, make_deadline()) == []
        other.erase(user.pk)
        assert list(index.scroll(user.pk)) == []

    def test_a_row_of_another_width_is_not_compared(
        self, index: PgVectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis_vector(0))
        assert (
            PgVectorIndex("test", 768).search(np.ones(768, np.float32), IndexFilter(user.pk), 10, make_deadline()) == []
        )

    def test_postgres_is_interrupted_and_the_transaction_around_lives_on(
        self, index: PgVectorIndex, user: EndUser, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(pgvector, "COUNT_UP_TO", "SELECT length(pg_sleep(120)::text)")
        with user_scope(user):
            MemoryItemFactory(user=user)
            with Stopwatch() as watch, pytest.raises(Unavailable, match="timeout"):
                index.search(axis_vector(0), IndexFilter(user.pk), 10, Deadline(0.2))
            assert watch.is_within(0.2)
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
            index.search(axis_vector(0), IndexFilter(user.pk), 10, Deadline(0.5))
            assert settings() == before

    def test_inside_the_scope_of_another_user_it_refuses(
        self, index: PgVectorIndex, user: EndUser, other_user: EndUser
    ) -> None:
        with user_scope(other_user), pytest.raises(WrongScope):
            index.search(axis_vector(0), IndexFilter(user.pk), 10, make_deadline())

    def test_the_table_shows_nothing_without_a_scope(
        self, index: PgVectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis_vector(0))
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
        monkeypatch.setattr(nearest, "EXACT_UP_TO", EXACT_UP_TO)
        filled.index._counted.clear()

    @staticmethod
    def insert(filled: Filled, name: str) -> None:
        """One in twenty is in the memory bank."""
        ids, vectors, user = filled.ids[name], filled.vectors[name], filled.users[name]
        tiers = ["memory_bank" if number % 20 == 0 else "history" for number in range(len(ids))]
        with user_scope(user), connection.cursor() as cursor:
            for start in range(0, len(ids), 500):
                part = slice(start, start + 500)
                literals = [format_vector(vector, DIMENSIONS, "vector") for vector in vectors[part]]
                cursor.execute(
                    "INSERT INTO memory_vector (user_id, item_id, collection, dims, tier, status, embedding, "
                    "vector_hash, updated_at) SELECT %s, id, 'test', %s, tier, 'active', v, 'hash', now() "
                    "FROM unnest(%s::uuid[], %s::text[], %s::halfvec[]) AS rows (id, tier, v)",
                    [user.pk, DIMENSIONS, ids[part], tiers[part], literals],
                )

    @staticmethod
    def is_answered_by_graph(filled: Filled, wanted: IndexFilter) -> bool:
        rows, table, _ = filled.index._counted[wanted]
        return nearest.is_graph_cheaper(rows, table, pgvector.SEARCH_BREADTH)

    def test_every_user_gets_complete_answers(self, filled: Filled) -> None:
        queries = filled.cloud.draw(20, topics=20)
        for name, user in filled.users.items():
            recall = []
            for query in queries:
                nearest = np.argsort(np.linalg.norm(filled.vectors[name] - query, axis=1))[:20]
                found = [match.id for match in filled.index.search(query, IndexFilter(user.pk), 20, make_deadline())]
                assert len(found) == 20, name
                recall.append(len({filled.ids[name][row] for row in nearest} & set(found)) / 20)
            walked = self.is_answered_by_graph(filled, IndexFilter(user.pk))
            assert walked == (SIZES[name] > EXACT_UP_TO), name
            assert np.mean(recall) >= (0.9 if walked else 0.99), (name, np.mean(recall))

    def test_a_small_tier_of_a_large_user_is_read_and_not_searched_for(self, filled: Filled) -> None:
        wanted = IndexFilter(filled.users["large"].pk, frozenset({"memory_bank"}))
        found = [match.id for match in filled.index.search(filled.cloud.draw(1, 1)[0], wanted, 100, make_deadline())]
        assert len(found) == 100
        assert set(found) <= set(filled.ids["large"][::20])
        assert not self.is_answered_by_graph(filled, wanted)

    def test_who_has_most_of_all_rows_is_answered_by_the_graph(
        self, filled: Filled, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(nearest, "EXACT_UP_TO", sum(SIZES.values()))
        # Until the table is analysed, which only its owner may, nothing is known of how many rows there are.
        unknown = "reltuples::bigint FROM pg_class WHERE oid = 'memory_vector'::regclass"
        known = pgvector.COUNT_UP_TO.replace(unknown, str(sum(SIZES.values())))
        assert known != pgvector.COUNT_UP_TO
        monkeypatch.setattr(pgvector, "COUNT_UP_TO", known)
        for name, user in filled.users.items():
            found = filled.index.search(filled.cloud.draw(1, 1)[0], IndexFilter(user.pk), 20, make_deadline())
            assert len(found) == 20
            assert self.is_answered_by_graph(filled, IndexFilter(user.pk)) == (name == "large")

    def test_when_the_graph_gives_up_the_rows_are_read(self, filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(nearest, "EXACT_UP_TO", 10)
        monkeypatch.setattr(pgvector, "MAX_SCAN_TUPLES", 1)
        wanted = IndexFilter(filled.users["small"].pk)
        assert len(filled.index.search(filled.cloud.draw(1, 1)[0], wanted, 150, make_deadline())) == 150

    def test_each_way_can_use_the_index_meant_for_it(self, filled: Filled) -> None:
        where, values = filled.index._where(IndexFilter(filled.users["large"].pk, frozenset({"memory_bank"})))
        values |= {"vector": format_vector(filled.cloud.draw(1, 1)[0], DIMENSIONS, "vector"), "limit": 20}

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
        assert "memory_vector_scoped" in exact or "memory_vector_once" in exact
