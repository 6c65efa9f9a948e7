"""What every vector index does: the suite each adapter's tests inherit."""

import math
from collections.abc import Callable
from uuid import UUID, uuid4

import numpy as np
import pytest

from memory.indexes.base import IndexFilter, PayloadChange, StoredPoint, VectorEngine, VectorIndex, VectorPoint
from memory.inference.base import Vector
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, DeadlineExceeded

DIMENSIONS = 384
# Half-precision vectors move a distance by less than this.
NEAR = 2e-3


def make_deadline() -> Deadline:
    return Deadline(100)


def axis_vector(number: int) -> Vector:
    vector = np.zeros(DIMENSIONS, np.float32)
    vector[number] = 1
    return vector


def turned_vector(degrees: float) -> Vector:
    """A unit vector at this angle to the first axis."""
    angle = math.radians(degrees)
    return (math.cos(angle) * axis_vector(0) + math.sin(angle) * axis_vector(1)).astype(np.float32)


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
            index.upsert([VectorPoint(item_id, user.pk, tier, status, vector, vector_hash, revision)], make_deadline())
            return item_id

        return put

    def found(
        self, index: VectorIndex, filter: IndexFilter, vector: Vector | None = None, limit: int = 10
    ) -> list[UUID]:
        return [
            match.id
            for match in index.search(axis_vector(0) if vector is None else vector, filter, limit, make_deadline())
        ]

    def test_the_nearest_comes_first_with_its_euclidean_distance(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        ids = {degrees: put(user, turned_vector(degrees)) for degrees in (90, 0, 180, 30)}
        matches = index.search(axis_vector(0), IndexFilter(user.pk), 10, make_deadline())
        assert [match.id for match in matches] == [ids[0], ids[30], ids[90], ids[180]]
        for match, degrees in zip(matches, (0, 30, 90, 180), strict=True):
            assert match.distance == pytest.approx(math.sqrt(2 - 2 * math.cos(math.radians(degrees))), abs=NEAR)

    def test_equal_distances_are_ordered_by_id(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        ids = [put(user, axis_vector(3)) for _ in range(6)]
        assert self.found(index, IndexFilter(user.pk)) == sorted(ids)

    def test_as_many_come_back_as_were_asked_for_or_exist(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        for number in range(7):
            put(user, any_unit(number))
        for limit in (0, 1, 5, 7, 100):
            assert len(self.found(index, IndexFilter(user.pk), limit=limit)) == min(limit, 7)

    def test_nothing_indexed_is_nothing_found(self, index: VectorIndex, user: EndUser) -> None:
        assert self.found(index, IndexFilter(user.pk)) == []
        assert list(index.scroll(user.pk)) == []

    def test_tier_and_status_filter(self, index: VectorIndex, put: Callable[..., UUID], user: EndUser) -> None:
        working = put(user, turned_vector(1))
        bank = put(user, turned_vector(2), tier="memory_bank")
        archived = put(user, turned_vector(3), tier="memory_bank", status="archived")
        assert self.found(index, IndexFilter(user.pk)) == [working, bank]
        assert self.found(index, IndexFilter(user.pk, frozenset({"memory_bank"}))) == [bank]
        assert self.found(index, IndexFilter(user.pk, frozenset({"memory_bank", "working"}))) == [working, bank]
        either = frozenset({"active", "archived"})
        assert self.found(index, IndexFilter(user.pk, frozenset({"memory_bank"}), either)) == [bank, archived]
        assert self.found(index, IndexFilter(user.pk, frozenset({"books"}))) == []

    def test_an_empty_choice_lets_nothing_through(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis_vector(0))
        assert self.found(index, IndexFilter(user.pk, frozenset())) == []
        assert self.found(index, IndexFilter(user.pk, None, frozenset())) == []

    def test_values_of_a_filter_are_values_and_not_language(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        put(user, axis_vector(0))
        put(other_user, axis_vector(0))
        for odd in ("' OR '1'='1", "{working}", "%s", 'working"', "NULL", ""):
            assert self.found(index, IndexFilter(user.pk, frozenset({odd}))) == []

    def test_nobody_finds_what_belongs_to_another(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        mine, theirs = put(user, axis_vector(0)), put(other_user, axis_vector(0))
        assert self.found(index, IndexFilter(user.pk)) == [mine]
        assert self.found(index, IndexFilter(other_user.pk)) == [theirs]
        assert [id for id, _ in index.scroll(user.pk)] == [mine]

    @pytest.mark.parametrize("nobody", [0, -1, None, True, "1"])
    def test_without_a_user_nothing_is_done(self, index: VectorIndex, nobody: int) -> None:
        asked: list[Callable[[], object]] = [
            lambda: IndexFilter(nobody),
            lambda: VectorPoint(uuid4(), nobody, "working", "active", axis_vector(0), "hash"),
            lambda: index.set_payload(nobody, [uuid4()], PayloadChange(tier="books"), make_deadline()),
            lambda: index.delete(nobody, [uuid4()], make_deadline()),
            lambda: list(index.scroll(nobody)),
            lambda: index.fetch_points(nobody, [uuid4()], make_deadline()),
            lambda: index.fetch_vectors(nobody, [uuid4()], make_deadline()),
            lambda: index.count(nobody, make_deadline()),
            lambda: index.list_strays(nobody, remove=True),
            lambda: index.erase(nobody),
        ]
        for ask in asked:
            with pytest.raises(ValueError, match="one user"):
                ask()

    def test_writing_again_replaces(self, index: VectorIndex, put: Callable[..., UUID], user: EndUser) -> None:
        item = put(user, axis_vector(0), vector_hash="old")
        put(user, axis_vector(5), id=item, tier="history", vector_hash="new")
        [match] = index.search(axis_vector(5), IndexFilter(user.pk, frozenset({"history"})), 10, make_deadline())
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
                VectorPoint(mine, user.pk, "working", "active", axis_vector(0), "first"),
                VectorPoint(theirs, other_user.pk, "working", "active", axis_vector(0), "hash"),
                VectorPoint(mine, user.pk, "working", "active", axis_vector(0), "second"),
            ],
            make_deadline(),
        )
        assert list(index.scroll(user.pk)) == [(mine, "second")]
        assert list(index.scroll(other_user.pk)) == [(theirs, "hash")]

    def test_the_payload_changes_alone(self, index: VectorIndex, put: Callable[..., UUID], user: EndUser) -> None:
        first, second = put(user, turned_vector(1)), put(user, turned_vector(2))
        index.set_payload(user.pk, [first, uuid4()], PayloadChange(tier="history"), make_deadline())
        index.set_payload(user.pk, [second], PayloadChange(status="archived"), make_deadline())
        index.set_payload(user.pk, [second], PayloadChange(), make_deadline())
        index.set_payload(user.pk, [], PayloadChange(tier="books"), make_deadline())
        assert self.found(index, IndexFilter(user.pk, frozenset({"history"}))) == [first]
        assert self.found(index, IndexFilter(user.pk, None, frozenset({"archived"}))) == [second]
        assert sorted(index.scroll(user.pk)) == sorted([(first, "hash"), (second, "hash")])

    def test_a_write_that_was_held_up_changes_nothing(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        item = put(user, axis_vector(1), tier="history", vector_hash="new", revision=5)
        put(user, axis_vector(0), id=item, tier="working", vector_hash="old", revision=4)
        index.set_payload(user.pk, [item], PayloadChange(tier="books", status="archived", revision=4), make_deadline())
        assert index.fetch_points(user.pk, [item], make_deadline()) == [
            StoredPoint(item, "history", "active", "new", 5, DIMENSIONS)
        ]
        [match] = index.search(axis_vector(1), IndexFilter(user.pk), 10, make_deadline())
        assert match.distance == pytest.approx(0, abs=NEAR)
        index.set_payload(user.pk, [item], PayloadChange(tier="patterns", revision=6), make_deadline())
        put(user, axis_vector(1), id=item, tier="history", vector_hash="new", revision=5)
        assert index.fetch_points(user.pk, [item], make_deadline()) == [
            StoredPoint(item, "patterns", "active", "new", 6, DIMENSIONS)
        ]
        put(user, axis_vector(2), id=item, tier="patterns", vector_hash="newest", revision=6)
        assert list(index.scroll(user.pk)) == [(item, "newest")]

    def test_a_held_up_write_does_not_stop_the_others_of_its_call(self, index: VectorIndex, user: EndUser) -> None:
        first, second = uuid4(), uuid4()
        for item in (first, second):
            self.admit(user, item)

        def points(digest: str, revisions: tuple[int, int]) -> list[VectorPoint]:
            pairs = zip((first, second), revisions, strict=True)
            return [
                VectorPoint(item, user.pk, "working", "active", axis_vector(0), digest, number)
                for item, number in pairs
            ]

        index.upsert(points("one", (1, 7)), make_deadline())
        index.upsert(points("two", (2, 2)), make_deadline())
        assert dict(index.scroll(user.pk)) == {first: "two", second: "one"}

    def test_what_is_held_of_some_ids_and_how_much_there_is(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        mine = put(user, axis_vector(0), tier="books", status="archived", vector_hash="h", revision=3)
        put(user, axis_vector(1))
        theirs = put(other_user, axis_vector(0))
        asked = [mine, theirs, uuid4()]
        assert index.fetch_points(user.pk, asked, make_deadline()) == [
            StoredPoint(mine, "books", "archived", "h", 3, DIMENSIONS)
        ]
        assert index.fetch_points(user.pk, [], make_deadline()) == []
        held = index.fetch_vectors(user.pk, asked, make_deadline())
        assert {item: vector.tolist() for item, vector in held.items()} == {mine: axis_vector(0).tolist()}
        assert index.fetch_vectors(user.pk, [], make_deadline()) == {}
        assert (index.count(user.pk, make_deadline()), index.count(other_user.pk, make_deadline())) == (2, 1)

    def test_what_was_written_properly_is_no_stray(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        put(user, axis_vector(0))
        assert index.list_strays(user.pk, remove=True) == []
        assert index.count(user.pk, make_deadline()) == 1

    def test_collections_of_an_engine_lie_beside_one_another(
        self, engine: VectorEngine, user: EndUser, other_user: EndUser
    ) -> None:
        item = uuid4()
        self.admit(user, item)
        first, second = engine.open("first", DIMENSIONS), engine.open("second", DIMENSIONS)
        for collection, digest in ((first, "one"), (second, "two")):
            collection.ensure()
            collection.upsert(
                [VectorPoint(item, user.pk, "working", "active", axis_vector(0), digest)], make_deadline()
            )
        assert list(first.scroll(user.pk)) == [(item, "one")]
        first.drop([user.pk, other_user.pk])
        first.drop([user.pk, other_user.pk])
        assert list(second.scroll(user.pk)) == [(item, "two")]
        first.delete(user.pk, [item], make_deadline())
        first.set_payload(user.pk, [item], PayloadChange(tier="books"), make_deadline())
        first.erase(user.pk)
        first.ensure()
        assert list(first.scroll(user.pk)) == []

    def test_what_is_deleted_is_gone_and_deleting_again_is_nothing(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        gone, kept = put(user, turned_vector(1)), put(user, turned_vector(2))
        for _ in range(2):
            index.delete(user.pk, [gone, uuid4()], make_deadline())
        index.delete(user.pk, [], make_deadline())
        assert self.found(index, IndexFilter(user.pk)) == [kept]

    def test_nobody_changes_what_belongs_to_another(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        theirs = put(other_user, axis_vector(0))
        index.set_payload(user.pk, [theirs], PayloadChange(tier="books", status="archived"), make_deadline())
        index.delete(user.pk, [theirs], make_deadline())
        index.upsert([VectorPoint(theirs, user.pk, "books", "active", axis_vector(1), "stolen")], make_deadline())
        index.erase(user.pk)
        [match] = index.search(axis_vector(0), IndexFilter(other_user.pk, frozenset({"working"})), 10, make_deadline())
        assert match.id == theirs
        assert list(index.scroll(other_user.pk)) == [(theirs, "hash")]

    def test_scroll_gives_everything_once(self, index: VectorIndex, user: EndUser) -> None:
        points = [
            VectorPoint(
                uuid4(), user.pk, "working", ("active", "archived")[number % 2], any_unit(number), f"hash {number}"
            )
            for number in range(25)
        ]
        for point in points:
            self.admit(user, point.id)
        index.upsert(points, make_deadline())
        assert sorted(index.scroll(user.pk)) == sorted((point.id, point.vector_hash) for point in points)

    def test_erasing_a_user_leaves_the_others(
        self, index: VectorIndex, put: Callable[..., UUID], user: EndUser, other_user: EndUser
    ) -> None:
        put(user, axis_vector(0))
        put(user, axis_vector(1), status="archived")
        theirs = put(other_user, axis_vector(0))
        for _ in range(2):
            index.erase(user.pk)
        assert list(index.scroll(user.pk)) == []
        assert self.found(index, IndexFilter(other_user.pk)) == [theirs]

    def test_a_vector_that_does_not_fit_is_refused(self, index: VectorIndex, user: EndUser) -> None:
        narrow = axis_vector(0)[:100]
        not_a_number = axis_vector(0) * np.float32("nan")
        for vector, reason in ((narrow, "384 dimensions, got"), (not_a_number, "finite")):
            with pytest.raises(BadReply, match=reason):
                index.search(vector, IndexFilter(user.pk), 10, make_deadline())
            with pytest.raises(BadReply, match=reason):
                index.upsert([VectorPoint(uuid4(), user.pk, "working", "active", vector, "hash")], make_deadline())

    def test_without_time_nothing_is_asked(self, index: VectorIndex, user: EndUser) -> None:
        with pytest.raises(DeadlineExceeded):
            index.search(axis_vector(0), IndexFilter(user.pk), 10, Deadline(0))
        with pytest.raises(DeadlineExceeded):
            index.upsert([VectorPoint(uuid4(), user.pk, "working", "active", axis_vector(0), "hash")], Deadline(0))

    def test_ensuring_twice_and_then_all_is_well(self, index: VectorIndex) -> None:
        index.ensure()
        index.ensure()
        state = index.state()
        assert state.ok
        assert state.problem is None
        assert state.dimensions == DIMENSIONS
