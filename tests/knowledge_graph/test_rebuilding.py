"""The graphs made anew are the graphs that grew."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from knowledge_graph.models import GRAPH_TABLES, GraphWork
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser
from memory.store.admission import NewMemory
from memory.tiers import Outcome, Tier
from outcomes.models import ActionTaken
from tests.conftest import Clock
from tests.factories import MemoryItemFactory
from tests.knowledge_graph.conftest import LearnNow, record_turn

memory = MemoryFacade("key:test")
LEFT_OUT = {"id", "aliases"}


def read_graphs(user: EndUser) -> dict[str, list[str]]:
    with user_scope(user):
        return {
            model.__name__: sorted(
                str({name: value for name, value in row.items() if name not in LEFT_OUT})
                for row in model._default_manager.filter(user=user).values()
            )
            for model in GRAPH_TABLES
            if model is not GraphWork
        }


def live(user: EndUser, clock: Clock) -> None:
    bank: dict[str, Any] = {"tier": Tier.MEMORY_BANK, "tags": ["context"]}
    first = memory.store(user, NewMemory("My sister Dana lives in Berlin", **bank), now=clock()).item
    gone = memory.store(user, NewMemory("My friend Pedro lives in Madrid", **bank), now=clock()).item
    memory.archive(user, gone.pk, now=clock())
    item = MemoryItemFactory.create(user=user, tier=Tier.HISTORY, text="Restart the container")
    turn_id = record_turn(user, "docker permission denied", [item, first])
    with user_scope(user):
        ActionTaken.objects.create(user=user, turn_id=turn_id, action="search_memory", query="docker", at=clock())
    memory.record_outcome(user, Outcome.FAILED, now=clock(), turn_id=turn_id)
    memory.record_outcome(user, Outcome.WORKED, now=clock.advance(hours=1), turn_id=turn_id)


def test_a_rebuilt_graph_equals_the_one_that_grew(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    live(user, clock)
    learn_now(user)
    grown = read_graphs(user)
    assert all(grown.values()), {name for name, rows in grown.items() if not rows}
    out = StringIO()
    call_command("rebuild_graphs", "--user", user.external_id, "--org", user.organization.slug, stdout=out)
    assert "2 entities" in out.getvalue()
    again = read_graphs(user)
    lessons = ("Lesson",)
    assert {name: rows for name, rows in again.items() if name not in lessons} == {
        name: rows for name, rows in grown.items() if name not in lessons
    }


def test_an_unknown_user_is_told(user: EndUser) -> None:
    with pytest.raises(CommandError, match="has no user 'nobody'"):
        call_command("rebuild_graphs", "--user", "nobody", "--org", user.organization.slug, stdout=StringIO())
