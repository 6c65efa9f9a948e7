"""A month in the life of one user, through the API: a wrong fix fails and sinks, the right one works its way up."""

from collections.abc import Callable
from typing import Any

import pytest

from knowledge_graph.tasks import learn_user
from memory.models import EndUser
from tests.api_client import ApiClient
from tests.conftest import Clock

pytestmark = pytest.mark.usefixtures("services")

PROBLEM = "The docker containers cannot reach each other over the bridge network"
WRONG = "Restart the docker daemon, that repairs the bridge network between the containers"
RIGHT = "Prune the docker networks and create the bridge anew, then the containers reach each other"
REASON = "Restarting the daemon dropped every container and the bridge stayed broken"


class Month:
    """Ann's client. What it is answered is kept only in the test; everything else it reads back from the API."""

    def __init__(self, api: ApiClient, clock: Clock, user: EndUser, index_now: Callable[[EndUser], None]) -> None:
        self.api, self.clock, self.user, self.index_now = api, clock, user, index_now

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.api.post(path, body)
        assert answer.status_code in {200, 201}, answer.content
        return dict(answer.json())

    def get(self, path: str, **query: str) -> dict[str, Any]:
        answer = self.api.get(path, query)
        assert answer.status_code == 200, answer.content
        return dict(answer.json())

    def context(self, thread: str, query: str) -> dict[str, Any]:
        self.index_now(self.user)
        return self.post("context", {"query": query, "thread_id": thread})

    def try_out(self, thread: str, memory_id: str, answer: str, outcome: str, lesson: str = "") -> dict[str, Any]:
        """One turn: ask, be handed the memory, answer with it, say how it went; then the worker learns."""
        self.clock.advance(minutes=10)
        turn = self.context(thread, PROBLEM)
        shown = shown_memories(turn)
        assert memory_id in shown, "the memory was handed over"
        said = {"turn_id": turn["turn_id"], "user_message": PROBLEM, "assistant_message": answer}
        exchange = self.post(f"threads/{thread}/exchanges", said)
        assert (exchange["required_scoring"], exchange["state"]) == (True, "unscored")
        reported = {"turn_id": turn["turn_id"], "outcome": outcome, "related": [shown[memory_id]["position"]]}
        scored = self.post("outcomes", reported | ({"key_takeaway": lesson} if lesson else {}))
        assert [one["memory_id"] for one in scored["scored"]] == [memory_id]
        learn_user(self.user.pk)
        return dict(scored["scored"][0])

    def promote(self) -> dict[str, Any]:
        foretold, done = (self.post("promote", {"dry_run": dry_run}) for dry_run in (True, False))
        for part in ("promoted", "archived"):
            assert in_order(foretold[part]) == in_order(done[part]), "what was foretold is what happens"
        return done

    def story(self, memory_id: str) -> list[tuple[str, str]]:
        """What happened to a memory and why, oldest first."""
        events = self.get(f"memories/{memory_id}/events")["items"]
        return [(event["kind"], event["reason"]) for event in reversed(events)]


@pytest.fixture
def month(api: ApiClient, clock: Clock, user: EndUser, index_now: Callable[[EndUser], None]) -> Month:
    return Month(api, clock, user, index_now)


def in_order(moves: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(moves, key=lambda move: (move["memory_id"], move["reason"]))


def shown_memories(context: dict[str, Any]) -> dict[str, Any]:
    """The memories of a context by their id."""
    return dict(context["meta"]["retrieval"]["search_position_map"]["by_memory_id"])


def block(context: dict[str, Any], name: str) -> str:
    return next((part["text"] for part in context["sections"] if part["name"] == name), "")


def test_what_fails_sinks_what_works_rises_and_a_new_conversation_gets_both_lessons(month: Month) -> None:
    wrong = the_wrong_fix_fails_three_times_and_sinks(month)
    right = the_right_fix_works_and_reaches_patterns(month)
    a_new_conversation_gets_both(month, wrong, right)


def the_wrong_fix_fails_three_times_and_sinks(month: Month) -> str:
    assert month.context("first", PROBLEM)["injection"] == "", "on the first day nothing is known"
    wrong = month.post("memories", {"text": WRONG, "thread_id": "first"})
    assert (wrong["tier"], wrong["score"]) == ("working", 0.5)
    scores = [month.try_out("first", wrong["id"], WRONG, "failed", REASON)]
    warned = month.context("first", PROBLEM)
    assert REASON in block(warned, "contextual_memory"), "the next answer is warned at once"
    scores += [month.try_out("first", wrong["id"], WRONG, "failed") for _ in range(2)]
    assert [(one["score"], one["uses"]) for one in scores] == [(0.2, 1), (0.0, 2), (0.0, 3)]
    month.clock.advance(hours=1)
    gone = [one for one in month.promote()["archived"] if one["memory_id"] == wrong["id"]]
    assert [one["reason"] for one in gone] == ["score 0.00 < 0.2 after 3 uses"]
    assert month.get(f"memories/{wrong['id']}")["status"] == "archived"
    reported = month.story(wrong["id"])
    assert [kind for kind, _ in reported] == [
        "stored",
        "outcome_failed",
        "outcome_failed",
        "outcome_failed",
        "archived",
    ]
    assert reported[-1][1] == "score 0.00 < 0.2 after 3 uses"
    assert wrong["id"] not in shown_memories(month.context("first", PROBLEM)), "it is offered no more"
    return str(wrong["id"])


def the_right_fix_works_and_reaches_patterns(month: Month) -> str:
    right = month.post("memories", {"text": RIGHT, "thread_id": "first"})["id"]
    assert month.try_out("first", right, RIGHT, "worked")["score"] == 0.7
    assert month.get(f"memories/{right}")["tier"] == "working"
    assert right not in [one["memory_id"] for one in month.promote()["promoted"]], "one success proves nothing yet"
    assert month.try_out("first", right, RIGHT, "worked")["score"] == 0.9
    moved = [one for one in month.promote()["promoted"] if one["memory_id"] == right]
    assert [(one["from"], one["to"]) for one in moved] == [("working", "history")]
    month.clock.advance(days=10)
    assert month.try_out("tenth-day", right, RIGHT, "worked")["score"] == 1.0
    moved = [one for one in month.promote()["promoted"] if one["memory_id"] == right]
    assert [(one["from"], one["to"]) for one in moved] == [("history", "patterns")]
    assert month.get(f"memories/{right}")["tier"] == "patterns"
    reported = [(kind, reason) for kind, reason in month.story(right) if kind not in {"stored"}]
    assert reported == [
        ("outcome_worked", ""),
        ("outcome_worked", ""),
        ("promoted", "score 0.90 >= 0.7 and uses 2 >= 2"),
        ("outcome_worked", ""),
        ("promoted", "score 1.00 >= 0.9 and uses 3 >= 3"),
    ]
    assert month.promote()["promoted"] == [], "a second pass finds nothing to do"
    return str(right)


def a_new_conversation_gets_both(month: Month, wrong: str, right: str) -> None:
    month.clock.advance(days=20)
    month.promote()
    question = "My docker containers lost the bridge network again, what shall I do?"
    known = month.get("insights", query=question)
    assert [one["memory_id"] for one in known["relevant_patterns"]] == [right]
    assert (known["relevant_patterns"][0]["uses"], known["relevant_patterns"][0]["success_rate"]) == (3, 1.0)
    failure = known["past_failures"][0]
    assert (failure["memory_id"], failure["status"], failure["reason"]) == (wrong, "archived", REASON)
    assert known["context_type"] == "docker"
    assert "docker" in known["matched_concepts"]
    assert known["tier_recommendations"][0]["tier"] in {"history", "working"}, "where it stood when it worked"
    context = month.context("a-new-thread", question)
    names = [part["name"] for part in context["sections"]]
    assert names == ["core_instructions", "contextual_memory", "retrieved_memories"]
    reported = block(context, "contextual_memory")
    assert "📋 Past Experience:\n  • Based on 3 past use(s), this approach had a 100% success rate" in reported
    assert f"patterns, 2026-03-02: {RIGHT}" in reported
    assert "⚠️ Past Failures to Avoid:\n  • Similar approach failed 3 times (2026-03-02) due to: " + REASON in reported
    assert right in shown_memories(context)
    assert wrong not in shown_memories(context)
    assert context["meta"]["context_type"] == "docker"
    assert context["meta"]["context_insights"]["matched_concepts"] == known["matched_concepts"]
    assert month.get("insights", query="How long does the sourdough rest?")["past_failures"] == []
