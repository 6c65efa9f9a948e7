"""The Qdrant adapter over HTTP, against a stand-in that takes only what the server's schema allows."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
from pytest_django import Settings
from qdrant_client import QdrantClient
from qdrant_client.http.exceptions import UnexpectedResponse
from qdrant_client.models import PayloadSchemaType

from memory.conf import memory_conf
from memory.indexes.base import IndexFilter, VectorPoint
from memory.indexes.qdrant import QdrantEngine, QdrantIndex
from memory.models import EndUser
from memory.platform.faults import BadReply, Unavailable
from tests.doubles.qdrant_server import QdrantStandIn
from tests.memory.indexes import test_qdrant as local
from tests.memory.indexes.vector_index_contract import DIMENSIONS, axis_vector, make_deadline


@pytest.fixture
def server(services: object) -> Iterator[QdrantStandIn]:
    with QdrantStandIn() as server:
        yield server


@pytest.fixture
def engine(server: QdrantStandIn, settings: Settings) -> Iterator[QdrantEngine]:
    """As the settings make it."""
    settings.MEMORY = {**settings.MEMORY, "VECTOR": {**settings.MEMORY["VECTOR"], "qdrant_url": server.url}}
    engine = QdrantEngine.from_conf(memory_conf())
    yield engine
    engine.close()


class TestQdrantOverHttp(local.TestQdrantLocal):
    @pytest.fixture
    def engine(self, engine: QdrantEngine) -> QdrantEngine:
        return engine

    @pytest.fixture
    def client(self, engine: QdrantEngine) -> QdrantClient:
        return engine._client

    def test_the_collection_keeps_its_users_apart(self, server: QdrantStandIn, index: QdrantIndex) -> None:
        [created] = [one.body for one in server.asked if "hnsw_config" in one.body]
        assert created == {"vectors": {"size": 384, "distance": "Euclid"}, "hnsw_config": {"m": 0, "payload_m": 16}}
        assert server.kept.payload_indexes["test"] == {
            "user_id": {"type": "keyword", "is_tenant": True},
            "tier": {"type": "keyword"},
            "status": {"type": "keyword"},
            "agent_id": {"type": "keyword"},
            "project_id": {"type": "keyword"},
        }

    def test_a_collection_whose_making_was_cut_off_is_made_whole(
        self, server: QdrantStandIn, engine: QdrantEngine
    ) -> None:
        """Without the index of users it would have no graph at all, and read everybody's points for each search."""
        server.behave("none", "none", "none", "none", "503")
        index = engine.open("test", DIMENSIONS)
        with pytest.raises(Unavailable):
            index.ensure()
        assert set(server.kept.payload_indexes["test"]) == {"user_id"}
        server.behave("none")
        index.ensure()
        assert set(server.kept.payload_indexes["test"]) == {
            "user_id", "tier", "status", "agent_id", "project_id"
        }  # fmt: skip
        asked = len(server.asked)
        index.ensure()
        assert len(server.asked) == asked + 1, "a whole one is only looked at"

    def test_a_search_says_how_broad_and_how_long_it_may_be(
        self, server: QdrantStandIn, index: QdrantIndex, user: EndUser
    ) -> None:
        self.found(index, IndexFilter(user.pk))
        assert server.asked[-1].path == "/collections/test/points/query?timeout=100"
        assert server.asked[-1].body["params"] == {"hnsw_ef": 128}

    @pytest.mark.parametrize(
        "fault",
        ["no result", "points without payload", "points without score", "scores of text", "scores that are no number",
         "a list of lists"],
    )  # fmt: skip
    def test_a_reply_of_another_form_is_a_bad_reply_whatever_is_wrong_with_it(
        self, server: QdrantStandIn, index: QdrantIndex, user: EndUser, fault: str
    ) -> None:
        index.upsert([VectorPoint(uuid4(), user.pk, "working", "active", axis_vector(0), "hash")], make_deadline())
        server.behave(fault)
        with pytest.raises(BadReply):
            index.search(axis_vector(0), IndexFilter(user.pk), 10, make_deadline())


class TestStandIn:
    """It refuses what the server would, so that what it takes tells something."""

    @pytest.mark.parametrize(
        ("call", "path", "body"),
        [
            ("POST", "/collections/test/points/query", '{"query": [1, 2], "colour": "red"}'),
            ("POST", "/collections/test/points/query", '{"query": [1, NaN]}'),
            ("POST", "/collections/test/points/query?timeout=0", '{"query": [1, 2]}'),
            ("POST", "/collections/test/points/query?deadline=1", '{"query": [1, 2]}'),
            ("POST", "/collections/test/points/scroll", '{"limit": 0}'),
            ("POST", "/collections/test/points/delete", '{"filter": {"must": [{"tier": "books"}]}}'),
            ("PUT", "/collections/test/points", '{"points": [{"id": "no uuid", "vector": [1]}]}'),
            ("PUT", "/collections/test/points?wait=yes", '{"points": []}'),
            ("POST", "/collections/test/points/payload", '{"payload": {"tier": "x"}}'),
            ("PUT", "/collections/test", '{"vectors": {"size": 4, "distance": "Euclidean"}}'),
            ("GET", "/collections/other", ""),
            ("POST", "/collections/test/points/recommend", "{}"),
        ],
    )
    def test_what_is_not_of_the_schema_is_refused(
        self, server: QdrantStandIn, engine: QdrantEngine, call: str, path: str, body: str
    ) -> None:
        engine.open("test", DIMENSIONS).ensure()
        http = engine._client._client.openapi_client.client._client  # type: ignore[attr-defined]
        reply = http.request(call, server.url + path, content=body, headers={"content-type": "application/json"})
        assert reply.status_code in {400, 404, 422}, reply.text

    def test_an_index_of_another_kind_is_none_it_knows(self, server: QdrantStandIn, engine: QdrantEngine) -> None:
        engine.open("test", DIMENSIONS).ensure()
        with pytest.raises(UnexpectedResponse, match="400"):
            engine._client.create_payload_index("test", "text", field_schema=PayloadSchemaType.TEXT)
        assert "text" not in server.kept.payload_indexes["test"]
