"""Outcomes told at the same time: each turn counts once, and nobody waits for ever."""

import uuid
from threading import Event
from typing import Any

import pytest
from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Turn
from memory.tiers import Outcome
from outcomes.exchanges.storing import NewExchange
from outcomes.models import OutcomeEvent
from outcomes.verdicts import recording
from tests.at_once import errors_at_once, run_at_once
from tests.factories import EndUserFactory, MemoryItemFactory, OrganizationFactory
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.django_db(transaction=True)

memory = MemoryFacade("key:test")


@pytest.fixture
def ann(services: None) -> EndUser:
    return EndUserFactory.create(organization=OrganizationFactory.create(slug="acme"), external_id="ann")


def turn_of(user: EndUser, items: list[MemoryItem]) -> uuid.UUID:
    with user_scope(user):
        return Turn.objects.create(user=user, positions=[[str(item.pk), item.tier] for item in items]).turn_id


def test_one_turn_told_many_times_at_once_counts_once(ann: EndUser) -> None:
    items = MemoryItemFactory.create_batch(3, user=ann)
    turn_id = turn_of(ann, items)
    said = [Outcome.WORKED, Outcome.FAILED, Outcome.PARTIAL, Outcome.WORKED, Outcome.FAILED, Outcome.WORKED]
    assert (
        errors_at_once(*(lambda o=o: memory.record_outcome(ann, o, now=timezone.now(), turn_id=turn_id) for o in said))
        == []
    )
    with user_scope(ann):
        [last] = OutcomeEvent.objects.filter(sign=1, replaced_at=None)
        assert sum(OutcomeEvent.objects.filter(outcome=last.outcome).values_list("sign", flat=True)) == 1
        for outcome in set(Outcome) - {last.outcome}:
            assert sum(OutcomeEvent.objects.filter(outcome=outcome).values_list("sign", flat=True)) == 0
    after = {"worked": 0.7, "failed": 0.2, "partial": 0.55}[last.outcome]
    for item in items:
        row = memory.get(ann, item.pk)
        assert row is not None
        assert (row.score, row.uses, getattr(row, last.outcome)) == (after, 1, 1)
        assert row.worked + row.failed + row.partial == 1


def test_turns_that_share_memories_and_new_exchanges_do_not_block_each_other(ann: EndUser) -> None:
    items = MemoryItemFactory.create_batch(4, user=ann)
    turns = [turn_of(ann, items if number % 2 else items[::-1]) for number in range(4)]
    exchange_ids = [
        memory.store_exchange(
            ann, NewExchange("t-1", f"Question {number}", "a", turn_id=turn_id), now=timezone.now()
        ).exchange_id
        for number, turn_id in enumerate(turns)
    ]
    raised = errors_at_once(
        *(lambda t=t: memory.record_outcome(ann, Outcome.PARTIAL, now=timezone.now(), turn_id=t) for t in turns),
        *(
            lambda e=e: memory.record_outcome(ann, Outcome.PARTIAL, now=timezone.now(), exchange_id=e)
            for e in exchange_ids
        ),
        *(
            lambda n=n: memory.store_exchange(ann, NewExchange("t-1", f"No, that's wrong {n}", "a"), now=timezone.now())
            for n in range(3)
        ),
    )
    assert raised == []
    for item in items:
        row = memory.get(ann, item.pk)
        assert row is not None
        assert (row.score, row.uses, row.partial) == (0.7, 4, 4)


def test_an_outcome_told_while_its_exchange_is_stored_is_not_asked_for(
    ann: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn_id = turn_of(ann, [MemoryItemFactory.create(user=ann)])
    is_told, is_stored = Event(), Event()
    mark_scored = recording.mark_scored

    def dawdle(*given: Any) -> None:
        mark_scored(*given)
        is_told.set()
        is_stored.wait(0.5)

    def store() -> bool:
        is_told.wait(PATIENCE_S)
        new = NewExchange("t-1", "How do I restart the router?", "Pull the plug.", turn_id=turn_id)
        stored = memory.store_exchange(ann, new, now=timezone.now())
        is_stored.set()
        return stored.required_scoring

    monkeypatch.setattr(recording, "mark_scored", dawdle)
    told = run_at_once(lambda: memory.record_outcome(ann, Outcome.WORKED, now=timezone.now(), turn_id=turn_id), store)
    assert told[1] is False
