"""The content graph follows the memories: what they name comes, changes and goes with them, once however often told."""

import json
import random
import uuid
from pathlib import Path
from typing import Any

import pytest

from knowledge_graph import work
from knowledge_graph.content import updates
from knowledge_graph.models import Edge, Entity, GraphedItem, GraphWork, Mention
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.store.admission import NewMemory
from memory.tiers import Tier
from memory.transfer import catalogue
from outcomes.exchanges.storing import NewExchange
from outcomes.tasks import read_exchanges
from tests.conftest import Clock
from tests.knowledge_graph.conftest import LearnNow

memory = MemoryFacade("key:test")
DANA = "My sister Dana lives in Berlin and works at Siemens"
TOM = "Tom Becker prefers PostgreSQL and visited Berlin"


def store_memory(user: EndUser, text: str, clock: Clock, tier: Tier = Tier.MEMORY_BANK, **fields: Any) -> MemoryItem:
    return memory.store(user, NewMemory(text, tier=tier, tags=["context"], **fields), now=clock()).item


def graph_of(user: EndUser) -> dict[str, Any]:
    """All of it, without the ids of rows."""
    with user_scope(user):
        entities = Entity.objects.filter(user=user).order_by("key")
        edges = Edge.objects.filter(user=user).order_by("source", "target", "kind")
        mentions = Mention.objects.filter(user=user).order_by("key", "item_id")
        return {
            "entities": [
                (one.key, one.kind, one.mentions, round(one.avg_quality, 6), one.first_seen, one.last_seen)
                for one in entities
            ],
            "edges": list(edges.values_list("source", "target", "kind", "weight")),
            "mentions": list(mentions.values_list("key", "item_id", "quality")),
        }


def names(user: EndUser) -> set[str]:
    return {row[0] for row in graph_of(user)["entities"]}


def test_what_a_statement_names_is_in_the_graph_with_its_quality(
    user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    first = store_memory(user, DANA, clock, importance=0.8, confidence=0.5)
    clock.advance(days=1)
    store_memory(user, TOM, clock, importance=1.0, confidence=1.0)
    learn_now(user)
    with user_scope(user):
        berlin = Entity.objects.get(user=user, key="berlin")
        assert (berlin.kind, berlin.mentions) == ("place", 2)
        assert berlin.avg_quality == pytest.approx((0.4 + 1.0) / 2)
        assert berlin.first_seen == first.occurred_at
        assert berlin.last_seen == clock()
        together = Edge.objects.get(user=user, source="berlin", target="dana")
        assert together.weight == 1
    assert names(user) == {"dana", "berlin", "siemens", "tom becker", "postgresql"}


@pytest.mark.parametrize("tier", [Tier.WORKING, Tier.HISTORY])
def test_what_passes_by_is_not_in_the_graph_and_leaves_no_work(
    user: EndUser, clock: Clock, learn_now: LearnNow, tier: Tier
) -> None:
    store_memory(user, DANA, clock, tier)
    with user_scope(user):
        assert not GraphWork.objects.filter(user=user).exists()
    learn_now(user)
    assert names(user) == set()


@pytest.mark.parametrize("tier", [Tier.PATTERNS, Tier.BOOKS])
def test_patterns_and_books_are_read_as_well(user: EndUser, clock: Clock, learn_now: LearnNow, tier: Tier) -> None:
    memory.store_many(user, [NewMemory(DANA, tier=tier)], now=clock())
    learn_now(user)
    assert names(user) == {"dana", "berlin", "siemens"}


def test_archiving_takes_out_exactly_what_an_item_brought_and_restoring_brings_it_back(
    user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    store_memory(user, TOM, clock)
    learn_now(user)
    alone = graph_of(user)
    item = store_memory(user, DANA, clock)
    learn_now(user)
    both = graph_of(user)
    memory.archive(user, item.pk, now=clock())
    learn_now(user)
    assert graph_of(user) == alone
    memory.restore(user, item.pk, now=clock())
    learn_now(user)
    assert graph_of(user) == both
    memory.remove(user, item.pk, now=clock())
    learn_now(user)
    assert graph_of(user) == alone


def test_a_revision_replaces_what_the_earlier_wording_named(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    item = store_memory(user, DANA, clock)
    learn_now(user)
    memory.revise(user, item.pk, {"text": "My sister Dana lives in Lisbon", "importance": 1.0}, now=clock())
    learn_now(user)
    assert names(user) == {"dana", "lisbon"}
    with user_scope(user):
        assert Entity.objects.get(user=user, key="dana").avg_quality == pytest.approx(0.7)


def test_being_told_twice_changes_nothing(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    item = store_memory(user, DANA, clock)
    learn_now(user)
    once = graph_of(user)
    with user_scope(user):
        work.enqueue_changes(user, "revised", [(item.pk, Tier.MEMORY_BANK)] * 3, clock())
    assert updates.process_items(user, [item.pk, item.pk]) == 2
    updates.process_items(user, [item.pk])
    assert graph_of(user) == once
    with user_scope(user):
        assert not GraphWork.objects.filter(user=user).exists()


def test_a_failure_half_way_leaves_graph_and_work_as_they_were(
    user: EndUser, clock: Clock, learn_now: LearnNow, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_memory(user, TOM, clock)
    learn_now(user)
    before = graph_of(user)
    item = store_memory(user, DANA, clock)

    def fail(*asked: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(updates, "settle_edges", fail)
        with pytest.raises(RuntimeError):
            updates.process_items(user, [item.pk])
    assert graph_of(user) == before
    assert updates.list_next_items(user) == [item.pk]
    learn_now(user)
    assert "dana" in names(user)


def test_a_lost_message_is_made_up_for_by_the_mark(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    store_memory(user, DANA, clock)
    assert work.list_due_users() == [user.pk]
    learn_now(user)
    assert work.list_due_users() == []
    user.refresh_from_db()
    assert user.learning_due_since is None


def test_nothing_of_another_user_is_seen(user: EndUser, other_user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    store_memory(user, DANA, clock)
    learn_now(user)
    assert names(other_user) == set()
    with user_scope(other_user):
        assert not Entity.objects.exists()
        assert not GraphedItem.objects.exists()


@pytest.mark.parametrize("seed", range(3))
def test_any_order_of_changes_ends_as_if_only_the_last_state_had_been_written(
    user: EndUser, clock: Clock, learn_now: LearnNow, seed: int
) -> None:
    """The graph that grew with the changes is the graph made anew of what is left."""
    chance = random.Random(seed)
    people, towns = ["Dana", "Anna", "Pedro"], ["Berlin", "Lisbon", "Haifa"]
    items: list[uuid.UUID] = []
    for step in range(25):
        clock.advance(minutes=1)
        text = f"My friend {chance.choice(people)} lives in {chance.choice(towns)} and uses Docker, note {step}"
        change = chance.choice(["store", "store", "revise", "archive", "restore", "remove", "learn"])
        if change == "store" or not items:
            items.append(store_memory(user, text, clock, importance=chance.random()).pk)
        elif change == "learn":
            learn_now(user)
        elif change == "revise":
            memory.revise(user, chance.choice(items), {"text": text}, now=clock())
        else:
            getattr(memory, change)(user, chance.choice(items), now=clock())
    learn_now(user)
    grown = graph_of(user)
    with user_scope(user):
        for model in (GraphedItem, Mention, Entity, Edge):
            model._default_manager.filter(user=user).delete()
        left = list(MemoryItem.objects.for_user(user).values_list("pk", flat=True))
        updates.replace_contributions(user, left, {})
    assert graph_of(user) == grown


def test_a_catalogue_ties_what_it_is_about_to_its_data_sets(
    user: EndUser, clock: Clock, learn_now: LearnNow, tmp_path: Path
) -> None:
    file = tmp_path / "catalogue.json"
    datasets = [{"id": "d-17", "title": "Rainfall by month", "keywords": ["weather", "rain"], "columns": ["mm"]}]
    file.write_text(json.dumps({"datasets": datasets}))
    catalogue.import_catalogue(user, catalogue.read_catalogue(file), now=clock())
    learn_now(user)
    edges = {(source, target) for source, target, kind, _ in graph_of(user)["edges"] if kind == "HAS_DATASET"}
    assert edges == {(topic, "dataset:d-17") for topic in ("rainfall by month", "weather", "rain")}


def test_a_clients_metadata_makes_no_data_set(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    store_memory(user, DANA, clock, metadata={"dataset": "x", "concepts": ["y"]})
    learn_now(user)
    assert names(user) == {"dana", "berlin", "siemens"}


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("my dog biscuit is sick", {("biscuit", "person")}),
        ("ich wohne in bonn", {("bonn", "place")}),
        ("i work at siemens as a welder", {("siemens", "organisation")}),
        ("my wife is called anna", {("anna", "person")}),
        ("i live in a shared flat", set()),
        ("My wife Anna Levi works at Siemens.", {("anna levi", "person"), ("siemens", "organisation")}),
    ],
)
def test_what_a_current_fact_names_is_in_the_graph_in_any_case(
    user: EndUser, clock: Clock, learn_now: LearnNow, services: None, said: str, named: set[tuple[str, str]]
) -> None:
    """A text in lower case shows no name, and left its people, places and animals out."""
    memory.store_exchange(user, NewExchange("t", said, "Noted."), now=clock())
    read_exchanges(user.pk)
    learn_now(user)
    assert {(key, kind) for key, kind, *_ in graph_of(user)["entities"]} == named
    with user_scope(user):
        [*told] = MemoryItem.objects.for_user(user).filter(tier=Tier.MEMORY_BANK)
    for item in told:
        memory.remove(user, item.pk, now=clock())
    learn_now(user)
    assert names(user) == set()
