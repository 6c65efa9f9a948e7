"""A memory that is known before anything breaks, budgets short enough to wait for, and a question against the clock."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from memory import inference
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.platform import metrics, redis
from memory.retrieval.results import SearchRequest, SearchResult
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.conftest import Clock
from tests.doubles.faults import EmbedderStub
from tests.patience import Stopwatch

TEXT = "The lighthouse keeper paints seascapes"


@pytest.fixture
def quick(settings: Settings, set_budgets: Callable[..., None]) -> Settings:
    """Budgets short enough to wait for in a test."""
    set_budgets(hard_s=3.0, default_s=1.0, embed_s=0.45, vector_s=0.45, lexical_s=0.45, graph_s=0.3)
    return settings


@pytest.fixture
def known(user: EndUser, clock: Clock, quick: Settings, index_now: Callable[[EndUser], None]) -> EndUser:
    MemoryFacade("key:test").store(user, NewMemory(TEXT, tier=Tier.HISTORY), now=clock())
    index_now(user)
    # What a process loads at its first search is not what is timed here.
    MemoryFacade("key:test").search(user, SearchRequest("warm", deadline_s=3.0), now=clock(), remember=False)
    # Only what is asked from here on meets the fault; nothing is known from before.
    redis.call_or_default(lambda client: client.flushdb(), None)
    metrics.drop_counts()
    return user


@pytest.fixture
def embedder_at(quick: Settings) -> Iterator[Callable[[str], None]]:
    def use(url: str) -> None:
        quick.MEMORY = {**quick.MEMORY, "EMBEDDING": {**quick.MEMORY["EMBEDDING"], "url": url}}
        inference.reset_adapters()

    yield use
    inference.reset_adapters()


@pytest.fixture
def stub(tmp_path: Path, embedder_at: Callable[[str], None]) -> Iterator[EmbedderStub]:
    with EmbedderStub(tmp_path / "e.sock") as stub:
        embedder_at(stub.url)
        yield stub


def search_in_time(user: EndUser, clock: Clock, **fields: Any) -> SearchResult:
    with Stopwatch() as watch:
        result = MemoryFacade("key:test").search(user, SearchRequest("lighthouse keeper", **fields), now=clock())
    assert watch.is_within(memory_conf().deadlines.default_s)
    return result
