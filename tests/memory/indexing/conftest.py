"""Two users whose memories lie in an index of either engine: what is rebuilt and what is compared."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from pytest_django import Settings

from memory import indexes
from memory.indexing import rebuild
from memory.models import EndUser
from tests.doubles.qdrant_server import QdrantStandIn
from tests.memory.indexing.index_contents import store_memories

IndexNow = Callable[[EndUser], None]


@pytest.fixture
def ann(user: EndUser, index_now: IndexNow) -> EndUser:
    store_memories(user, 20)
    index_now(user)
    return user


@pytest.fixture
def ben(other_user: EndUser, index_now: IndexNow) -> EndUser:
    store_memories(other_user, 5)
    index_now(other_user)
    return other_user


@pytest.fixture(params=["pgvector", "qdrant"])
def qdrant(request: pytest.FixtureRequest, services: object, settings: Settings) -> Iterator[QdrantStandIn | None]:
    """The server that the test's vectors lie in; None where they lie in pgvector."""
    with ExitStack() as stack:
        server = stack.enter_context(QdrantStandIn()) if request.param == "qdrant" else None
        vector = {"backend": request.param, "qdrant_url": server.url if server else ""}
        settings.MEMORY = {**settings.MEMORY, "VECTOR": {**settings.MEMORY["VECTOR"], **vector}}
        indexes.reset_indexes()
        yield server
        indexes.reset_indexes()


@pytest.fixture
def quick(qdrant: QdrantStandIn | None, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuilding in small batches, with nobody to make room for."""
    settings.MEMORY = {**settings.MEMORY, "REINDEX": {"rows_per_s": 0, "keep_hours": 2}}
    monkeypatch.setattr(rebuild, "BATCH", 8)
    monkeypatch.setattr(rebuild, "PAGE", 8)
