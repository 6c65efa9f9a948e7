"""When much or all of it fails, and for how long: the rest of what the fault matrix asks part by part."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Never

import pytest
from django.conf import settings as live_settings
from django.db import connection
from pytest_django import Settings

from knowledge_graph.hotmem import beside
from memory.conf import memory_conf
from memory.facade import MemoryFacade
from memory.facts import streaming
from memory.indexes import fulltext, lexical_index
from memory.models import EndUser
from memory.platform import breakers, deadline, redis
from memory.retrieval import turns
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Tier
from outcomes.exchanges import digests
from tests.conftest import Clock
from tests.doubles.faults import EmbedderStub, FaultProxy, refusing_socket, socket_path
from tests.memory.retrieval.conftest import TEXT, search_in_time
from tests.patience import Stopwatch
from tests.rows import find_turn

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")
ASLEEP = "SELECT pg_sleep(120)"
BESIDE = {"hot": (beside, "find_hot_facts"), "stream": (streaming, "read_stream"), "digest": (digests, "find_digest")}
FULL_DISK = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"


# --- a part, or all of them --------------------------------------------------------------------------------------
def test_an_embedder_that_keeps_failing_is_not_asked_for_a_while(
    known: EndUser, clock: Clock, stub: EmbedderStub
) -> None:
    stub.behave("503")
    for _ in range(8):
        result = search_in_time(known, clock)
    assert len(stub.asked) == 5
    assert result.debug.vector_stage_status == "disabled_breaker_open"
    assert [hit.item.text for hit in result.hits] == [TEXT]


def test_when_every_stage_fails_the_answer_is_empty_and_says_why(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, stub: EmbedderStub
) -> None:
    stub.behave("hang")
    monkeypatch.setattr(fulltext, "SURVEY", ASLEEP)
    result = search_in_time(known, clock)
    assert result.hits == []
    assert result.debug.fallbacks_used == ["embed_skipped", "lexical_skipped"]
    assert result.debug.retrieval_confidence == "low"
    assert find_turn(known, result.turn_id) is not None


def test_a_fault_of_our_own_is_not_hidden_as_a_fallback(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def bug(*asked: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(lexical_index(), "search", bug)
    with pytest.raises(ZeroDivisionError):
        search_in_time(known, clock)


# --- Redis -------------------------------------------------------------------------------------------------------
@pytest.fixture(params=["refused", "hang", "reset", "trickle"])
def sick_redis(request: pytest.FixtureRequest, tmp_path: Path, known: EndUser, quick: Settings) -> Iterator[None]:
    with ExitStack() as stack:
        if request.param == "refused":
            path = stack.enter_context(refusing_socket(tmp_path / "r.sock"))
        else:
            path = tmp_path / "r.sock"
            stack.enter_context(FaultProxy(path, socket_path(live_settings.REDIS_URL) or "")).set(request.param)
        true_url = live_settings.REDIS_URL
        quick.REDIS_URL = f"unix://{path}"
        redis.reset_clients()
        yield
        quick.REDIS_URL = true_url
        redis.reset_clients()
        breakers.reset_breakers()


def test_without_redis_a_deleted_memory_is_not_shown(known: EndUser, clock: Clock, sick_redis: None) -> None:
    [hit] = search_in_time(known, clock).hits
    assert memory.remove(known, hit.item.pk, now=clock())
    assert search_in_time(known, clock).hits == []


# --- the budget --------------------------------------------------------------------------------------------------
def test_a_request_may_ask_for_less_time(
    known: EndUser, clock: Clock, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub.behave("hang")
    monkeypatch.setattr(fulltext, "SURVEY", ASLEEP)
    with Stopwatch() as watch:
        memory.search(known, SearchRequest("lighthouse", deadline_s=0.1), now=clock())
    assert watch.is_within(0.1)


def test_no_time_at_all_leaves_every_stage_out(known: EndUser, clock: Clock) -> None:
    result = memory.search(known, SearchRequest("lighthouse", deadline_s=0.0), now=clock())
    assert result.hits == []
    assert result.debug.fallbacks_used == ["graph_skipped", "embed_skipped", "lexical_skipped"]
    assert {error["code"] for error in result.debug.errors} == {"Late"}


def test_a_context_of_a_new_thread_is_as_punctual_as_a_search(
    known: EndUser, clock: Clock, stub: EmbedderStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    stub.behave("hang")
    monkeypatch.setattr(fulltext, "SURVEY", ASLEEP)
    with Stopwatch() as watch:
        context = memory.compose_context(known, "lighthouse", now=clock(), thread_id="new")
    assert watch.is_within(memory_conf().deadlines.default_s)
    assert context.meta["debug"]["fallbacks_used"] == ["embed_skipped", "lexical_skipped"]


@pytest.mark.parametrize("stage", ["hot", "stream", "digest"])
@pytest.mark.parametrize("fault", [ASLEEP, FULL_DISK])
def test_what_stands_beside_a_context_is_named_where_it_is_late_or_fails(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, stage: str, fault: str
) -> None:
    def fail(*asked: object, **more: object) -> Never:
        with connection.cursor() as cursor:
            cursor.execute(fault)
        raise AssertionError

    place, name = BESIDE[stage]
    monkeypatch.setattr(place, name, fail)
    monkeypatch.setattr(streaming, "is_streaming_for", lambda user: True)
    monkeypatch.setattr(digests, "are_asked_for", lambda: True)
    with Stopwatch() as watch:
        context = memory.compose_context(known, "lighthouse", now=clock(), thread_id="new")
    assert watch.is_within(memory_conf().deadlines.default_s)
    assert context.meta["debug"]["fallbacks_used"] == [f"{stage}_skipped"]
    assert [error["stage"] for error in context.meta["debug"]["errors"]] == [stage]
    assert TEXT in context.injection


def test_a_context_without_time_is_empty_and_names_every_part(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch, set_budgets: Callable[..., None]
) -> None:
    set_budgets(default_s=0.0)
    context = memory.compose_context(known, "lighthouse", now=clock(), thread_id="new")
    skipped = {"insights_skipped", "hot_skipped", "stream_skipped", "digest_skipped", "embed_skipped"}
    assert skipped <= set(context.meta["debug"]["fallbacks_used"])
    assert {error["code"] for error in context.meta["debug"]["errors"]} == {"Late"}


def test_a_bank_item_is_stored_without_embedder_and_vectors(known: EndUser, clock: Clock, stub: EmbedderStub) -> None:
    stub.behave("hang")
    new = NewMemory("Plays the cello", tier=Tier.MEMORY_BANK, tags=["identity"])
    with Stopwatch() as watch:
        twin = memory.find_duplicate(known, new, deadline.Deadline(memory_conf().deadlines.default_s))
        assert memory.store(known, new, now=clock(), similar_to=twin).duplicate_of is None
    assert twin is None
    assert watch.is_within(memory_conf().deadlines.default_s)


# --- a database that takes no writes ----------------------------------------------------------------------------
def test_a_search_on_a_full_disk_is_answered_and_its_turn_not_kept(
    known: EndUser, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "KEEP_TURN", FULL_DISK)
    result = search_in_time(known, clock)
    assert [hit.item.text for hit in result.hits] == [TEXT]
    assert result.debug.fallbacks_used == ["remember_skipped"]
    assert find_turn(known, result.turn_id) is None
    monkeypatch.undo()
    kept = search_in_time(known, clock)
    assert kept.debug.fallbacks_used == []
    assert find_turn(known, kept.turn_id) is not None
