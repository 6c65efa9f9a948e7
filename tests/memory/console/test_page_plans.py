"""What the pages of a person with much count and look up comes from indexes, under the policies, as the application."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from knowledge_graph.models import Entity
from knowledge_graph.queries.names import find_name_pairs
from memory.access.scope import user_scope
from memory.console.history.events import count_memories_until, list_history
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryEvent
from memory.tiers import Status, Tier
from outcomes.exchanges.listing import list_memory_threads, list_threads
from outcomes.exchanges.threads import ConversationKey, TitleSource, read_titles
from tests.factories import MemoryItemFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
# With so few rows any plan is quick; what is asked is whether an index can serve.
WITHOUT_SCANS = ("seqscan", "bitmapscan")


@pytest.fixture
def plans() -> Iterator[list[dict[str, Any]]]:
    """The nodes of the plan of each statement that reads, as the role and in the transaction that runs it."""
    found: list[dict[str, Any]] = []

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if sql.lstrip().startswith("SELECT") and "set_config" not in sql:
            with connection.connection.cursor() as cursor:
                for way in WITHOUT_SCANS:
                    cursor.execute(f"SET LOCAL enable_{way} = off")
                cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
                [(plan,)] = cursor.fetchall()
                found.extend(list_nodes((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield found


def list_nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for part in plan.get("Plans", []) for node in list_nodes(part))]


def find_scans(plans: list[dict[str, Any]], table: str) -> list[tuple[str, str]]:
    return [(node["Node Type"], node.get("Index Name", "")) for node in plans if node.get("Relation Name") == table]


def forbid_sorting() -> None:
    """Of so few rows, none of which a vacuum has seen, any index costs the same; one has them in order too."""
    with connection.cursor() as cursor:
        for way in ("sort", "incremental_sort", "hashagg"):
            cursor.execute(f"SET LOCAL enable_{way} = off")


def test_memories_are_counted_by_the_index_alone(user: EndUser, plans: list[dict[str, Any]]) -> None:
    forbid_sorting()
    MemoryItemFactory.create_batch(3, user=user, tier=Tier.HISTORY)
    MemoryItemFactory.create(user=user, tier=Tier.HISTORY, archived=True)
    plans.clear()
    stats = MemoryFacade("test").get_stats(user)
    assert stats.tiers[Tier.HISTORY] == {Status.ACTIVE: 3, Status.ARCHIVED: 1}
    assert ("Index Only Scan", "memory_item_recent_seen") in find_scans(plans, "memory_item")
    plans.clear()
    assert count_memories_until(user, datetime.now(UTC)) == {Tier.HISTORY: 3}
    assert find_scans(plans, "memory_item") == [("Index Only Scan", "memory_item_recent_seen")]


def test_passages_are_told_by_an_index_of_their_own(user: EndUser, plans: list[dict[str, Any]]) -> None:
    """Of a day before the first book every event was read, to see which told of one."""
    stored = [*MemoryItemFactory.create_batch(30, user=user, tier=Tier.HISTORY)]
    stored.append(MemoryItemFactory.create(user=user, tier=Tier.BOOKS))
    with user_scope(user):
        for item in stored:
            MemoryEvent.objects.create(user=user, item=item, kind="stored", after={"tier": item.tier}, at=NOW)
    plans.clear()
    events, _ = list_history(user, None, until=NOW + timedelta(days=1), after=None, limit=40)
    assert [event.tier for event in events if event.kind == "stored" and event.tier == Tier.BOOKS] == [Tier.BOOKS]
    asked = [node for node in plans if node.get("Relation Name") == "memory_event"]
    assert all("after" not in f"{node.get('Filter', '')}{node.get('Index Cond', '')}" for node in asked)
    assert "memory_event_passage" in {node.get("Index Name") for node in asked}


def test_the_timeline_reads_the_latest_in_order_and_changes_by_an_index_of_their_own(
    user: EndUser, plans: list[dict[str, Any]]
) -> None:
    """It sorted all memories of a person and read each event that told no more than that one was stored."""
    forbid_sorting()
    for item in MemoryItemFactory.create_batch(30, user=user, tier=Tier.HISTORY):
        with user_scope(user):
            MemoryEvent.objects.create(user=user, item=item, kind="stored", after={"tier": item.tier}, at=NOW)
    plans.clear()
    list_history(user, None, until=datetime.now(UTC), after=None, limit=40)
    assert ("Index Only Scan", "memory_item_recent_seen") in find_scans(plans, "memory_item")
    assert "memory_event_changed" in {index for _, index in find_scans(plans, "memory_event")}


def test_full_names_are_looked_up_in_an_index_of_their_own(user: EndUser, plans: list[dict[str, Any]]) -> None:
    seen = {"first_seen": NOW, "last_seen": NOW}
    for key, kind in (("alma", "person"), ("alma tamar", "person"), ("ben alma", "person"), ("alma mater", "thing")):
        with user_scope(user):
            Entity.objects.create(user=user, key=key, label=key.title(), kind=kind, mentions=1, **seen)
    plans.clear()
    with user_scope(user):
        pairs = [(pair.first.key, pair.second.key) for pair in find_name_pairs(user, ["alma"])]
    assert pairs == [("alma", "alma tamar"), ("alma", "ben alma")]
    assert "graph_entity_full_name" in {index for _, index in find_scans(plans, "graph_entity")}


def test_conversations_are_read_by_their_threads(user: EndUser, plans: list[dict[str, Any]]) -> None:
    forbid_sorting()
    # Of five memories any index of the person's costs the same, and by the pages that other tests had left another was
    # chosen now and then.
    MemoryItemFactory.create_batch(100, user=user)
    first, *_ = MemoryItemFactory.create_batch(3, user=user, thread_id="kept")
    plans.clear()
    assert list_threads(user, limit=5) == []
    [thread] = list_memory_threads(user, limit=5)
    assert (thread.thread_id, thread.memories, thread.first.pk, thread.first.text) == ("kept", 3, first.pk, first.text)
    conditions = [node["Index Cond"] for node in plans if node.get("Index Name") == "memory_item_thread"]
    assert len(conditions) == 2
    assert all("thread_id" in condition for condition in conditions)


def test_titles_of_chats_are_found_without_reading_their_memories(user: EndUser, plans: list[dict[str, Any]]) -> None:
    forbid_sorting()
    MemoryItemFactory.create_batch(3, user=user, thread_id="plain")
    MemoryItemFactory.create(user=user, thread_id="named", metadata={"thread_title": "The cat"})
    plans.clear()
    titles = read_titles(user, [ConversationKey("plain"), ConversationKey("named")])
    assert titles[ConversationKey("named")] == ("The cat", TitleSource.IMPORT)
    assert titles[ConversationKey("plain")][1] == TitleSource.RULES
    assert "memory_item_titled" in {index for _, index in find_scans(plans, "memory_item")}
