"""How long exchanges, verdicts and actions are kept, and that what they moved and taught outlives them."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from config.schedule import SCHEDULE
from knowledge_graph.models import Lesson
from knowledge_graph.tasks import learn_everything
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.records.models import RecordEmbedding
from memory.tiers import Outcome, Tier
from outcomes import tasks
from outcomes.exchanges import retention
from outcomes.exchanges.storing import NewExchange
from outcomes.models import ActionTaken, ConversationSignal, Exchange, OutcomeEvent
from tests.api_client import ApiClient
from tests.conftest import Clock
from tests.factories import MemoryItemFactory
from tests.outcomes.test_verdicts import (
    learned_by_adding,
    ledger_lines,
    memory,
    record_turn,
    record_verdict,
    score_and_counts,
)

pytestmark = pytest.mark.usefixtures("services")

RUNS = [{"name": "ping", "ok": True, "ms": 3}, {"name": "fetch", "ok": False, "ms": 9, "error": "no route"}]
MODELS = (Exchange, OutcomeEvent, ActionTaken, ConversationSignal, RecordEmbedding)


def set_retention(settings: Settings, days: int) -> None:
    settings.MEMORY = {**settings.MEMORY, "LIMITS": {**settings.MEMORY["LIMITS"], "exchange_days": days}}


def record_exchange(user: EndUser, clock: Clock, item: MemoryItem, outcome: Outcome = Outcome.WORKED) -> uuid.UUID:
    """A question, its answer with two tool runs, thanks, and what came of it."""
    turn_id = record_turn(user, clock, item)
    asked = NewExchange("t-1", "Fix the wifi of the docker host", "Restart the router", turn_id=turn_id, tools=RUNS)
    memory.store_exchange(user, asked, now=clock.advance(minutes=1))
    memory.store_exchange(
        user, NewExchange("t-1", "Thanks, that worked!", "Glad to hear."), now=clock.advance(minutes=1)
    )
    record_verdict(user, clock, outcome, turn_id=turn_id)
    return turn_id


def count_left(user: EndUser) -> dict[str, int]:
    with user_scope(user):
        return {model.__name__: model._default_manager.filter(user=user).count() for model in MODELS}


def purge_expired(user: EndUser, clock: Clock) -> int:
    learn_everything(user, now=timezone.now())
    return retention.purge_expired(user, now=clock())


def learned_rows(api: ApiClient) -> list[Any]:
    concepts = api.get("graph/concepts", {"limit": "50"}).json()["items"]
    tools = api.get("insights", {"query": "the wifi of the docker host"}).json()["tool_statistics"]
    return [[(one["key"], one["uses"]) for one in concepts], tools]


def test_what_a_person_said_and_what_came_of_it_stays_unless_somebody_sets_a_limit(
    user: EndUser, clock: Clock, api: ApiClient
) -> None:
    item = MemoryItemFactory.create(user=user)
    record_exchange(user, clock, item)
    assert purge_expired(user, clock) == 0
    before, exported, known = count_left(user), list(memory.export_exchanges(user)), learned_rows(api)
    clock.advance(days=4_000)
    assert purge_expired(user, clock) == 0
    assert count_left(user) == before
    assert list(memory.export_exchanges(user)) == exported
    assert learned_rows(api) == known


def test_verdicts_that_were_taken_back_go_in_pairs_once_they_were_learned(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    turn_id = record_exchange(user, clock, item, Outcome.FAILED)
    record_verdict(user, clock, Outcome.PARTIAL, turn_id=turn_id)
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
    assert len(ledger_lines(user)) == 5
    counted, score = learned_by_adding(user), score_and_counts(item)
    clock.advance(days=31)
    assert retention.purge_expired(user, now=clock()) == 0, "nobody has learned of them yet"
    assert purge_expired(user, clock) == 4
    assert ledger_lines(user) == [("worked", 1, True)]
    assert (learned_by_adding(user), score_and_counts(item)) == (counted, score)
    # The exchange still knows its outcome, and a later one still takes its place.
    record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id)
    assert score_and_counts(item) == (0.2, 1, 0, 1, 0, 0)


def test_past_the_limit_all_that_tells_of_an_exchange_goes_and_what_it_moved_stays(
    user: EndUser, other_user: EndUser, clock: Clock, api: ApiClient, settings: Settings
) -> None:
    set_retention(settings, 90)
    # The service's own clock reads the real time.
    clock.advance(seconds=(timezone.now() - clock()).total_seconds() - timedelta(days=100).total_seconds())
    old = MemoryItemFactory.create(user=user, tier=Tier.WORKING, score=0.5, uses=1, created_at=clock())
    foreign = MemoryItemFactory.create(user=other_user)
    record_exchange(user, clock, old)
    record_exchange(other_user, clock, foreign)
    memory.promote(user, now=clock())
    clock.advance(days=60)
    young = MemoryItemFactory.create(user=user)
    record_exchange(user, clock, young)
    learn_everything(user, now=timezone.now())
    moved, known = (score_and_counts(old), score_and_counts(young)), learned_rows(api)

    clock.advance(days=40)
    tasks.purge_user_exchanges(user.pk)
    assert count_left(user) == {
        "Exchange": 2,
        "OutcomeEvent": 1,
        "ActionTaken": 2,
        "ConversationSignal": 2,
        "RecordEmbedding": 4,
    }
    assert count_left(other_user) == count_left(user)
    with user_scope(user):
        assert Lesson.objects.count() == 1
    assert len(list(memory.export_exchanges(user))) == 2
    assert ((score_and_counts(old), score_and_counts(young)), learned_rows(api)) == (moved, known)
    # The move of then can still be explained and taken back.
    [event] = [one for one in api.get(f"memories/{old.pk}/events").json()["items"] if one["kind"] == "promoted"]
    assert api.post(f"memories/{old.pk}/events/{event['id']}/undo", {}).status_code == 200
    assert retention.purge_expired(user, now=clock()) == 0


def test_what_is_still_to_be_learned_waits_for_it_where_anybody_learns(
    user: EndUser, clock: Clock, settings: Settings
) -> None:
    set_retention(settings, 1)
    record_exchange(user, clock, MemoryItemFactory.create(user=user))
    clock.advance(days=2)
    retention.purge_expired(user, now=clock())
    assert count_left(user) == {
        "Exchange": 0,
        "OutcomeEvent": 1,
        "ActionTaken": 2,
        "ConversationSignal": 0,
        "RecordEmbedding": 0,
    }
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "kg": False}}
    retention.purge_expired(user, now=clock())
    assert set(count_left(user).values()) == {0}


def test_more_than_a_batch_goes_in_one_run(
    user: EndUser, clock: Clock, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_retention(settings, 1)
    monkeypatch.setattr(retention, "BATCH", 2)
    for _ in range(3):
        record_exchange(user, clock, MemoryItemFactory.create(user=user))
    clock.advance(days=2)
    purge_expired(user, clock)
    assert set(count_left(user).values()) == {0}


def test_everybody_has_a_task_of_their_own(user: EndUser, other_user: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.purge_user_exchanges, "delay", sent.append)
    tasks.purge_exchanges()
    assert sent == [user.pk, other_user.pk]
    assert "outcomes.purge_exchanges" in {entry["task"] for entry in SCHEDULE.values()}
    assert tasks.purge_user_exchanges(0) == 0
