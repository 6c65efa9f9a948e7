"""Each part of a search down, slow, or answering nonsense: an answer in time, named and counted as what it is."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from math import nan
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings as live_settings
from pytest_django import Settings
from qdrant_client.models import CreateAlias, CreateAliasOperation, Distance, VectorParams

import knowledge_graph.advice.routing
from memory import indexes, inference
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.indexes import fulltext, lexical_index, pgvector, vector_index
from memory.indexes.qdrant import ALIAS_SUFFIX
from memory.models import EndUser, MemoryItem, VectorCollection
from memory.platform import breakers, metrics, redis
from memory.platform.faults import Unavailable
from memory.retrieval import advice
from memory.retrieval.advice import SearchAdvice
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.doubles.faults import EmbedderStub, FaultProxy, refusing_socket, socket_path
from tests.doubles.model_services import RerankerStub
from tests.doubles.qdrant_server import QdrantStandIn
from tests.memory.retrieval.conftest import TEXT
from tests.patience import Stopwatch, slowness

pytestmark = pytest.mark.usefixtures("services")

OTHERS = [f"The lighthouse keeper counts boat number {number}" for number in range(3)]
QUESTION = "lighthouse keeper"
ASLEEP = "SELECT pg_sleep(120)"
GONE = "SELECT * FROM nowhere"
RAGGED = "SELECT array_cat(ARRAY[[1, 2]], ARRAY[[3]])"
UNEQUAL = "SELECT '[1, 2]'::vector <-> '[3]'::vector"
MISMATCH = "disabled_schema_mismatch"


@dataclass
class Bench:
    """What a fault is made with; everything is put back when the test ends."""

    stack: ExitStack
    patch: pytest.MonkeyPatch
    settings: Settings
    directory: Path
    qdrant: QdrantStandIn | None

    def configure(self, part: str, **values: object) -> None:
        self.settings.MEMORY = {**self.settings.MEMORY, part: {**self.settings.MEMORY[part], **values}}
        inference.reset_adapters()

    def redis(self, path: Path) -> None:
        self.stack.callback(redis.reset_clients)
        self.stack.callback(setattr, self.settings, "REDIS_URL", live_settings.REDIS_URL)
        self.settings.REDIS_URL = f"unix://{path}"
        redis.reset_clients()

    @property
    def nobody(self) -> Path:
        return self.stack.enter_context(refusing_socket(self.directory / "nobody.sock"))

    @property
    def socket(self) -> Path:
        return self.directory / "s.sock"


Break = Callable[[Bench], None]


# --- models -------------------------------------------------------------------------------------------------------
def nobody_embeds(bench: Bench) -> None:
    bench.configure("EMBEDDING", url=f"unix://{bench.nobody}")


def embedder_is(fault: str) -> Break:
    def break_it(bench: Bench) -> None:
        stub = bench.stack.enter_context(EmbedderStub(bench.socket))
        stub.behave(fault)
        bench.configure("EMBEDDING", url=stub.url)

    return break_it


def nobody_reranks(bench: Bench) -> None:
    bench.configure("RERANKER", url=f"unix://{bench.nobody}", timeout_s=0.45 * slowness())


def reranker_is(fault: str) -> Break:
    def break_it(bench: Bench) -> None:
        stub = bench.stack.enter_context(RerankerStub(bench.socket))
        stub.behave(fault)
        bench.configure("RERANKER", url=stub.url, timeout_s=0.45 * slowness())

    return break_it


# --- indexes ------------------------------------------------------------------------------------------------------
def nearest_is(statement: str) -> Break:
    def break_it(bench: Bench) -> None:
        for name in ("NEAREST", "NEAREST_EXACT"):
            bench.patch.setattr(pgvector, name, statement)

    return break_it


def vectors_refuse(bench: Bench) -> None:
    """As when the pool of connections is exhausted: Postgres is there for the rest of the search."""

    def fail(*asked: object, **how: object) -> None:
        raise Unavailable("vector", "connection refused")

    bench.patch.setattr(vector_index(), "search", fail)


def index_is_of_another_model(bench: Bench) -> None:
    VectorCollection.objects.update(dimensions=768)
    vector_index().registry.invalidate()


def nobody_keeps_points(bench: Bench) -> None:
    bench.configure("VECTOR", qdrant_url="http://127.0.0.1:1")
    indexes.reset_indexes()


def qdrant_is(fault: str) -> Break:
    def break_it(bench: Bench) -> None:
        assert bench.qdrant is not None
        bench.qdrant.behave(fault)

    return break_it


def qdrant_holds_wider_points(bench: Bench) -> None:
    """Somebody made the collection again for another model, and nobody told us."""
    assert bench.qdrant is not None
    client, name = bench.qdrant.kept.client, memory_conf().vector.collection
    client.delete_collection(name)
    client.create_collection(name, vectors_config=VectorParams(size=768, distance=Distance.EUCLID))
    alias = CreateAlias(collection_name=name, alias_name=name + ALIAS_SUFFIX)
    client.update_collection_aliases([CreateAliasOperation(create_alias=alias)])


def words_refuse(bench: Bench) -> None:
    def fail(*asked: object) -> None:
        raise Unavailable("lexical", "connection refused")

    bench.patch.setattr(lexical_index(), "search", fail)


def words_are(statement: str) -> Break:
    return lambda bench: bench.patch.setattr(fulltext, "SURVEY", statement)


# --- Redis and the graphs -----------------------------------------------------------------------------------------
def nobody_caches(bench: Bench) -> None:
    bench.redis(bench.nobody)


def redis_is(mode: str) -> Break:
    def break_it(bench: Bench) -> None:
        proxy = FaultProxy(bench.socket, socket_path(live_settings.REDIS_URL) or "")
        bench.stack.enter_context(proxy).set(mode)
        bench.redis(bench.socket)

    return break_it


def redis_speaks_http(bench: Bench) -> None:
    bench.stack.enter_context(EmbedderStub(bench.socket))
    bench.redis(bench.socket)


def redis_keeps_wider_vectors(bench: Bench) -> None:
    bench.configure("RANKING", tokens=False)
    inference.embedder().remember_query(QUESTION, np.full(768, 768**-0.5, np.float32))


def graph_is(answer: Callable[..., object]) -> Break:
    return lambda bench: bench.patch.setattr(advice, "load_adviser", lambda path: answer)


def no_graph(*asked: object) -> None:
    raise Unavailable("graph", "connection refused")


def boundless(user: EndUser, *asked: object) -> SearchAdvice:
    with user_scope(user):
        ids = MemoryItem.objects.for_user(user).values_list("pk", flat=True)
        return SearchAdvice(boosts={"routing": dict.fromkeys(ids, nan)})


def graphs_are(statement: str) -> Break:
    return lambda bench: bench.patch.setattr(knowledge_graph.advice.routing, "ADVICE_STATEMENT", statement)


# part, its state, how it comes about, the stage that is left out, what is said of the vectors
MATRIX: list[tuple[str, str, Break, str, str]] = [
    ("embedder", "down: nobody", nobody_embeds, "embed", "enabled"),
    ("embedder", "down: reset", embedder_is("reset"), "embed", "enabled"),
    ("embedder", "down: 503", embedder_is("503"), "embed", "enabled"),
    ("embedder", "down: 400", embedder_is("400"), "embed", "enabled"),
    ("embedder", "slow: silent", embedder_is("hang"), "embed", "enabled"),
    ("embedder", "slow: trickle", embedder_is("trickled body"), "embed", "enabled"),
    ("embedder", "wrong shape: page", embedder_is("html"), "embed", MISMATCH),
    ("embedder", "wrong shape: nan", embedder_is("nan"), "embed", MISMATCH),
    ("embedder", "wrong dimensions", embedder_is("wrong dimensions"), "embed", MISMATCH),
    ("pgvector", "down", vectors_refuse, "vector", "enabled"),
    ("pgvector", "slow", nearest_is(ASLEEP), "vector", "enabled"),
    ("pgvector", "wrong shape: no table", nearest_is(GONE), "vector", MISMATCH),
    ("pgvector", "wrong dimensions: model", index_is_of_another_model, "vector", MISMATCH),
    ("pgvector", "wrong dimensions: rows", nearest_is(UNEQUAL), "vector", "enabled"),
    ("qdrant", "down: nobody", nobody_keeps_points, "vector", "enabled"),
    ("qdrant", "down: reset", qdrant_is("reset"), "vector", "enabled"),
    ("qdrant", "down: 503", qdrant_is("503"), "vector", "enabled"),
    ("qdrant", "slow: silent", qdrant_is("hang"), "vector", "enabled"),
    ("qdrant", "slow: trickle", qdrant_is("trickled headers"), "vector", "enabled"),
    ("qdrant", "wrong shape: page", qdrant_is("html"), "vector", MISMATCH),
    ("qdrant", "wrong shape: no payload", qdrant_is("points without payload"), "vector", MISMATCH),
    ("qdrant", "wrong shape: nan", qdrant_is("scores that are no number"), "vector", MISMATCH),
    ("qdrant", "wrong dimensions: model", index_is_of_another_model, "vector", MISMATCH),
    ("qdrant", "wrong dimensions: points", qdrant_holds_wider_points, "vector", MISMATCH),
    ("lexical", "down", words_refuse, "lexical", "enabled"),
    ("lexical", "slow", words_are(ASLEEP), "lexical", "enabled"),
    ("lexical", "wrong shape: no table", words_are(GONE), "lexical", "enabled"),
    ("lexical", "wrong dimensions", words_are(RAGGED), "lexical", "enabled"),
    ("graph", "down", graph_is(no_graph), "graph", "enabled"),
    ("graph", "slow", graphs_are(ASLEEP), "graph", "enabled"),
    ("graph", "wrong shape: text", graph_is(lambda *asked: "working"), "graph", "enabled"),
    ("graph", "wrong shape: no table", graphs_are(GONE), "graph", "enabled"),
    ("graph", "wrong dimensions: nan", graph_is(boundless), "graph", "enabled"),
    ("reranker", "down: nobody", nobody_reranks, "rerank", "enabled"),
    ("reranker", "down: 503", reranker_is("503"), "rerank", "enabled"),
    ("reranker", "slow", reranker_is("hang"), "rerank", "enabled"),
    ("reranker", "wrong shape", reranker_is("score nan"), "rerank", "enabled"),
    ("reranker", "wrong dimensions", reranker_is("one fewer"), "rerank", "enabled"),
    ("redis", "down: nobody", nobody_caches, "", "enabled"),
    ("redis", "down: reset", redis_is("reset"), "", "enabled"),
    ("redis", "slow: silent", redis_is("hang"), "", "enabled"),
    ("redis", "slow: trickle", redis_is("trickle"), "", "enabled"),
    ("redis", "wrong shape", redis_speaks_http, "", "enabled"),
    ("redis", "wrong dimensions", redis_keeps_wider_vectors, "", "enabled"),
]
PARTS = ("embedder", "pgvector", "qdrant", "lexical", "reranker", "graph", "redis")
STATES = ("down", "slow", "wrong shape", "wrong dimensions")


def test_every_part_is_looked_at_in_every_state() -> None:
    assert {(part, state.partition(":")[0]) for part, state, *_ in MATRIX} == set(product(PARTS, STATES))


# Only who is waited for needs a short budget: with one second for all, a machine that stood still for that long
# left out stages that were well.
UNHURRIED = {"hard_s": 6.0, "default_s": 5.0, "embed_s": 2.0, "vector_s": 2.0, "lexical_s": 2.0, "graph_s": 2.0}


@pytest.fixture
def bench(
    quick: Settings,
    set_budgets: Callable[..., None],
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    part: str,
    stage: str,
) -> Iterator[Bench]:
    is_waited_for = stage and f"{part} slow" in request.node.name
    set_budgets(**({"default_s": 2.0} if is_waited_for else UNHURRIED))
    with ExitStack() as stack:
        server = stack.enter_context(QdrantStandIn()) if part == "qdrant" else None
        bench = Bench(stack, monkeypatch, quick, tmp_path, server)
        if server:
            bench.configure("VECTOR", backend="qdrant", qdrant_url=server.url)
        indexes.reset_indexes()
        yield bench
        indexes.reset_indexes()
    inference.reset_adapters()
    breakers.reset_breakers()
    metrics.drop_counts()


@pytest.mark.parametrize(
    ("part", "break_it", "stage", "vectors"),
    [pytest.param(part, *rest, id=f"{part} {state}") for part, state, *rest in MATRIX],
)
def test_the_answer_comes_in_time_and_says_what_was_left_out(
    bench: Bench,
    known: EndUser,
    api: ApiClient,
    clock: Clock,
    index_now: Callable[[EndUser], None],
    break_it: Break,
    stage: str,
    vectors: str,
) -> None:
    memory = MemoryFacade("key:test")
    memory.store_many(known, [NewMemory(text, tier=Tier.HISTORY) for text in OTHERS], now=clock())
    index_now(known)
    # One place for four candidates: the reranker, where there is one, is asked.
    question = {"query": QUESTION, "limit": 1, "explain": True}
    whole = api.post("search", question).json()
    assert whole["debug"]["fallbacks_used"] == []
    assert None not in {whole["results"][0]["explain"][rank] for rank in ("vector_rank", "text_rank")}
    redis.call_or_raise(lambda client: client.flushdb(), redis.BACKGROUND_TIMEOUT_S)
    metrics.drop_counts()
    break_it(bench)
    with Stopwatch() as watch:
        answer = api.post("search", question)
    default_s = memory_conf().deadlines.default_s
    assert watch.is_within(default_s)
    assert answer.status_code == 200, answer.content
    [hit] = answer.json()["results"]
    debug = answer.json()["debug"]
    assert hit["content"] in (TEXT, *OTHERS)
    assert (hit["explain"]["vector_rank"] is None) is (stage in {"embed", "vector"})
    assert (hit["explain"]["text_rank"] is None) is (stage == "lexical")
    assert debug["fallbacks_used"] == ([f"{stage}_skipped"] if stage else [])
    assert [error["stage"] for error in debug["errors"]] == ([stage] if stage else [])
    assert debug["vector_stage_status"] == vectors
    assert "lighthouse" not in str(debug["errors"])
    assert all(ms < default_s * 1000 for name, ms in debug["stage_timings_ms"].items() if name == stage)
    bench.stack.close()
    assert counted("searches") == {debug["retrieval_confidence"]: 1.0}
    assert counted("fallbacks") == ({stage: 1.0} if stage else {})


def counted(metric: str) -> dict[str, float]:
    metrics.flush_counts()
    return {one.label: number for one, number in metrics.read_totals().items() if one.metric == metric}
