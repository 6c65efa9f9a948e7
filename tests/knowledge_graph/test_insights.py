"""Insights: what worked, what failed, what is known, what was asked before; by words and graphs, without a vector."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from knowledge_graph.insights import Insights, render_insights
from knowledge_graph.tasks import learn_user
from memory.context.compose import RecentMessage
from memory.facade import MemoryFacade
from memory.models import EndUser, MemoryItem
from memory.retrieval.results import SearchRequest
from memory.store.admission import NewMemory
from memory.tiers import Outcome, SourceType, Status, Tier
from outcomes.exchanges.storing import NewExchange
from tests.api_client import ApiClient
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

memory = MemoryFacade("key:test")


def put_memory(user: EndUser, clock: Clock, text: str, **fields: Any) -> MemoryItem:
    return memory.store(user, NewMemory(text, **fields), now=clock()).item


def record_verdict(user: EndUser, clock: Clock, item: MemoryItem, *outcomes: Outcome, takeaway: str = "") -> None:
    for outcome in outcomes:
        clock.advance(minutes=1)
        memory.record_outcome(user, outcome, now=clock(), related=[str(item.pk)], key_takeaway=takeaway)


def ask_insights(user: EndUser, clock: Clock, query: str, **fields: Any) -> Insights:
    return memory.get_insights(user, query, now=clock(), **fields)


# --- what worked and what failed ---------------------------------------------------------------------------------
def test_what_worked_for_the_matter_comes_with_its_record(user: EndUser, clock: Clock) -> None:
    item = put_memory(user, clock, "Pruning the docker network removed the stale bridge", tier=Tier.HISTORY)
    put_memory(user, clock, "The docker network is called lighthouse", tier=Tier.HISTORY)
    record_verdict(user, clock, item, Outcome.WORKED, Outcome.WORKED, Outcome.FAILED)
    found = ask_insights(user, clock, "How do I repair the docker network?")
    assert [one.memory_id for one in found.relevant_patterns] == [item.pk]
    shown = found.as_json()["relevant_patterns"][0]
    assert (shown["uses"], shown["worked"], shown["failed"], shown["success_rate"]) == (3, 2, 1, 0.6667)
    assert shown["content"] == item.text
    lines = render_insights(found)
    assert "  • Based on 3 past use(s), this approach had a 67% success rate" in lines
    assert any(line.endswith("Pruning the docker network removed the stale bridge") for line in lines)


def test_a_partial_success_counts_half_in_every_figure_of_a_memory(user: EndUser, clock: Clock) -> None:
    item = put_memory(user, clock, "Pruning the docker network removed the stale bridge", tier=Tier.HISTORY)
    record_verdict(user, clock, item, Outcome.WORKED, Outcome.PARTIAL)
    [shown] = ask_insights(user, clock, "How do I repair the docker network?").as_json()["relevant_patterns"]
    [hit] = memory.search(user, SearchRequest("docker network"), now=clock(), remember=False).hits
    assert (shown["uses"], shown["success_rate"]) == (2, 0.75)
    assert shown["wilson_score"] == hit.summary(clock())["wilson_score"]


def test_what_failed_comes_with_the_reason_also_when_it_was_archived(user: EndUser, clock: Clock) -> None:
    item = put_memory(user, clock, "Restarting the docker daemon repairs the docker network", tier=Tier.HISTORY)
    record_verdict(
        user, clock, item, Outcome.FAILED, takeaway="The restart dropped every container and changed nothing"
    )
    record_verdict(user, clock, item, Outcome.FAILED)
    memory.archive(user, item.pk, now=clock())
    found = ask_insights(user, clock, "docker network is broken")
    assert [one.memory_id for one in found.past_failures] == [item.pk]
    failure = found.as_json()["past_failures"][0]
    assert failure["status"] == Status.ARCHIVED
    assert failure["reason"] == "The restart dropped every container and changed nothing"
    assert failure["content"] == item.text
    assert found.relevant_patterns == ()


def test_a_failure_of_another_matter_is_not_told(user: EndUser, clock: Clock) -> None:
    bread = put_memory(user, clock, "Baking the sourdough bread at 180 degrees left it raw", tier=Tier.HISTORY)
    router = put_memory(user, clock, "Restarting the router repairs the wifi", tier=Tier.HISTORY)
    for item in (bread, router):
        record_verdict(user, clock, item, Outcome.FAILED)
    assert [one.memory_id for one in ask_insights(user, clock, "The wifi drops, what now?").past_failures] == [
        router.pk
    ]
    assert [one.memory_id for one in ask_insights(user, clock, "My sourdough bread is raw").past_failures] == [bread.pk]
    assert ask_insights(user, clock, "When does the train to Haifa leave?").past_failures == ()


def test_what_failed_in_one_language_is_told_in_another(user: EndUser, clock: Clock) -> None:
    item = put_memory(user, clock, "Den Router neu starten behebt das WLAN", tier=Tier.HISTORY)
    record_verdict(user, clock, item, Outcome.FAILED)
    assert [one.memory_id for one in ask_insights(user, clock, "How do I repair the router wifi?").past_failures] == [
        item.pk
    ]


def test_a_lesson_without_memories_is_experience_of_its_own(user: EndUser, clock: Clock) -> None:
    turn = memory.search(user, SearchRequest("sourdough"), now=clock()).turn_id
    memory.record_outcome(user, Outcome.FAILED, now=clock(), turn_id=turn, key_takeaway="A cold oven spoils sourdough")
    found = ask_insights(user, clock, "sourdough again")
    assert [(one.content, one.uses, one.failed) for one in found.past_failures] == [
        ("A cold oven spoils sourdough", 1, 1)
    ]
    assert found.relevant_patterns == ()


def test_what_mostly_worked_is_no_failure_and_what_mostly_failed_no_pattern(user: EndUser, clock: Clock) -> None:
    mixed = put_memory(user, clock, "Rebooting the router revives the wifi", tier=Tier.HISTORY)
    record_verdict(user, clock, mixed, Outcome.WORKED, Outcome.WORKED, Outcome.FAILED)
    found = ask_insights(user, clock, "router wifi")
    assert ([one.memory_id for one in found.relevant_patterns], found.past_failures) == ([mixed.pk], ())
    record_verdict(user, clock, mixed, Outcome.FAILED, Outcome.FAILED)
    found = ask_insights(user, clock, "router wifi")
    assert ([one.memory_id for one in found.past_failures], found.relevant_patterns) == ([mixed.pk], ())


def test_archived_successes_are_not_recommended(user: EndUser, clock: Clock) -> None:
    item = put_memory(user, clock, "Rebooting the router revives the wifi", tier=Tier.HISTORY)
    record_verdict(user, clock, item, Outcome.WORKED)
    memory.archive(user, item.pk, now=clock())
    assert ask_insights(user, clock, "router wifi").relevant_patterns == ()


# --- what is known -----------------------------------------------------------------------------------------------
def test_the_bank_is_read_by_words(user: EndUser, clock: Clock) -> None:
    known = put_memory(user, clock, "Runs a docker swarm at home", tier=Tier.MEMORY_BANK, tags=["project"])
    put_memory(user, clock, "Prefers tea over coffee", tier=Tier.MEMORY_BANK, tags=["preference"])
    found = ask_insights(user, clock, "How large is my docker swarm?")
    assert [fact.memory_id for fact in found.you_already_know] == [known.pk]
    assert "  • Runs a docker swarm at home" in render_insights(found)
    assert render_insights(found, shown_ids=[known.pk]) == render_insights(ask_insights(user, clock, "unheard of")), (
        "said elsewhere"
    )


def test_words_from_outside_say_where_they_are_from(user: EndUser, clock: Clock) -> None:
    text = "Resetting the router repairs the wifi"
    item = put_memory(user, clock, text, source_type=SourceType.DOCUMENT)
    record_verdict(user, clock, item, Outcome.WORKED)
    found = ask_insights(user, clock, "router wifi")
    assert found.as_json()["relevant_patterns"][0]["source"] == "from a document"
    assert any(f"(from a document) {text}" in line for line in render_insights(found))


# --- the conversation --------------------------------------------------------------------------------------------
def record_exchange(user: EndUser, clock: Clock, thread_id: str, *questions: str) -> None:
    for question in questions:
        memory.store_exchange(user, NewExchange(thread_id, question, "I am not sure."), now=clock())
        clock.advance(minutes=5)


def test_the_same_question_in_the_thread_a_moment_ago_is_noticed(user: EndUser, clock: Clock) -> None:
    record_exchange(user, clock, "t-1", "How do I repair the docker network?")
    found = ask_insights(user, clock, "how do i repair the docker network", thread_id="t-1").repetition
    assert found is not None
    assert (found.in_thread, found.minutes_ago, found.times) == (True, 5, 1)
    assert ask_insights(user, clock, "how do i repair the docker network", thread_id="t-2").repetition is None
    anywhere = ask_insights(user, clock, "how do i repair the docker network")
    assert anywhere.repetition is not None, "without a thread it may be this conversation"
    assert not anywhere.repetition.in_thread
    assert any("The same was asked 5 min ago" in line for line in render_insights(anywhere))
    assert ask_insights(user, clock, "How do I bake bread?", thread_id="t-1").repetition is None


def test_what_was_told_is_not_what_is_asked_of_it(user: EndUser, clock: Clock) -> None:
    record_exchange(user, clock, "t-1", "Je suis enceinte.")
    assert ask_insights(user, clock, "Suis-je enceinte ?", thread_id="t-1").repetition is None
    again = ask_insights(user, clock, "Je suis enceinte !", thread_id="t-1")
    assert any("The same was said 5 min ago" in line for line in render_insights(again))


def test_a_question_of_earlier_that_was_stored_now_was_not_asked_now(user: EndUser, clock: Clock) -> None:
    question = "How do I repair the docker network?"
    said = clock() - timedelta(days=11)
    memory.store_exchange(user, NewExchange("t-1", question, "I am not sure.", occurred_at=said), now=clock())
    assert ask_insights(user, clock, question, thread_id="t-1").repetition is None
    assert ask_insights(user, clock, question).repetition is None


def test_a_client_that_keeps_the_conversation_itself_is_told_of_a_repetition_too(user: EndUser, clock: Clock) -> None:
    question = "How do I repair the docker network?"
    said = [RecentMessage("user", "Docker network: how do I repair it?"), RecentMessage("assistant", "Prune it.")]
    found = ask_insights(user, clock, question, recent_messages=said).repetition
    assert found is not None
    assert (found.in_thread, found.times) == (True, 1)
    assert ask_insights(user, clock, question, recent_messages=[RecentMessage("user", question)]).repetition is None, (
        "it is the same"
    )
    assert ask_insights(user, clock, "How do I bake bread?", recent_messages=said).repetition is None


def test_a_question_asked_in_several_threads_is_told_with_how_often(user: EndUser, clock: Clock) -> None:
    for thread in ("t-1", "t-2", "t-3"):
        record_exchange(user, clock, thread, "How do I repair the docker network?")
        clock.advance(days=2)
    found = ask_insights(user, clock, "How do I repair the docker network?", thread_id="t-4")
    assert found.repetition is not None
    assert (found.repetition.in_thread, found.repetition.times) == (False, 3)
    assert "This was asked 3 times before: look for what still does not hold." in found.directives


def test_the_conversation_goes_on_about_what_was_said_before(user: EndUser, clock: Clock) -> None:
    said = [RecentMessage("user", "The docker swarm lost a node"), RecentMessage("assistant", "Which node?")]
    found = ask_insights(user, clock, "How do I add a node to docker?", recent_messages=said)
    assert {topic.topic for topic in found.topic_continuity} == {"docker", "node"}
    assert any(line.startswith("🔗 Continuing discussion about: ") for line in render_insights(found))
    vague = ask_insights(user, clock, "And then?", recent_messages=said)
    assert {topic.topic for topic in vague.topic_continuity} >= {"node"}
    record_exchange(user, clock, "t-1", "The docker swarm lost a node")
    from_thread = ask_insights(user, clock, "How do I add a node to docker?", thread_id="t-1")
    assert {topic.topic for topic in from_thread.topic_continuity} == {"docker", "node"}
    assert ask_insights(user, clock, "How do I bake bread?", recent_messages=said).topic_continuity == ()


# --- the rest ----------------------------------------------------------------------------------------------------
def test_nothing_known_is_nothing_told(user: EndUser, other_user: EndUser, clock: Clock) -> None:
    item = put_memory(other_user, clock, "Restarting docker repairs the docker network", tier=Tier.HISTORY)
    record_verdict(other_user, clock, item, Outcome.FAILED)
    for found in (
        ask_insights(user, clock, "docker network"),
        memory.get_insights(None, "docker network", now=clock()),
    ):
        assert render_insights(found) == []
        shown = found.as_json()
        assert shown.pop("context_type") == "docker"
        assert not any(shown.values())


def test_a_question_without_a_word_of_its_own_is_answered(user: EndUser, clock: Clock) -> None:
    assert ask_insights(user, clock, "what should I do?", thread_id="t").as_json()["relevant_patterns"] == []
    assert ask_insights(user, clock, "?!").relevant_patterns == ()


def test_without_graphs_words_still_say_what_failed(user: EndUser, clock: Clock) -> None:
    item = put_memory(user, clock, "Restarting docker repairs the docker network", tier=Tier.HISTORY)
    record_verdict(user, clock, item, Outcome.FAILED)
    flags: Any = settings.MEMORY["FLAGS"]
    with override_settings(MEMORY=settings.MEMORY | {"FLAGS": {**flags, "kg": False}}):
        found = ask_insights(user, clock, "docker network")
    assert [one.memory_id for one in found.past_failures] == [item.pk]
    assert found.matched_concepts == ()


def test_insights_are_an_endpoint_of_their_own(user: EndUser, api: ApiClient, clock: Clock) -> None:
    item = put_memory(user, clock, "Restarting docker repairs the docker network", tier=Tier.HISTORY)
    record_verdict(user, clock, item, Outcome.FAILED, takeaway="It dropped every container")
    answer = api.get("/api/v1/users/ann/insights?query=docker+network").json()
    assert answer["context_type"] == "docker"
    assert answer["past_failures"][0]["reason"] == "It dropped every container"
    assert set(answer) >= {
        "matched_concepts", "tier_recommendations", "relevant_patterns", "you_already_know", "topic_continuity",
        "repetition", "directives",
    }  # fmt: skip
    assert api.get("/api/v1/users/nobody/insights?query=docker").json()["past_failures"] == []
    assert not EndUser.objects.filter(external_id="nobody").exists()
    refused = api.get("/api/v1/users/ann/insights?query=%20")
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "query")


# --- what the graphs add -----------------------------------------------------------------------------------------
QUESTION = "How do I repair the docker network?"


def turn(user: EndUser, clock: Clock, query: str, outcome: Outcome, **exchange: Any) -> None:
    """A whole turn, and what is learned from it."""
    clock.advance(minutes=1)
    found = memory.search(user, SearchRequest(query, thread_id="t"), now=clock())
    memory.store_exchange(user, NewExchange("t", query, "Do that.", turn_id=found.turn_id, **exchange), now=clock())
    memory.record_outcome(user, outcome, now=clock(), turn_id=found.turn_id)
    learn_user(user.pk)


def test_tiers_that_answered_before_are_recommended(user: EndUser, clock: Clock) -> None:
    put_memory(user, clock, "Pruning the docker network removed the stale bridge", tier=Tier.PATTERNS)
    for _ in range(3):
        turn(user, clock, QUESTION, Outcome.WORKED)
    found = ask_insights(user, clock, QUESTION)
    assert {"docker", "network"} <= set(found.matched_concepts)
    advice = next(one for one in found.tier_recommendations if one.tier == "patterns")
    assert (advice.success_rate, advice.uses) == (1.0, 3)
    assert any("check patterns collection (historically 100% effective)" in line for line in render_insights(found))
    assert found.directives[0].startswith("Search ")
    assert "patterns" in found.directives[0]
    assert {one.concept for one in found.active_concepts} >= {"docker", "network"}
    assert ask_insights(user, clock, "When does the bakery open?").tier_recommendations == ()


def test_tools_that_helped_in_this_kind_of_work_are_told(user: EndUser, clock: Clock) -> None:
    put_memory(user, clock, "Pruning the docker network removed the stale bridge", tier=Tier.PATTERNS)
    tools = [{"name": "run_code", "ok": True, "ms": 5.0}]
    for outcome in (Outcome.WORKED, Outcome.PARTIAL):
        turn(user, clock, QUESTION, outcome, tools=tools)
    found = ask_insights(user, clock, QUESTION)
    advice = next(one for one in found.tool_statistics if one.action == "run_code")
    assert (advice.success_rate, advice.uses) == (0.75, 2)
    assert "  • run_code: 75% of 2 uses helped" in render_insights(found)


def test_what_was_tried_on_a_problem_is_known_by_the_problem_though_its_words_differ(
    user: EndUser, clock: Clock
) -> None:
    problem = "The wifi drops in the attic"
    bad = put_memory(user, clock, "Move the blue box closer to the window", tier=Tier.HISTORY)
    clock.advance(minutes=1)
    shown = memory.search(user, SearchRequest(problem), now=clock())
    memory.record_outcome(user, Outcome.FAILED, now=clock(), turn_id=shown.turn_id, related=[str(bad.pk)])
    assert ask_insights(user, clock, "wifi drops in my attic").past_failures == (), "nothing was learned yet"
    learn_user(user.pk)
    assert [one.memory_id for one in ask_insights(user, clock, "wifi drops in my attic").past_failures] == [bad.pk]
    assert ask_insights(user, clock, "The tap drips in the kitchen").past_failures == ()


def test_a_bank_item_is_known_by_whom_it_names(user: EndUser, clock: Clock) -> None:
    known = put_memory(user, clock, "My sister Dana works at Siemens", tier=Tier.MEMORY_BANK, tags=["identity"])
    learn_user(user.pk)
    assert [
        fact.memory_id for fact in ask_insights(user, clock, "What should I cook for Dana tonight?").you_already_know
    ] == [known.pk]
