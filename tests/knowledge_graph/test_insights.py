"""Insights: what worked, what failed, what is known, what was asked before; by words and graphs, without a vector."""

from datetime import timedelta
from typing import Any

import pytest

from knowledge_graph.insights import Insights, lines_of
from memory.admission import NewMemory
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.retrieval.context import Message
from memory.retrieval.search import SearchRequest
from memory.tiers import Outcome, SourceType, Status, Tier
from outcomes.exchanges import NewExchange
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")


def put(user: EndUser, clock: Clock, text: str, **fields: Any) -> MemoryItem:
    return memory.store(user, NewMemory(text, **fields), now=clock()).item


def judge(user: EndUser, clock: Clock, item: MemoryItem, *outcomes: Outcome, takeaway: str = "") -> None:
    for outcome in outcomes:
        clock.advance(minutes=1)
        memory.outcome(user, outcome, now=clock(), related=[str(item.pk)], key_takeaway=takeaway)


def ask(user: EndUser, clock: Clock, query: str, **fields: Any) -> Insights:
    return memory.insights(user, query, now=clock(), **fields)


# --- what worked and what failed ---------------------------------------------------------------------------------
def test_what_worked_for_the_matter_comes_with_its_record(user: EndUser, clock: Clock) -> None:
    item = put(user, clock, "Pruning the docker network removed the stale bridge", tier=Tier.HISTORY)
    put(user, clock, "The docker network is called lighthouse", tier=Tier.HISTORY)
    judge(user, clock, item, Outcome.WORKED, Outcome.WORKED, Outcome.FAILED)
    found = ask(user, clock, "How do I repair the docker network?")
    assert [one.memory_id for one in found.relevant_patterns] == [item.pk]
    shown = found.as_json()["relevant_patterns"][0]
    assert (shown["uses"], shown["worked"], shown["failed"], shown["success_rate"]) == (3, 2, 1, 0.6667)
    assert shown["content"] == item.text
    lines = lines_of(found)
    assert "  • Based on 3 past use(s), this approach had a 67% success rate" in lines
    assert any(line.endswith("Pruning the docker network removed the stale bridge") for line in lines)


def test_what_failed_comes_with_the_reason_also_when_it_was_archived(user: EndUser, clock: Clock) -> None:
    item = put(user, clock, "Restarting the docker daemon repairs the docker network", tier=Tier.HISTORY)
    judge(user, clock, item, Outcome.FAILED, takeaway="The restart dropped every container and changed nothing")
    judge(user, clock, item, Outcome.FAILED)
    memory.archive(user, item.pk, now=clock())
    found = ask(user, clock, "docker network is broken")
    assert [one.memory_id for one in found.past_failures] == [item.pk]
    failure = found.as_json()["past_failures"][0]
    assert failure["status"] == Status.ARCHIVED
    assert failure["reason"] == "The restart dropped every container and changed nothing"
    assert failure["content"] == item.text
    assert found.relevant_patterns == ()
