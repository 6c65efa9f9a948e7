"""Outcomes: how far each moves a score, which memories are meant, and what is never scored."""

import uuid
from collections.abc import Sequence
from typing import Any

import pytest
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Turn
from memory.store.admission import WriteRefused
from memory.tiers import Outcome, Tier
from outcomes.exchanges.storing import NewExchange
from outcomes.models import OutcomeEvent
from outcomes.verdicts import recording
from outcomes.verdicts.recording import RecordedOutcome, UnknownTurn
from tests.conftest import Clock
from tests.factories import MemoryItemFactory

memory = MemoryFacade("key:test")


def record_turn(user: EndUser, clock: Clock, *items: MemoryItem, thread_id: str = "") -> uuid.UUID:
    """A turn whose search showed these, in this order."""
    with user_scope(user):
        positions = [[str(item.pk), item.tier] for item in items]
        turn = Turn.objects.create(user=user, positions=positions, thread_id=thread_id, created_at=clock())
    return turn.turn_id


def record_verdict(user: EndUser, clock: Clock, outcome: Outcome = Outcome.WORKED, **fields: Any) -> RecordedOutcome:
    return memory.record_outcome(user, outcome, now=clock(), **fields)


def reload_item(item: MemoryItem) -> MemoryItem:
    found = memory.get(item.user, item.pk)
    assert found is not None
    return found


# --- scores ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("outcome", "before", "after", "uses"),
    [
        (Outcome.WORKED, 0.5, 0.7, 1),
        (Outcome.FAILED, 0.5, 0.2, 1),
        (Outcome.PARTIAL, 0.5, 0.55, 1),
        (Outcome.UNKNOWN, 0.5, 0.5, 0),
        (Outcome.WORKED, 0.95, 1.0, 1),
        (Outcome.FAILED, 0.1, 0.0, 1),
    ],
)
def test_each_outcome_moves_a_score_by_its_delta_within_bounds(
    user: EndUser, clock: Clock, outcome: Outcome, before: float, after: float, uses: int
) -> None:
    item = MemoryItemFactory.create(user=user, score=before)
    recorded = record_verdict(user, clock, outcome, turn_id=record_turn(user, clock, item))
    [scored] = recorded.scored
    assert (scored.memory_id, scored.score, scored.uses) == (item.pk, after, uses)
    row = reload_item(item)
    assert (row.score, row.uses, row.last_outcome, row.last_used_at) == (after, uses, outcome, clock())
    counts = {kind: getattr(row, kind) for kind in Outcome}
    assert counts == {kind: int(kind is outcome) for kind in Outcome}
    event = memory.list_events(user, item.pk)[0]
    assert (event.kind, event.before, event.actor) == (f"outcome_{outcome}", {"score": before}, "key:test")


def test_two_successes_reach_the_thresholds_exactly(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    for expected in (0.7, 0.9, 1.0):
        record_verdict(user, clock, turn_id=record_turn(user, clock, item))
        assert reload_item(item).score == expected


def test_the_deltas_are_settings(user: EndUser, clock: Clock, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "SCORING": {**settings.MEMORY["SCORING"], "worked": 0.35}}
    item = MemoryItemFactory.create(user=user)
    assert record_verdict(user, clock, turn_id=record_turn(user, clock, item)).scored[0].score == 0.85


def test_switched_off_outcomes_are_noted_and_move_nothing(user: EndUser, clock: Clock, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "outcome": False}}
    item = MemoryItemFactory.create(user=user, tier=Tier.WORKING)
    recorded = record_verdict(user, clock, turn_id=record_turn(user, clock, item))
    assert (recorded.scored, recorded.learned) == ([], [item.pk])
    assert (reload_item(item).score, reload_item(item).uses) == (0.5, 0)
    assert recording.count_outcomes(user)["worked"] == 1


@pytest.mark.parametrize("tier", [Tier.MEMORY_BANK, Tier.BOOKS])
@pytest.mark.parametrize("outcome", Outcome)
def test_books_and_the_bank_are_noted_and_never_scored(
    user: EndUser, clock: Clock, tier: Tier, outcome: Outcome
) -> None:
    item = MemoryItemFactory.create(user=user, tier=tier, tags=["goal"])
    working = MemoryItemFactory.create(user=user)
    recorded = record_verdict(user, clock, outcome, turn_id=record_turn(user, clock, item, working))
    assert recorded.learned == [item.pk]
    assert [scored.memory_id for scored in recorded.scored] == [working.pk]
    row = reload_item(item)
    assert (row.score, row.uses, row.last_outcome, row.updated_at) == (0.5, 0, "", item.updated_at)
    assert memory.list_events(user, item.pk) == []


# --- which memories ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("related", "meant"),
    [
        (None, [0, 1, 2]),
        ([], [0, 1, 2]),
        ([2], [1]),
        (["3", 1], [0, 2]),
        ([1, 1, "1"], [0]),
        (["nonsense", 2], [1]),
    ],
)
def test_positions_name_memories_and_no_positions_mean_all(
    user: EndUser, clock: Clock, related: Sequence[int | str] | None, meant: list[int]
) -> None:
    items = [MemoryItemFactory.create(user=user) for _ in range(3)]
    recorded = record_verdict(user, clock, turn_id=record_turn(user, clock, *items), related=related)
    assert {scored.memory_id for scored in recorded.scored} == {items[position].pk for position in meant}


@pytest.mark.parametrize(
    "related",
    [
        [0, 4, -1, 99],
        ["nonsense", "9" * 5000, "", "1.5", "²", "1 OR 1=1"],
        ["00000000-0000-0000-0000-000000000000"],
    ],
)
def test_what_names_no_memory_scores_none(user: EndUser, clock: Clock, related: Sequence[int | str]) -> None:
    items = [MemoryItemFactory.create(user=user) for _ in range(3)]
    with pytest.raises(WriteRefused) as refusal:
        record_verdict(user, clock, turn_id=record_turn(user, clock, *items), related=related)
    assert refusal.value.field == "related"
    assert {reload_item(item).score for item in items} == {0.5}


def test_an_id_names_a_memory_with_and_without_a_turn(user: EndUser, clock: Clock) -> None:
    in_turn, beside = MemoryItemFactory.create_batch(2, user=user)
    with_turn = record_verdict(user, clock, turn_id=record_turn(user, clock, in_turn), related=[str(beside.pk), 1])
    assert {scored.memory_id for scored in with_turn.scored} == {in_turn.pk, beside.pk}
    alone = record_verdict(user, clock, related=[str(beside.pk).upper()])
    assert [(scored.memory_id, scored.uses) for scored in alone.scored] == [(beside.pk, 2)]


def test_somebody_elses_memory_is_not_moved_by_its_id(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    theirs = MemoryItemFactory.create(user=other_user)
    mine = MemoryItemFactory.create(user=user)
    for turn_id in (record_turn(user, clock, mine), None):
        with pytest.raises(WriteRefused):
            record_verdict(user, clock, turn_id=turn_id, related=[str(theirs.pk)])
    assert (reload_item(mine).score, reload_item(theirs).score) == (0.5, 0.5)


def test_a_turn_or_exchange_that_is_not_ones_own_is_unknown(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=other_user)
    turn_id = record_turn(other_user, clock, item)
    exchange_id = memory.store_exchange(other_user, NewExchange("t", "q", "a"), now=clock()).exchange_id
    cases: list[tuple[dict[str, Any], str]] = [
        ({"turn_id": turn_id}, "turn_id"),
        ({"turn_id": uuid.uuid4()}, "turn_id"),
        ({"exchange_id": exchange_id}, "exchange_id"),
    ]
    for fields, named in cases:
        with pytest.raises(UnknownTurn) as unknown:
            record_verdict(user, clock, **fields)
        assert unknown.value.field == named
    assert reload_item(item).score == 0.5
    assert sum(recording.count_outcomes(user).values()) == 0


def test_an_outcome_of_nothing_is_refused(user: EndUser, clock: Clock) -> None:
    with pytest.raises(WriteRefused) as refusal:
        record_verdict(user, clock)
    assert refusal.value.field == "related"


def test_an_exchange_leads_to_the_memories_of_its_turn(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    turn_id = record_turn(user, clock, item)
    stored = memory.store_exchange(user, NewExchange("t-1", "q", "a", turn_id=turn_id), now=clock())
    assert stored.required_scoring
    recorded = record_verdict(user, clock, Outcome.FAILED, exchange_id=stored.exchange_id)
    assert [scored.memory_id for scored in recorded.scored] == sorted([item.pk, stored.memory_id])
    assert memory.compose_context(user, "q", now=clock(), thread_id="t-1").required_scoring is False
    with user_scope(user):
        [event] = OutcomeEvent.objects.all()
    assert (event.outcome, event.turn_id, event.exchange_id) == ("failed", turn_id, stored.exchange_id)
    assert sorted(event.scored_ids) == sorted([item.pk, stored.memory_id])


def test_an_answer_that_used_no_memory_is_itself_what_worked(user: EndUser, clock: Clock) -> None:
    stored = memory.store_exchange(user, NewExchange("t-1", "How do I fix it?", "Restart the pump."), now=clock())
    recorded = record_verdict(user, clock, exchange_id=stored.exchange_id)
    assert [(scored.memory_id, scored.score, scored.uses) for scored in recorded.scored] == [(stored.memory_id, 0.7, 1)]
    assert record_verdict(user, clock, exchange_id=stored.exchange_id).scored[0].uses == 1, "said twice, counted once"


def test_a_memory_that_is_gone_is_passed_over(user: EndUser, clock: Clock) -> None:
    gone, left = MemoryItemFactory.create_batch(2, user=user)
    turn_id = record_turn(user, clock, gone, left)
    memory.remove(user, gone.pk, now=clock())
    assert [scored.memory_id for scored in record_verdict(user, clock, turn_id=turn_id).scored] == [left.pk]


# --- takeaways ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("outcome", "score"),
    [(Outcome.WORKED, 0.7), (Outcome.FAILED, 0.2), (Outcome.PARTIAL, 0.55), (Outcome.UNKNOWN, 0.5)],
)
def test_a_takeaway_starts_where_its_lesson_stands(user: EndUser, clock: Clock, outcome: Outcome, score: float) -> None:
    stored = memory.store_exchange(user, NewExchange("t-1", "q", "a"), now=clock())
    recorded = record_verdict(
        user, clock, outcome, exchange_id=stored.exchange_id, key_takeaway="Restart the router before calling"
    )
    assert recorded.takeaway_id is not None
    takeaway = memory.get(user, recorded.takeaway_id)
    assert takeaway is not None
    assert (takeaway.tier, takeaway.score, takeaway.uses, takeaway.thread_id) == (Tier.HISTORY, score, 0, "t-1")
    assert takeaway.source == {"kind": "takeaway", "outcome": outcome}


def test_a_takeaway_needs_no_turn_and_a_blank_one_is_none(user: EndUser, clock: Clock) -> None:
    assert record_verdict(user, clock, key_takeaway="Ask before calling").takeaway_id is not None
    item = MemoryItemFactory.create(user=user)
    assert record_verdict(user, clock, related=[str(item.pk)], key_takeaway="  ").takeaway_id is None


def test_a_bad_takeaway_is_refused_and_no_score_moves(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    with pytest.raises(WriteRefused) as refusal:
        record_verdict(user, clock, turn_id=record_turn(user, clock, item), key_takeaway="bad\x00text")
    assert refusal.value.field == "key_takeaway"
    assert reload_item(item).score == 0.5
    assert sum(recording.count_outcomes(user).values()) == 0


# --- accounts ----------------------------------------------------------------------------------------------------
def test_outcomes_are_counted_by_kind_newest_first(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    for outcome in (Outcome.WORKED, Outcome.WORKED, Outcome.FAILED):
        clock.advance(minutes=1)
        record_verdict(user, clock, outcome, related=[str(item.pk)])
    assert memory.get_stats(user).outcomes == {"worked": 2, "failed": 1, "partial": 0, "unknown": 0}
    assert [event.outcome for event in recording.list_current_outcomes(user, 2)] == ["failed", "worked"]
    assert recording.list_current_outcomes(other_user) == []
