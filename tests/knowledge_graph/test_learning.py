"""What verdicts teach: which tier answers what, which memory solved what, what helps in which kind of work."""

from collections.abc import Sequence
from typing import Any

import pytest

from knowledge_graph.extraction.concepts import extract_concepts
from knowledge_graph.insights.gathering import advise_tiers
from knowledge_graph.learning import actions, verdicts
from knowledge_graph.models import (
    GRAPH_TABLES,
    ActionExample,
    ActionStat,
    Concept,
    DocumentStat,
    Lesson,
    RoutingStat,
    Solution,
    SolutionCue,
)
from knowledge_graph.queries import statistics
from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.tiers import Outcome, Tier
from outcomes.exchanges.storing import NewExchange
from outcomes.models import ActionTaken, OutcomeEvent
from tests.conftest import Clock
from tests.factories import MemoryItemFactory
from tests.knowledge_graph.conftest import LearnNow, record_turn

memory = MemoryFacade("key:test")
QUERY = "docker permission error on the volume"
MODELS = (Concept, RoutingStat, Lesson, ActionStat, Solution, SolutionCue, DocumentStat)


def concept_keys(text: str) -> list[str]:
    return [concept.key for concept in extract_concepts(text)]


def list_examples(user: EndUser) -> list[ActionExample]:
    with user_scope(user):
        return list(ActionExample.objects.filter(user=user, action="search_memory").order_by("-at", "-id"))


def record_verdict(
    user: EndUser, clock: Clock, outcome: Outcome, items: Sequence[MemoryItem], query: str = QUERY
) -> Any:
    """A turn with its outcome. Returns the turn's id."""
    turn_id = record_turn(user, query, items)
    memory.record_outcome(user, outcome, now=clock(), turn_id=turn_id)
    return turn_id


def rows_of(user: EndUser) -> dict[str, list[Any]]:
    """Everything learned, without the ids of rows and the moments."""
    left_out = {"id", "user_id", "last_used_at", "first_seen", "last_seen", "event_id"}
    with user_scope(user):
        return {
            model.__name__: sorted(
                str({name: value for name, value in row.items() if name not in left_out})
                for row in model._default_manager.filter(user=user).values()
            )
            for model in MODELS
        }


def find_stat(user: EndUser, key: str, tier: Tier) -> RoutingStat:
    with user_scope(user):
        return RoutingStat.objects.get(user=user, key=key, tier=tier)


# --- routing -----------------------------------------------------------------------------------------------------
def test_each_concept_of_the_question_learns_what_came_of_each_tier(
    user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    pattern = MemoryItemFactory.create(user=user, tier=Tier.PATTERNS, text="Add the user to the docker group")
    history = MemoryItemFactory.create(user=user, tier=Tier.HISTORY, text="Restart the machine")
    for outcome in (Outcome.WORKED, Outcome.WORKED, Outcome.FAILED, Outcome.PARTIAL, Outcome.UNKNOWN):
        record_verdict(user, clock, outcome, [pattern])
    record_verdict(user, clock, Outcome.FAILED, [history])
    learn_now(user)
    found = find_stat(user, "docker", Tier.PATTERNS)
    assert (found.worked, found.failed, found.partial, found.unknown, found.uses) == (2, 1, 1, 1, 5)
    assert found.success_rate == pytest.approx(2 / 3), "a partial success decides nothing"
    other = find_stat(user, "docker", Tier.HISTORY)
    assert (other.failed, other.success_rate) == (1, 0.0)
    routing = statistics.load_routing(user, concept_keys(QUERY))
    assert {"docker", "permission", "error", "permission error"} <= set(routing)
    assert [record.tier for record in routing["docker"].tiers] == ["patterns", "history"]
    assert [one.tier for one in advise_tiers(routing)] == ["patterns", "history"]


def test_only_partial_outcomes_leave_the_rate_neutral_and_no_tier_recommended(
    user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    item = MemoryItemFactory.create(user=user, tier=Tier.HISTORY)
    record_verdict(user, clock, Outcome.PARTIAL, [item])
    learn_now(user)
    found = find_stat(user, "docker", Tier.HISTORY)
    assert (found.success_rate, found.wilson) == (0.5, 0.5)
    assert advise_tiers(statistics.load_routing(user, ["docker"])) == ()


@pytest.mark.parametrize("tier", [Tier.BOOKS, Tier.MEMORY_BANK])
def test_books_and_the_bank_learn_though_they_are_not_scored(
    user: EndUser, clock: Clock, learn_now: LearnNow, tier: Tier
) -> None:
    item = MemoryItemFactory.create(user=user, tier=tier)
    record_verdict(user, clock, Outcome.WORKED, [item])
    learn_now(user)
    assert find_stat(user, "docker", tier).worked == 1
    with user_scope(user):
        document = DocumentStat.objects.get(user=user, item_id=item.pk)
        assert (document.worked, document.uses, document.success_rate) == (1, 1, 1.0)


def test_a_question_in_another_language_meets_what_was_learned(
    user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    record_verdict(user, clock, Outcome.WORKED, [MemoryItemFactory.create(user=user, tier=Tier.HISTORY)])
    learn_now(user)
    routing = statistics.load_routing(user, concept_keys("איך מתקנים שגיאת הרשאות בדוקר?"))
    assert {"docker", "permission", "error"} <= set(routing)


# --- exactly once ------------------------------------------------------------------------------------------------
def test_learning_again_changes_nothing(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    record_verdict(user, clock, Outcome.WORKED, [MemoryItemFactory.create(user=user, tier=Tier.HISTORY)])
    learn_now(user)
    once = rows_of(user)
    assert verdicts.learn_outcomes(user, now=clock()) == 0
    assert learn_now(user) == 0
    assert rows_of(user) == once


def test_a_failure_between_counts_and_mark_counts_nothing(
    user: EndUser, clock: Clock, learn_now: LearnNow, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_verdict(user, clock, Outcome.WORKED, [MemoryItemFactory.create(user=user, tier=Tier.HISTORY)])

    def fail(*asked: object) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patch:
        patch.setattr(verdicts, "write_solutions", fail)
        with pytest.raises(RuntimeError):
            verdicts.learn_outcomes(user, now=clock())
    assert all(not found for found in rows_of(user).values())
    learn_now(user)
    assert find_stat(user, "docker", Tier.HISTORY).worked == 1


def test_a_replaced_verdict_takes_back_what_it_taught(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    item = MemoryItemFactory.create(user=user, tier=Tier.MEMORY_BANK, text="Use the docker group", tags=["x"])
    turn_id = record_verdict(user, clock, Outcome.WORKED, [item])
    learn_now(user)
    # The words the memory had when the verdict was learned are gone; it is taken back under the same keys.
    memory.revise(user, item.pk, {"text": "Something else altogether"}, now=clock())
    memory.record_outcome(user, Outcome.FAILED, now=clock.advance(minutes=1), turn_id=turn_id)
    learn_now(user)
    found = find_stat(user, "docker", Tier.MEMORY_BANK)
    assert (found.worked, found.failed) == (0, 1)
    with user_scope(user):
        assert Concept.objects.get(user=user, key="docker").uses == 1
        assert not RoutingStat.objects.filter(user=user, worked__gt=0).exists()
        [solution] = Solution.objects.filter(user=user)
        assert (solution.worked, solution.failed) == (0, 1)


def test_a_verdict_replaced_before_it_was_learned_teaches_only_the_last(
    user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    item = MemoryItemFactory.create(user=user, tier=Tier.HISTORY)
    turn_id = record_verdict(user, clock, Outcome.FAILED, [item])
    memory.record_outcome(user, Outcome.WORKED, now=clock.advance(minutes=1), turn_id=turn_id)
    learn_now(user)
    late = rows_of(user)
    assert find_stat(user, "docker", Tier.HISTORY).failed == 0
    assert find_stat(user, "docker", Tier.HISTORY).worked == 1
    assert len(late["Lesson"]) == 1


# --- known solutions ---------------------------------------------------------------------------------------------
def test_what_solved_a_problem_is_known_when_it_is_met_again_in_other_words(
    user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    wrong = MemoryItemFactory.create(user=user, tier=Tier.HISTORY, text="Restart the machine")
    right = MemoryItemFactory.create(user=user, tier=Tier.HISTORY, text="Add the user to the group")
    record_verdict(user, clock, Outcome.FAILED, [wrong])
    record_verdict(user, clock, Outcome.WORKED, [right])
    learn_now(user)
    again = statistics.find_solutions(user, concept_keys("volume: docker permissions error"))
    assert [(one.item_id, one.worked, one.failed, one.overlap) for one in again] == [
        (right.pk, 1.0, 0.0, 1.0),
        (wrong.pk, 0.0, 1.0, 1.0),
    ]
    assert statistics.find_solutions(user, concept_keys("which flowers grow in the shade")) == []


def test_a_verdict_on_all_that_was_shown_is_shared_out(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    items = MemoryItemFactory.create_batch(4, user=user, tier=Tier.HISTORY)
    record_verdict(user, clock, Outcome.WORKED, items)
    learn_now(user)
    assert {one.worked for one in statistics.find_solutions(user, concept_keys(QUERY))} == {0.25}


def test_a_deleted_memory_is_recommended_no_more(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    item = MemoryItemFactory.create(user=user, tier=Tier.BOOKS, text="Chapter three")
    record_verdict(user, clock, Outcome.WORKED, [item])
    learn_now(user)
    memory.remove(user, item.pk, now=clock())
    learn_now(user)
    assert statistics.find_solutions(user, concept_keys(QUERY)) == []
    with user_scope(user):
        for model in (Solution, SolutionCue, DocumentStat):
            assert not model._default_manager.filter(user=user).exists()


# --- actions -----------------------------------------------------------------------------------------------------
def record_action(user: EndUser, clock: Clock, verdict: str, **fields: Any) -> ActionTaken:
    values = {"action": "search_memory", "tiers": ["patterns"], "query": QUERY, "at": clock(), **fields}
    with user_scope(user):
        return ActionTaken.objects.create(user=user, verdict=verdict, **values)


def test_actions_learn_by_kind_of_work_and_tier_and_a_partial_success_counts_half(user: EndUser, clock: Clock) -> None:
    for verdict in ("worked", "partial", "failed", "partial"):
        record_action(user, clock, verdict)
    record_action(user, clock, "failed", action="web_search", tiers=[])
    assert actions.learn_actions(user) == 5
    first, second = statistics.load_actions(user, "docker")
    assert (first.action, first.tier, first.uses, first.success_rate) == ("search_memory", "patterns", 4, 0.5)
    assert (second.action, second.tier, second.success_rate) == ("web_search", "", 0.0)
    assert actions.learn_actions(user) == 0


def test_a_changed_verdict_moves_the_count_and_the_example(user: EndUser, clock: Clock) -> None:
    taken = record_action(user, clock, "worked")
    actions.learn_actions(user)
    with user_scope(user):
        ActionTaken.objects.filter(pk=taken.pk).update(verdict="failed")
    actions.learn_actions(user)
    [record] = statistics.load_actions(user, "docker")
    assert (record.worked, record.failed) == (0, 1)
    with user_scope(user):
        assert [one.outcome for one in ActionExample.objects.filter(user=user)] == ["failed"]
        ActionTaken.objects.filter(pk=taken.pk).update(verdict="")
    actions.learn_actions(user)
    assert statistics.load_actions(user, "docker") == []
    assert list_examples(user) == []


def test_only_the_latest_examples_are_kept(user: EndUser, clock: Clock) -> None:
    for number in range(actions.MOST_EXAMPLES + 5):
        record_action(user, clock, "worked", query=f"{QUERY} {number}", at=clock.advance(minutes=1))
    actions.learn_actions(user)
    kept = list_examples(user)
    assert len(kept) == actions.MOST_EXAMPLES
    assert kept[0].query_preview.endswith(str(actions.MOST_EXAMPLES + 4))
    [record] = statistics.load_actions(user, "docker")
    assert record.uses == actions.MOST_EXAMPLES + 5


def test_examples_name_the_memories_and_documents_of_their_turn_until_these_are_deleted(
    user: EndUser, clock: Clock, learn_now: LearnNow
) -> None:
    book = MemoryItemFactory.create(user=user, tier=Tier.BOOKS, text="Chapter three")
    history = MemoryItemFactory.create(user=user, tier=Tier.HISTORY, text="Restart")
    turn_id = record_turn(user, QUERY, [book, history])
    record_action(user, clock, "", turn_id=turn_id)
    memory.record_outcome(user, Outcome.WORKED, now=clock(), turn_id=turn_id)
    learn_now(user)
    [example] = list_examples(user)
    assert (set(example.memory_ids), example.doc_ids) == ({book.pk, history.pk}, [book.pk])
    memory.remove(user, book.pk, now=clock())
    learn_now(user)
    [example] = list_examples(user)
    assert (example.memory_ids, example.doc_ids) == ([history.pk], [])
    memory.remove(user, history.pk, now=clock())
    learn_now(user)
    assert list_examples(user) == []


def test_nothing_is_left_waiting_and_the_mark_is_taken_back(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    record_verdict(user, clock, Outcome.WORKED, [MemoryItemFactory.create(user=user, tier=Tier.HISTORY)])
    user.refresh_from_db()
    assert user.learning_due_since is not None
    learn_now(user)
    assert EndUser.objects.filter(pk=user.pk, learning_due_since=None).exists()
    with user_scope(user):
        assert not OutcomeEvent.objects.filter(user=user, learned_at=None).exists()


def test_a_forgotten_question_leaves_no_word_in_the_graphs(user: EndUser, clock: Clock, learn_now: LearnNow) -> None:
    item = MemoryItemFactory.create(user=user, tier=Tier.HISTORY, text="Add yourself to the group")
    other = record_verdict(user, clock, Outcome.WORKED, [item], "docker network error")
    assert other
    turn_id = record_turn(user, "", [item])
    run = [{"name": "search_memory", "ok": True, "ms": 3}]
    said = NewExchange("t", "docker quetzalcoatlus error", "Done.", turn_id=turn_id, tools=run)
    exchange = memory.store_exchange(user, said, now=clock())
    memory.record_outcome(user, Outcome.WORKED, now=clock(), turn_id=turn_id, exchange_id=exchange.exchange_id)
    learn_now(user)
    assert "quetzalcoatlus" in str(everything_of(user))
    memory.remove(user, exchange.memory_id, now=clock())
    learn_now(user)
    assert "quetzalcoatlus" not in str(everything_of(user))
    assert find_stat(user, "docker", Tier.HISTORY).worked == 1, "what the other question taught stays"


def everything_of(user: EndUser) -> list[Any]:
    with user_scope(user):
        return [row for model in GRAPH_TABLES for row in model._default_manager.filter(user=user).values()]
