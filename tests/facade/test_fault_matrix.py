"""Each part of a search down, slow, or answering nonsense: an answer in time, named and counted as what it is."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.conf import settings as live_settings
from pytest_django import Settings

import knowledge_graph.advising
from config.embedded import socket_path
from memory import inference, metrics, redis, resilience
from memory.admission import NewMemory
from memory.facade import MemoryFacade
from memory.indexes import fulltext, lexical_index, pgvector, vector_index
from memory.metrics import Series
from memory.models import EndUser
from memory.resilience import BadReply, Unavailable
from memory.retrieval import advising
from memory.tiers import Tier
from tests.conftest import Clock
from tests.facade.conftest import TEXT, TIMES, ask
from tests.faults import EmbedderStub, FaultProxy, refused
from tests.model_services import RerankerStub

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
OTHERS = [f"The lighthouse keeper counts boat number {number}" for number in range(3)]
ASLEEP = "SELECT pg_sleep(10)"
MISMATCH = "disabled_schema_mismatch"


@dataclass
class Bench:
    """What a fault is made with; everything is put back when the test ends."""

    stack: ExitStack
    patch: pytest.MonkeyPatch
    settings: Settings
    directory: Path

    def embedder(self, url: str) -> None:
        self.settings.MEMORY = {**self.settings.MEMORY, "EMBEDDING": {**self.settings.MEMORY["EMBEDDING"], "url": url}}
        inference.reset()

    def reranker(self, url: str) -> None:
        conf = {"url": url, "timeout_s": 0.45}
        self.settings.MEMORY = {**self.settings.MEMORY, "RERANKER": conf}
        inference.reset()

    def redis(self, path: Path) -> None:
        self.stack.callback(redis.reset)
        self.stack.callback(setattr, self.settings, "REDIS_URL", live_settings.REDIS_URL)
        self.settings.REDIS_URL = f"unix://{path}"
        redis.reset()

    @property
    def nobody(self) -> Path:
        return self.stack.enter_context(refused(self.directory / "nobody.sock"))

    @property
    def socket(self) -> Path:
        return self.directory / "s.sock"


Break = Callable[[Bench], None]


def nobody_embeds(bench: Bench) -> None:
    bench.embedder(f"unix://{bench.nobody}")


def embedder_is(fault: str) -> Break:
    def break_it(bench: Bench) -> None:
        stub = bench.stack.enter_context(EmbedderStub(bench.socket))
        stub.behave(fault)
        bench.embedder(stub.url)

    return break_it


def nobody_reranks(bench: Bench) -> None:
    bench.reranker(f"unix://{bench.nobody}")


def reranker_is(fault: str) -> Break:
    def break_it(bench: Bench) -> None:
        stub = bench.stack.enter_context(RerankerStub(bench.socket))
        stub.behave(fault)
        bench.reranker(stub.url)

    return break_it


def vectors_raise(error: Unavailable) -> Break:
    def fail(*asked: object) -> None:
        raise error

    return lambda bench: bench.patch.setattr(vector_index(), "search", fail)


def vectors_sleep(bench: Bench) -> None:
    for name in ("NEAREST", "NEAREST_EXACT"):
        bench.patch.setattr(pgvector, name, ASLEEP)


def index_is_wider(bench: Bench) -> None:
    bench.patch.setattr(vector_index(), "dimensions", 768)


def words_raise(bench: Bench) -> None:
    def fail(*asked: object) -> None:
        raise Unavailable("lexical", "connection refused")

    bench.patch.setattr(lexical_index(), "search", fail)


def words_sleep(bench: Bench) -> None:
    bench.patch.setattr(fulltext, "SURVEY", ASLEEP)


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


def graph_is(answer: Callable[..., object]) -> Break:
    return lambda bench: bench.patch.setattr(advising, "adviser", lambda path: answer)


def no_graph(*asked: object) -> None:
    raise Unavailable("graph", "connection refused")


def graphs_sleep(bench: Bench) -> None:
    bench.patch.setattr(knowledge_graph.advising, "WHAT_IS_KNOWN", ASLEEP)


def graphs_table_is_gone(bench: Bench) -> None:
    bench.patch.setattr(knowledge_graph.advising, "WHAT_IS_KNOWN", "SELECT * FROM nowhere")


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
    ("vector", "down", vectors_raise(Unavailable("vector", "connection refused")), "vector", "enabled"),
    ("vector", "slow", vectors_sleep, "vector", "enabled"),
    ("vector", "wrong shape", vectors_raise(BadReply("vector", "a distance is not a number")), "vector", MISMATCH),
    ("vector", "wrong dimensions", index_is_wider, "vector", MISMATCH),
    ("lexical", "down", words_raise, "lexical", "enabled"),
    ("lexical", "slow", words_sleep, "lexical", "enabled"),
    ("graph", "down", graph_is(no_graph), "graph", "enabled"),
    ("graph", "slow", graphs_sleep, "graph", "enabled"),
    ("graph", "wrong shape: text", graph_is(lambda *asked: "working"), "graph", "enabled"),
    ("graph", "wrong shape: no table", graphs_table_is_gone, "graph", "enabled"),
    ("reranker", "down: nobody", nobody_reranks, "rerank", "enabled"),
    ("reranker", "down: 503", reranker_is("503"), "rerank", "enabled"),
    ("reranker", "slow", reranker_is("hang"), "rerank", "enabled"),
    ("reranker", "wrong shape", reranker_is("score nan"), "rerank", "enabled"),
    ("reranker", "wrong count", reranker_is("one fewer"), "rerank", "enabled"),
    ("redis", "down: nobody", nobody_caches, "", "enabled"),
    ("redis", "down: reset", redis_is("reset"), "", "enabled"),
    ("redis", "slow: silent", redis_is("hang"), "", "enabled"),
    ("redis", "slow: trickle", redis_is("trickle"), "", "enabled"),
    ("redis", "wrong shape", redis_speaks_http, "", "enabled"),
]


@pytest.fixture
def bench(quick: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    with ExitStack() as stack:
        yield Bench(stack, monkeypatch, quick, tmp_path)
    inference.reset()
    resilience.forget_breakers()
    metrics.forget()


@pytest.mark.parametrize(
    ("part", "break_it", "stage", "vectors"),
    [pytest.param(part, *rest, id=f"{part} {state}") for part, state, *rest in MATRIX],
)
def test_the_answer_comes_in_time_and_says_what_was_left_out(
    known: EndUser,
    clock: Clock,
    bench: Bench,
    index_now: Callable[[EndUser], None],
    part: str,
    break_it: Break,
    stage: str,
    vectors: str,
) -> None:
    memory.store_many(known, [NewMemory(text, tier=Tier.HISTORY) for text in OTHERS], now=clock())
    index_now(known)
    redis.attempt(lambda client: client.flushdb(), None)
    metrics.forget()
    break_it(bench)
    # One place for four candidates: the reranker, where there is one, is asked.
    result = ask(known, clock, limit=1)
    [hit] = result.hits
    assert hit.item.text in (TEXT, *OTHERS)
    assert (hit.explain["vector_rank"] is None) is (stage in {"embed", "vector"})
    assert (hit.explain["text_rank"] is None) is (stage == "lexical")
    assert result.debug.fallbacks_used == ([f"{stage}_skipped"] if stage else [])
    assert [error["stage"] for error in result.debug.errors] == ([stage] if stage else [])
    assert result.debug.vector_stage_status == vectors
    assert "lighthouse" not in str(result.debug.errors)
    assert all(ms < TIMES["default_s"] * 1000 for name, ms in result.debug.stage_timings_ms.items() if name == stage)
    bench.stack.close()
    metrics.carry()
    counted = metrics.totals()
    assert counted[Series("searches", result.debug.retrieval_confidence)] == 1
    assert {one.label: number for one, number in counted.items() if one.metric == "fallbacks"} == (
        {stage: 1.0} if stage else {}
    )
