"""What the graphs change about a search: what they speak for, what they say of it, and a search without them."""

from collections.abc import Callable
from typing import Any

import pytest
from pytest_django import Settings

from knowledge_graph.advice import boosts, routing
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.retrieval.query import Query
from memory.retrieval.results import SearchHit, SearchRequest, SearchResult
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from tests.conftest import Clock
from tests.knowledge_graph.conftest import LearnNow, record_turn

memory = MemoryFacade("key:test")
Ready = Callable[[], None]


@pytest.fixture
def ready(user: EndUser, index_now: Callable[[EndUser], None], learn_now: LearnNow) -> Ready:
    def make_ready() -> None:
        index_now(user)
        learn_now(user)

    return make_ready


def store_memory(user: EndUser, clock: Clock, text: str, tier: Tier = Tier.HISTORY, **fields: Any) -> MemoryItem:
    return memory.store(user, NewMemory(text, tier=tier, tags=["context"], **fields), now=clock()).item


def asked(user: EndUser, clock: Clock, query: str, **fields: Any) -> SearchResult:
    return memory.search(user, SearchRequest(query, **fields), now=clock(), remember=False)


def hit_of(result: SearchResult, item: MemoryItem) -> SearchHit:
    return next(hit for hit in result.hits if hit.item.pk == item.pk)


def conf(settings: Settings, **ranking: Any) -> None:
    settings.MEMORY = {**settings.MEMORY, "RANKING": {**settings.MEMORY["RANKING"], **ranking}}


def record_verdict(user: EndUser, clock: Clock, query: str, outcome: Outcome, *items: MemoryItem) -> None:
    memory.record_outcome(user, outcome, now=clock(), turn_id=record_turn(user, query, items))


# --- entities ----------------------------------------------------------------------------------------------------
def test_a_statement_about_somebody_named_gains_by_what_is_known_of_them_and_says_so(
    user: EndUser, clock: Clock, ready: Ready
) -> None:
    about = store_memory(user, clock, "Priya prefers tea", Tier.MEMORY_BANK, importance=1.0, confidence=1.0)
    store_memory(user, clock, "Somebody prefers coffee", Tier.MEMORY_BANK)
    said = store_memory(user, clock, "Priya prefers tea with milk", Tier.HISTORY)
    ready()
    result = asked(user, clock, "what does priya prefer?")
    boosted = hit_of(result, about).explain["boosts"]["entities"]
    assert 0 < boosted <= boosts.ENTITIES.weight * boosts.MOST_FOR_ENTITIES
    assert "entities" not in hit_of(result, said).explain["boosts"], "other tiers keep their ranking"
    assert "graph" in result.debug.stage_timings_ms
    assert result.debug.fallbacks_used == []


def test_the_boost_of_entities_is_bounded(user: EndUser, clock: Clock, ready: Ready) -> None:
    names = "Priya, Tom Becker, Dana, Pedro and Anna met in Berlin about Docker and PostgreSQL"
    item = store_memory(user, clock, names, Tier.MEMORY_BANK, importance=1.0, confidence=1.0)
    ready()
    given = routing.advise(user, Query(names), Deadline(1.0)).boosts[boosts.NAMED]
    assert given == {item.pk: boosts.MOST_FOR_ENTITIES}


# --- known solutions ---------------------------------------------------------------------------------------------
def test_what_solved_the_problem_before_comes_first_when_it_is_met_again(
    user: EndUser, clock: Clock, ready: Ready
) -> None:
    wrong = store_memory(user, clock, "Docker volume permission denied: restart the machine")
    right = store_memory(user, clock, "Docker volume permission denied: add yourself to the group")
    query = "docker permission denied on the volume"
    for _ in range(2):
        record_verdict(user, clock, query, Outcome.FAILED, wrong)
        record_verdict(user, clock, query, Outcome.WORKED, right)
    ready()
    result = asked(user, clock, "permissions denied with a docker volume")
    assert result.hits[0].item.pk == right.pk
    assert hit_of(result, right).explain["boosts"]["solutions"] > 0
    assert "solutions" not in hit_of(result, wrong).explain["boosts"]


def test_solutions_can_be_switched_off(user: EndUser, clock: Clock, ready: Ready, settings: Settings) -> None:
    item = store_memory(user, clock, "Add yourself to the group")
    record_verdict(user, clock, "docker permission error", Outcome.WORKED, item)
    ready()
    flags = {**settings.MEMORY["FLAGS"], "problem_solution_index": False}
    settings.MEMORY = {**settings.MEMORY, "FLAGS": flags}
    assert boosts.SOLVED not in routing.advise(user, Query("docker permission error"), Deadline(1.0)).boosts


# --- documents ---------------------------------------------------------------------------------------------------
def test_a_document_counts_from_its_third_verdict_on(user: EndUser, clock: Clock, ready: Ready) -> None:
    book = store_memory(user, clock, "Chapter three: how permissions of a docker volume work", Tier.BOOKS)
    for uses, expected in ((2, {}), (3, {book.pk: pytest.approx(boosts.DOCUMENT_SHARE * 2 / 3)})):
        outcomes = [Outcome.WORKED, Outcome.FAILED][:uses] if uses == 2 else [Outcome.WORKED]
        for outcome in outcomes:
            record_verdict(user, clock, "docker permission error", outcome, book)
        ready()
        advice = routing.advise(user, Query("docker permission error"), Deadline(1.0))
        assert advice.boosts.get(boosts.DOCUMENTED, {}) == expected


# --- tiers -------------------------------------------------------------------------------------------------------
def test_the_tiers_that_answered_are_asked_and_working_always(
    user: EndUser, clock: Clock, ready: Ready, settings: Settings
) -> None:
    conf(settings, plan_tiers=True)
    pattern = store_memory(user, clock, "Docker permission error: add yourself to the group", Tier.PATTERNS)
    bank = store_memory(user, clock, "The user mounts docker volumes", Tier.MEMORY_BANK)
    store_memory(user, clock, "Docker permission error: restart", Tier.HISTORY)
    query = "docker permission error"
    assert asked(user, clock, query).debug.tiers_considered == [tier.value for tier in Tier], "cold: all of them"
    for _ in range(3):
        record_verdict(user, clock, query, Outcome.WORKED, pattern)
        record_verdict(user, clock, query, Outcome.FAILED, bank)
    ready()
    planned = asked(user, clock, query)
    assert planned.debug.tiers_considered == ["working", "patterns"]
    assert {hit.item.tier for hit in planned.hits} == {"patterns"}
    named = asked(user, clock, query, tiers=frozenset({Tier.HISTORY}))
    assert [hit.item.tier for hit in named.hits] == ["history"], "tiers that were asked for are asked"
    conf(settings, plan_tiers=False)
    assert len(asked(user, clock, query).hits) == 3


# --- without -----------------------------------------------------------------------------------------------------
def test_a_failing_graph_costs_a_reason_and_never_the_answer(
    user: EndUser, clock: Clock, ready: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_memory(user, clock, "Priya prefers tea", Tier.MEMORY_BANK)
    ready()
    monkeypatch.setattr(routing, "ADVICE_STATEMENT", "SELECT * FROM no_such_table")
    with user_scope(user):
        result = asked(user, clock, "what does priya prefer?")
    assert len(result.hits) == 1
    assert result.debug.fallbacks_used == ["graph_skipped"]


def test_switched_off_nothing_is_asked_of_the_graphs(
    user: EndUser, clock: Clock, ready: Ready, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_memory(user, clock, "Priya prefers tea", Tier.MEMORY_BANK)
    ready()

    def refuse(*asked: object) -> None:
        raise AssertionError("nobody asked for this")

    monkeypatch.setattr(routing, "open_bounded_cursor", refuse)
    conf(settings, adviser="")
    result = asked(user, clock, "what does priya prefer?")
    assert len(result.hits) == 1
    assert "graph" not in result.debug.stage_timings_ms
