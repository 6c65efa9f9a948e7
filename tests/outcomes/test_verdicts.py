"""The ledger: a turn counts once, whoever speaks of it and however often."""

import uuid
from typing import Any

import pytest

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem, Turn
from memory.signals import learning_due
from memory.store.admission import WriteRefused
from memory.tiers import Outcome, Tier
from outcomes.exchanges import listing
from outcomes.exchanges.storing import NewExchange
from outcomes.models import ActionTaken, OutcomeEvent
from outcomes.verdicts import recording
from outcomes.verdicts.actions import Action
from outcomes.verdicts.recording import RecordedOutcome
from tests.conftest import Clock
from tests.factories import MemoryItemFactory

memory = MemoryFacade("key:test")


def record_turn(user: EndUser, clock: Clock, *items: MemoryItem) -> uuid.UUID:
    with user_scope(user):
        positions = [[str(item.pk), item.tier] for item in items]
        return Turn.objects.create(user=user, positions=positions, query="Fix the wifi", created_at=clock()).turn_id


def record_verdict(user: EndUser, clock: Clock, outcome: Outcome, **fields: Any) -> RecordedOutcome:
    return memory.record_outcome(user, outcome, now=clock.advance(seconds=1), **fields)


def score_and_counts(item: MemoryItem) -> tuple[float, int, int, int, int, int]:
    row = memory.get(item.user, item.pk)
    assert row is not None
    return row.score, row.uses, row.worked, row.failed, row.partial, row.unknown


def ledger_lines(user: EndUser) -> list[tuple[str, int, bool]]:
    """Outcome, sign, and whether it stands, in the order they were written."""
    with user_scope(user):
        return [(row.outcome, row.sign, row.replaced_at is None) for row in OutcomeEvent.objects.order_by("pk")]


def learned_by_adding(user: EndUser) -> dict[tuple[str, str], int]:
    """What somebody counts who adds up the signs of all lines, by memory and outcome."""
    totals: dict[tuple[str, str], int] = {}
    with user_scope(user):
        for row in OutcomeEvent.objects.order_by("pk"):
            for item_id, _, _ in row.memories:
                key = (item_id, row.outcome)
                totals[key] = totals.get(key, 0) + row.sign
    return {key: total for key, total in totals.items() if total}


def test_a_later_outcome_takes_the_place_of_the_earlier_one(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    turn_id = record_turn(user, clock, item)
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
    second = record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id)
    assert score_and_counts(item) == (0.2, 1, 0, 1, 0, 0)
    assert [(one.score, one.uses) for one in second.scored] == [(0.2, 1)]
    assert second.replaced is Outcome.WORKED
    assert ledger_lines(user) == [("worked", 1, False), ("worked", -1, False), ("failed", 1, True)]
    kinds = [(event.kind, event.before["score"], event.after["score"]) for event in memory.list_events(user, item.pk)]
    assert kinds == [("outcome_failed", 0.5, 0.2), ("outcome_replaced", 0.7, 0.5), ("outcome_worked", 0.5, 0.7)]
    assert recording.count_outcomes(user) == {"worked": 0, "failed": 1, "partial": 0, "unknown": 0}
    assert learned_by_adding(user) == {(str(item.pk), "failed"): 1}


def test_the_same_outcome_again_changes_nothing_and_answers_the_same(user: EndUser, clock: Clock) -> None:
    item, bank = MemoryItemFactory.create(user=user), MemoryItemFactory.create(user=user, tier=Tier.MEMORY_BANK)
    turn_id = record_turn(user, clock, item, bank)
    reported = {"turn_id": turn_id, "key_takeaway": "Restart the router first"}
    first = record_verdict(user, clock, Outcome.WORKED, **reported)
    events = len(memory.list_events(user, item.pk))
    for _ in range(3):
        assert record_verdict(user, clock, Outcome.WORKED, **reported) == first
    assert score_and_counts(item) == (0.7, 1, 1, 0, 0, 0)
    assert len(memory.list_events(user, item.pk)) == events
    assert ledger_lines(user) == [("worked", 1, True)]


@pytest.mark.parametrize(("score", "outcomes", "left"), [(0.95, "wf", 0.65), (0.1, "fw", 0.3), (0.95, "wfw", 1.0)])
def test_what_a_bound_kept_back_is_not_given_back_twice(
    user: EndUser, clock: Clock, score: float, outcomes: str, left: float
) -> None:
    item = MemoryItemFactory.create(user=user, score=score)
    turn_id = record_turn(user, clock, item)
    for letter in outcomes:
        record_verdict(user, clock, Outcome.WORKED if letter == "w" else Outcome.FAILED, turn_id=turn_id)
    assert score_and_counts(item)[:2] == (left, 1)


def test_an_outcome_of_named_memories_replaces_theirs_alone(user: EndUser, clock: Clock) -> None:
    first, second, third = MemoryItemFactory.create_batch(3, user=user)
    turn_id = record_turn(user, clock, first, second, third)
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
    record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id, related=[2])
    assert [score_and_counts(item)[:4] for item in (first, second, third)] == [
        (0.7, 1, 1, 0),
        (0.2, 1, 0, 1),
        (0.7, 1, 1, 0),
    ]
    assert ledger_lines(user)[2:] == [("worked", 1, True), ("failed", 1, True)]
    expected = {(str(item.pk), "worked"): 1 for item in (first, third)}
    assert learned_by_adding(user) == {**expected, (str(second.pk), "failed"): 1}


def test_two_outcomes_of_different_memories_both_stand(user: EndUser, clock: Clock) -> None:
    first, second = MemoryItemFactory.create_batch(2, user=user)
    turn_id = record_turn(user, clock, first, second)
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id, related=[1])
    record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id, related=[2])
    assert (score_and_counts(first)[0], score_and_counts(second)[0]) == (0.7, 0.2)
    counted = MemoryFacade().get_stats(user).outcomes
    assert (counted["worked"], counted["failed"]) == (1, 1)
    record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id, related=[1])
    counted = MemoryFacade().get_stats(user).outcomes
    assert (counted["worked"], counted["failed"]) == (0, 2)
    record_verdict(user, clock, Outcome.PARTIAL, turn_id=turn_id)
    assert (score_and_counts(first), score_and_counts(second)) == ((0.55, 1, 0, 0, 1, 0), (0.55, 1, 0, 0, 1, 0))
    assert [line for line in ledger_lines(user) if line[2]] == [("partial", 1, True)]


def test_a_whole_verdict_takes_back_what_an_earlier_one_said_of_a_memory_elsewhere(user: EndUser, clock: Clock) -> None:
    inside, outside = MemoryItemFactory.create_batch(2, user=user)
    turn_id = record_turn(user, clock, inside)
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id, related=[str(outside.pk)])
    assert score_and_counts(outside)[0] == 0.7
    record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id)
    assert (score_and_counts(inside)[0], score_and_counts(outside)) == (0.2, (0.5, 0, 0, 0, 0, 0))


def test_unknown_is_noted_and_never_takes_a_verdict_back(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    turn_id = record_turn(user, clock, item)
    record_verdict(user, clock, Outcome.UNKNOWN, turn_id=turn_id)
    assert score_and_counts(item) == (0.5, 0, 0, 0, 0, 1)
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
    assert score_and_counts(item) == (0.7, 1, 1, 0, 0, 0)
    record_verdict(user, clock, Outcome.UNKNOWN, turn_id=turn_id, key_takeaway="The router was hot")
    assert score_and_counts(item) == (0.7, 1, 1, 0, 0, 0)
    assert recording.count_outcomes(user)["worked"] == 1


def test_a_turn_and_its_exchange_are_one_subject(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    turn_id = record_turn(user, clock, item)
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
    exchange_id = memory.store_exchange(user, NewExchange("t-1", "q", "a", turn_id=turn_id), now=clock()).exchange_id
    record_verdict(user, clock, Outcome.FAILED, exchange_id=exchange_id)
    assert score_and_counts(item)[:2] == (0.2, 1)
    other = record_turn(user, clock, item)
    with pytest.raises(WriteRefused) as refusal:
        record_verdict(user, clock, Outcome.WORKED, turn_id=other, exchange_id=exchange_id)
    assert refusal.value.field == "turn_id"


def test_without_a_turn_each_call_counts(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    for _ in range(2):
        record_verdict(user, clock, Outcome.WORKED, related=[str(item.pk)])
    assert score_and_counts(item)[:3] == (0.9, 2, 2)


def test_the_takeaway_of_a_replaced_outcome_takes_on_the_new_one(user: EndUser, clock: Clock) -> None:
    turn_id = record_turn(user, clock, MemoryItemFactory.create(user=user))
    kept = record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id, key_takeaway="Reset the cable").takeaway_id
    assert kept is not None
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
    takeaway = memory.get(user, kept)
    assert takeaway is not None
    assert (takeaway.score, takeaway.source) == (0.7, {"kind": "takeaway", "outcome": "worked"})
    assert memory.list_events(user, kept)[0].kind == "takeaway_restated"


def test_every_verdict_leaves_word_that_there_is_something_to_learn(user: EndUser, clock: Clock) -> None:
    called: list[int] = []

    def note(sender: type, user_id: int, **kwargs: Any) -> None:
        called.append(user_id)

    learning_due.connect(note)
    try:
        turn_id = record_turn(user, clock, MemoryItemFactory.create(user=user, tier=Tier.BOOKS))
        record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
        assert called == [user.pk]
        record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id)
        assert called == [user.pk], "one mark is enough until it is settled"
    finally:
        learning_due.disconnect(note)
    user.refresh_from_db()
    assert user.learning_due_since is not None
    with user_scope(user):
        assert OutcomeEvent.objects.filter(learned_at=None).count() == 3
        [first, *_] = OutcomeEvent.objects.order_by("pk")
    assert (first.query, first.source, first.confidence, first.actor) == ("Fix the wifi", "explicit", 1.0, "key:test")


def test_references_to_nothing_are_told(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    turn_id = record_turn(user, clock, item)
    nobody = str(uuid.uuid4())
    assert record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id, related=[1, 7, nobody]).ignored == [7, nobody]


# --- what was done -----------------------------------------------------------------------------------------------
def verdicts(user: EndUser) -> dict[str, str]:
    with user_scope(user):
        return dict(ActionTaken.objects.order_by("pk").values_list("action", "verdict"))


def test_actions_get_the_verdict_of_their_turn_in_whichever_order_they_come(user: EndUser, clock: Clock) -> None:
    turn_id = record_turn(user, clock, MemoryItemFactory.create(user=user))
    before = Action("search_memory", ok=True, turn_id=turn_id, tiers=[Tier.HISTORY], query="Fix the wifi")
    memory.record_action(user, before, now=clock())
    assert verdicts(user) == {"search_memory": ""}
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
    tools = [{"name": "search_memory", "ok": True, "ms": 3}, {"name": "ping", "ok": True, "ms": 9}]
    memory.store_exchange(user, NewExchange("t-1", "Fix the wifi", "Done", turn_id=turn_id, tools=tools), now=clock())
    assert verdicts(user) == {"search_memory": "worked", "ping": "worked"}
    record_verdict(user, clock, Outcome.FAILED, turn_id=turn_id)
    assert verdicts(user) == {"search_memory": "failed", "ping": "failed"}
    with user_scope(user):
        assert {row.learned for row in ActionTaken.objects.all()} == {""}
        assert len({row.exchange_id for row in ActionTaken.objects.all()}) == 1


def test_a_tool_that_failed_is_a_signal_and_moves_no_score(user: EndUser, clock: Clock) -> None:
    item = MemoryItemFactory.create(user=user)
    tools = [
        {"name": "fetch", "ok": False, "ms": 30_000, "error": "Request timed out"},
        {"name": "parse", "ok": False, "ms": 1, "error": "no such column"},
        {"name": "sum", "ok": True, "ms": 1},
    ]
    turn_id = record_turn(user, clock, item)
    memory.store_exchange(user, NewExchange("t-1", "Add it up", "Done", turn_id=turn_id, tools=tools), now=clock())
    [reported], _ = listing.list_exchanges(user, limit=10)
    assert [(one.kind, one.evidence) for one in reported.signals] == [
        ("tool_timeout", "fetch: Request timed out"),
        ("tool_error", "parse: no such column"),
    ]
    assert [(one.action, one.ok, one.timed_out) for one in reported.actions] == [
        ("fetch", False, True),
        ("parse", False, False),
        ("sum", True, False),
    ]
    assert score_and_counts(item) == (0.5, 0, 0, 0, 0, 0)
    assert reported.outcome is None
    # Each has its own outcome; what comes of the turn is said of those that ran.
    assert verdicts(user) == {"fetch": "failed", "parse": "failed", "sum": ""}
    record_verdict(user, clock, Outcome.WORKED, turn_id=turn_id)
    assert verdicts(user) == {"fetch": "failed", "parse": "failed", "sum": "worked"}
