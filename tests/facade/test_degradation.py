"""Whatever is down, slow or wrong: the answer comes in time, from what is left, and says what was left out."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as live_settings
from pytest_django import Settings

from config.embedded import socket_path
from memory import inference, redis, resilience
from memory.admission import NewMemory
from memory.facade import MemoryFacade
from memory.indexes import fulltext, lexical_index, pgvector, vector_index
from memory.models import EndUser
from memory.resilience import BadReply, Unavailable
from memory.retrieval.search import SearchRequest
from memory.tiers import Tier
from tests.conftest import Clock
from tests.faults import EmbedderStub, FaultProxy, Stopwatch, refused

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
TEXT = "The lighthouse keeper paints seascapes"
LEEWAY_S = 0.7
"""What everything but the waiting may take on a busy machine."""
TIMES = {"hard_s": 3.0, "default_s": 1.0, "embed_s": 0.45, "vector_s": 0.45, "lexical_s": 0.45}


@pytest.fixture
def quick(settings: Settings) -> Settings:
    """Budgets short enough to wait for in a test."""
    settings.MEMORY = {**settings.MEMORY, "DEADLINES": TIMES}
    return settings


@pytest.fixture
def known(user: EndUser, clock: Clock, quick: Settings) -> EndUser:
    from memory import indexing

    memory.store(user, NewMemory(TEXT, tier=Tier.HISTORY), now=clock())
    while indexing.index_batch(user, now=clock.advance(minutes=1)):
        pass
    assert memory.index_status(user).ready == 1
    # Only what is asked from here on meets the fault; nothing is known from before.
    redis.attempt(lambda client: client.flushdb(), None)
    return user


@pytest.fixture
def embedder_at(quick: Settings) -> Iterator[Callable[[str], None]]:
    def use(url: str) -> None:
        quick.MEMORY = {**quick.MEMORY, "EMBEDDING": {**quick.MEMORY["EMBEDDING"], "url": url}}
        inference.reset()

    yield use
    inference.reset()


@pytest.fixture
def stub(tmp_path: Path, embedder_at: Callable[[str], None]) -> Iterator[EmbedderStub]:
    with EmbedderStub(tmp_path / "e.sock") as stub:
        embedder_at(stub.url)
        yield stub


def ask(user: EndUser, clock: Clock, **fields: Any) -> Any:
    with Stopwatch() as watch:
        result = memory.search(user, SearchRequest("lighthouse keeper", **fields), now=clock())
    assert watch.seconds < TIMES["default_s"] + LEEWAY_S
    return result


# --- the embedder ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("reset", "enabled"),
        ("503", "enabled"),
        ("hang", "enabled"),
        ("trickled body", "enabled"),
        ("400", "enabled"),
        ("wrong dimensions", "disabled_schema_mismatch"),
        ("nan", "disabled_schema_mismatch"),
        ("html", "disabled_schema_mismatch"),
    ],
)
def test_without_a_usable_query_vector_the_words_answer(
    known: EndUser, clock: Clock, stub: EmbedderStub, fault: str, status: str
) -> None:
    stub.behave(fault)
    result = ask(known, clock)
    assert [hit.item.text for hit in result.hits] == [TEXT]
    assert result.debug.fallbacks_used == ["embed_skipped"]
    assert result.debug.vector_stage_status == status
    [error] = result.debug.errors
    assert error["stage"] == "embed"
    assert TEXT not in str(error)


def test_without_an_embedder_at_all_the_words_answer(
    known: EndUser, clock: Clock, tmp_path: Path, embedder_at: Callable[[str], None]
) -> None:
    with refused(tmp_path / "nobody.sock") as path:
        embedder_at(f"unix://{path}")
        result = ask(known, clock)
    assert [hit.item.text for hit in result.hits] == [TEXT]
    assert result.debug.fallbacks_used == ["embed_skipped"]


def test_an_embedder_that_keeps_failing_is_not_asked_for_a_while(
    known: EndUser, clock: Clock, stub: EmbedderStub
) -> None:
    stub.behave("503")
    for _ in range(5):
        ask(known, clock)
    asked = len(stub.asked)
    result = ask(known, clock)
    assert len(stub.asked) == asked
    assert result.debug.vector_stage_status == "disabled_breaker_open"
    assert [hit.item.text for hit in result.hits] == [TEXT]


# --- the indexes -------------------------------------------------------------------------------------------------
ASLEEP = "SELECT pg_sleep(10)"


def test_when_the_nearest_vectors_are_slow_the_words_answer(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NEAREST", "NEAREST_EXACT"):
        monkeypatch.setattr(pgvector, name, ASLEEP)
    result = ask(known, clock)
    assert [hit.item.text for hit in result.hits] == [TEXT]
    assert result.debug.fallbacks_used == ["vector_skipped"]
    assert result.hits[0].explain["text_rank"] == 1


def test_when_the_words_are_slow_the_vectors_answer(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "SURVEY", ASLEEP)
    result = ask(known, clock)
    assert [hit.item.text for hit in result.hits] == [TEXT]
    assert result.debug.fallbacks_used == ["lexical_skipped"]
    assert result.debug.vector_stage_status == "enabled"
    assert result.hits[0].explain["vector_rank"] == 1


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Unavailable("vector", "connection refused"), "enabled"),
        (BadReply("vector", "the collection has 768 dimensions, the model 384"), "disabled_schema_mismatch"),
    ],
)
def test_when_the_vector_index_is_down_or_of_another_size_the_words_answer(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, error: Unavailable, status: str
) -> None:
    def fail(*asked: object) -> None:
        raise error

    monkeypatch.setattr(vector_index(), "search", fail)
    result = ask(known, clock)
    assert [hit.item.text for hit in result.hits] == [TEXT]
    assert result.debug.fallbacks_used == ["vector_skipped"]
    assert result.debug.vector_stage_status == status
    assert result.debug.errors == [{"stage": "vector", "message": error.reason, "code": type(error).__name__}]


def test_a_model_of_another_width_than_the_index_turns_the_vector_stage_off(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_index(), "dimensions", 768)
    result = ask(known, clock)
    assert [hit.item.text for hit in result.hits] == [TEXT]
    assert result.debug.vector_stage_status == "disabled_schema_mismatch"


def test_when_every_stage_fails_the_answer_is_empty_and_says_why(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, stub: EmbedderStub
) -> None:
    stub.behave("hang")
    monkeypatch.setattr(fulltext, "SURVEY", ASLEEP)
    result = ask(known, clock)
    assert result.hits == []
    assert result.debug.fallbacks_used == ["embed_skipped", "lexical_skipped"]
    assert result.debug.retrieval_confidence == "low"
    assert memory.turn(known, result.turn_id) is not None


def test_a_fault_of_our_own_is_not_hidden_as_a_fallback(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*asked: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(lexical_index(), "search", bug)
    with pytest.raises(ZeroDivisionError):
        ask(known, clock)


# --- Redis -------------------------------------------------------------------------------------------------------
@pytest.fixture(params=["refused", "hang", "reset", "trickle"])
def sick_redis(request: pytest.FixtureRequest, tmp_path: Path, known: EndUser, quick: Settings) -> Iterator[None]:
    with ExitStack() as stack:
        if request.param == "refused":
            path = stack.enter_context(refused(tmp_path / "r.sock"))
        else:
            path = tmp_path / "r.sock"
            stack.enter_context(FaultProxy(path, socket_path(live_settings.REDIS_URL) or "")).set(request.param)
        true_url = live_settings.REDIS_URL
        quick.REDIS_URL = f"unix://{path}"
        redis.reset()
        yield
        quick.REDIS_URL = true_url
        redis.reset()
        resilience.forget_breakers()


def test_without_redis_the_whole_answer_comes(known: EndUser, clock: Clock, sick_redis: None) -> None:
    result = ask(known, clock)
    assert [hit.item.text for hit in result.hits] == [TEXT]
    assert result.debug.fallbacks_used == []
    assert result.hits[0].explain["vector_rank"] == 1


def test_without_redis_a_deleted_memory_is_not_shown(known: EndUser, clock: Clock, sick_redis: None) -> None:
    [hit] = ask(known, clock).hits
    assert memory.remove(known, hit.item.pk, now=clock())
    assert ask(known, clock).hits == []


# --- the budget --------------------------------------------------------------------------------------------------
def test_a_request_may_ask_for_less_time(
    known: EndUser, clock: Clock, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub.behave("hang")
    monkeypatch.setattr(fulltext, "SURVEY", ASLEEP)
    with Stopwatch() as watch:
        memory.search(known, SearchRequest("lighthouse", deadline_s=0.1), now=clock())
    assert watch.seconds < 0.1 + LEEWAY_S


def test_no_time_at_all_leaves_every_stage_out(known: EndUser, clock: Clock) -> None:
    result = memory.search(known, SearchRequest("lighthouse", deadline_s=0.0), now=clock())
    assert result.hits == []
    assert result.debug.fallbacks_used == ["embed_skipped", "lexical_skipped"]
    assert {error["code"] for error in result.debug.errors} == {"Late"}


def test_a_context_of_a_new_thread_is_as_punctual_as_a_search(
    known: EndUser, clock: Clock, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub.behave("hang")
    monkeypatch.setattr(fulltext, "SURVEY", ASLEEP)
    with Stopwatch() as watch:
        context = memory.context(known, "lighthouse", now=clock(), thread_id="new")
    assert watch.seconds < TIMES["default_s"] + LEEWAY_S
    assert context.meta["debug"]["fallbacks_used"] == ["embed_skipped", "lexical_skipped"]


def test_a_bank_item_is_stored_without_embedder_and_vectors(known: EndUser, clock: Clock, stub: EmbedderStub) -> None:
    stub.behave("hang")
    new = NewMemory("Plays the cello", tier=Tier.MEMORY_BANK, tags=["identity"])
    with Stopwatch() as watch:
        twin = memory.twin_of(known, new, resilience.Deadline(TIMES["default_s"]))
        assert memory.store(known, new, now=clock(), similar_to=twin).duplicate_of is None
    assert twin is None
    assert watch.seconds < TIMES["default_s"] + LEEWAY_S
