"""Vectors in Qdrant: the suite of the port over the client's local mode and a real server, and a server in trouble."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from qdrant_client import QdrantClient, models

from memory.indexes.base import IndexFilter, VectorPoint
from memory.indexes.qdrant import QdrantEngine, QdrantIndex
from memory.models import EndUser
from memory.platform.breakers import list_breaker_states
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected, Unavailable
from memory.platform.http import DeadlineTransport
from tests.doubles.faults import EmbedderStub
from tests.memory.indexes.vector_index_contract import DIMENSIONS, VectorIndexContract, axis_vector, make_deadline
from tests.patience import Stopwatch


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
        with pytest.raises(RequestRejected):
            index.search(axis_vector(0), IndexFilter(user.pk), 10, make_deadline())
        index.erase(user.pk)
        index.upsert([VectorPoint(uuid4(), user.pk, "working", "active", axis_vector(0), "hash")], make_deadline())
        assert len(self.found(index, IndexFilter(user.pk))) == 1

    def test_searches_go_where_the_alias_points(
        self, client: QdrantClient, engine: QdrantEngine, user: EndUser
    ) -> None:
        first, second = engine.open("first", DIMENSIONS, "notes"), engine.open("second", DIMENSIONS, "notes")
        items = {}
        for collection in (first, second):
            collection.ensure()
            items[collection.collection] = uuid4()
            point = VectorPoint(items[collection.collection], user.pk, "working", "active", axis_vector(0), "hash")
            collection.upsert([point], make_deadline())
        # Whoever ensures makes the alias when it is missing and leaves it where it points otherwise.
        assert self.found(first, IndexFilter(user.pk)) == self.found(second, IndexFilter(user.pk)) == [items["first"]]
        for _ in range(2):
            second.make_live()
        assert self.found(first, IndexFilter(user.pk)) == self.found(second, IndexFilter(user.pk)) == [items["second"]]
        assert [id for id, _ in first.scroll(user.pk)] == [items["first"]]
        assert second.state().ok

    def test_a_point_under_another_id_is_a_stray(
        self, client: QdrantClient, index: QdrantIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        item = put(user, axis_vector(0))
        payload = {"user_id": str(user.pk), "item_id": str(item), "status": "active", "tier": "working"}
        client.upsert("test", [models.PointStruct(id=str(uuid4()), vector=axis_vector(0).tolist(), payload=payload)])
        assert index.list_strays(user.pk, remove=False) == [item]
        assert index.list_strays(user.pk, remove=True) == [item]
        assert index.list_strays(user.pk, remove=True) == []
        assert index.count(user.pk, make_deadline()) == 1

    def test_points_from_before_revisions_were_counted_are_replaced(
        self, client: QdrantClient, index: QdrantIndex, put: Callable[..., UUID], user: EndUser
    ) -> None:
        item = put(user, axis_vector(0))
        client.delete_payload("test", ["revision"], points=models.Filter())
        put(user, axis_vector(0), id=item, vector_hash="new", revision=1)
        assert list(index.scroll(user.pk)) == [(item, "new")]

    def test_a_point_that_names_no_item_is_not_passed_on(
        self, client: QdrantClient, index: QdrantIndex, user: EndUser
    ) -> None:
        payload = {"user_id": str(user.pk), "status": "active"}
        client.upsert("test", [models.PointStruct(id=str(uuid4()), vector=axis_vector(0).tolist(), payload=payload)])
        with pytest.raises(BadReply, match="no item id"):
            index.search(axis_vector(0), IndexFilter(user.pk), 10, make_deadline())


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
            index.search(axis_vector(0), IndexFilter(1), 10, make_deadline())
        assert caught.value.dependency == "vector"
        assert not isinstance(caught.value, BadReply | RequestRejected)

    @pytest.mark.parametrize("fault", ["html", "not json", "object", "empty"])
    def test_a_reply_of_another_form_is_a_bad_reply(self, index: QdrantIndex, stub: EmbedderStub, fault: str) -> None:
        stub.behave(fault)
        with pytest.raises(BadReply):
            index.search(axis_vector(0), IndexFilter(1), 10, make_deadline())

    @pytest.mark.parametrize("fault", ["hang", "trickled headers", "trickled body"])
    def test_whoever_never_finishes_is_left_at_the_deadline(
        self, index: QdrantIndex, stub: EmbedderStub, fault: str
    ) -> None:
        stub.behave(fault)
        with Stopwatch() as watch, pytest.raises(Unavailable, match="in time"):
            index.search(axis_vector(0), IndexFilter(1), 10, Deadline(0.2))
        assert watch.is_within(0.2)

    def test_a_refusal_opens_nothing_and_trouble_does(self, index: QdrantIndex, stub: EmbedderStub) -> None:
        stub.behave("400")
        for _ in range(6):
            with pytest.raises(RequestRejected):
                index.search(axis_vector(0), IndexFilter(1), 10, make_deadline())
        assert list_breaker_states()["vector"] == "closed"
        stub.behave("500")
        for _ in range(5):
            with pytest.raises(Unavailable):
                index.search(axis_vector(0), IndexFilter(1), 10, make_deadline())
        asked = len(stub.asked)
        with pytest.raises(Unavailable, match="not asked"):
            index.search(axis_vector(0), IndexFilter(1), 10, make_deadline())
        assert len(stub.asked) == asked

    def test_nobody_listens(self, index: QdrantIndex, stub: EmbedderStub) -> None:
        stub.path.unlink()
        with Stopwatch() as watch, pytest.raises(Unavailable):
            index.search(axis_vector(0), IndexFilter(1), 10, make_deadline())
        assert watch.is_within(0)
        assert not index.state().ok
        stub.path.touch()
