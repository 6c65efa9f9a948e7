"""Retrieval in stages through the context: this conversation, others by their labels, and what is kept for good."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from memory.access.scope import user_scope
from memory.enrichment import handing
from memory.enrichment.intent import read_intent
from memory.enrichment.staged import OTHER_THREADS, THIS_THREAD, retrieve_in_stages
from memory.enrichment.tasks import label_person
from memory.models import EndUser, Turn
from memory.vocabulary.editions import read_vocabulary
from tests.api_client import ApiClient
from tests.memory.context.test_context import META

pytestmark = pytest.mark.usefixtures("services")

LONG = "I want the refund for the teapot. " * 20


def compose(api: ApiClient, query: str, **more: Any) -> dict[str, Any]:
    made = api.post("context", {"query": query, "thread_id": "now", "retrieval": "staged", **more})
    assert made.status_code == 200, made.content
    return dict(made.json())


def find_section(made: dict[str, Any], name: str) -> str:
    return next((part["text"] for part in made["sections"] if part["name"] == name), "")


def test_stages_hand_over_what_their_labels_find_with_its_conversation(api: ApiClient, desk: EndUser) -> None:
    api.patch("threads/kettle", {"title": "Leaking kettle"})
    made = compose(api, "when do I get my refund?")
    assert "one more thing" in find_section(made, "current_conversation")
    others = find_section(made, "related_conversations")
    assert "88-41207" in others
    assert "from the conversation Leaking kettle" in others
    assert "password" not in others
    assert "by mail" in made["injection"]
    META.validate(made["meta"])
    intent = made["meta"]["debug"]["intent"]
    assert (intent["topics"], intent["reader"]) == (["refund"], "rules")
    # An outcome can name what was handed over.
    with user_scope(desk):
        turn = Turn.objects.get(user=desk, turn_id=made["turn_id"])
    handed = {name: ids for name, _, ids in turn.sections}
    assert len(handed["related_conversations"]) == 1
    positions = [item_id for item_id, _ in turn.positions]
    assert set(positions) >= set(handed["related_conversations"])


def test_what_a_question_names_finds_another_conversation_in_any_spelling(api: ApiClient, desk: EndUser) -> None:
    made = compose(api, "what about #88-41207")
    assert "kettle leaks" in find_section(made, "related_conversations")
    assert made["meta"]["debug"]["intent"]["entities"] == ["88-41207"]


def test_a_question_about_this_conversation_leaves_the_others_alone(api: ApiClient, desk: EndUser) -> None:
    made = compose(api, "in this conversation, what did I say of a refund?")
    assert find_section(made, "related_conversations") == ""
    assert "one more thing" in find_section(made, "current_conversation")


def test_a_stage_shows_the_beginning_of_a_long_record_and_says_so(api: ApiClient, desk: EndUser) -> None:
    api.post("threads/teapot/exchanges", {"user_message": LONG, "assistant_message": "Noted."})
    label_person(desk, now=timezone.now())
    others = find_section(compose(api, "my refund?"), "related_conversations")
    assert "[…]" in others
    assert LONG not in others


def test_a_day_that_is_named_bounds_what_is_found(desk: EndUser) -> None:
    vocabulary = read_vocabulary(desk.organization_id)
    later = timezone.now() + timedelta(days=40)
    of_today = read_intent("what refund did I ask for today?", vocabulary, now=later)
    at_any_time = read_intent("what refund did I ask for?", vocabulary, now=later)
    found = [len(retrieve_in_stages(desk, intent, thread_id="", now=later)) for intent in (of_today, at_any_time)]
    assert found[0] < found[1]


def test_the_search_answers_where_the_stages_cannot_be_read(
    api: ApiClient, desk: EndUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **kwargs: object) -> None:
        raise DatabaseError("broken")

    monkeypatch.setattr(handing, "retrieve_in_stages", fail)
    made = compose(api, "which order did I want a refund for?")
    assert "staged_skipped" in made["meta"]["debug"]["fallbacks_used"]
    assert find_section(made, "related_conversations") == ""


@pytest.mark.parametrize("retrieval", ["both", "", None, 1])
def test_another_way_to_retrieve_is_refused(api: ApiClient, user: EndUser, retrieval: object) -> None:
    refused = api.post("context", {"query": "x", "retrieval": retrieval})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "retrieval"


def test_another_persons_conversations_are_no_stage(
    api: ApiClient, desk: EndUser, other_user: EndUser, foreign_user: EndUser
) -> None:
    vocabulary = read_vocabulary(desk.organization_id)
    intent = read_intent("my refund for 88-41207?", vocabulary, now=timezone.now())
    for someone in (other_user, foreign_user):
        assert retrieve_in_stages(someone, intent, thread_id="kettle", now=timezone.now()) == []


@pytest.mark.parametrize("statement", [THIS_THREAD, OTHER_THREADS])
def test_a_stage_scans_no_table_under_the_policy(desk: EndUser, statement: str) -> None:
    now = timezone.now()
    given: dict[str, Any] = {
        "user": desk.pk, "thread": "now", "agent": "", "project": "",
        "topics": ["refund"], "entities": ["88-41207"], "entity_points": 8,
        "since": now - timedelta(days=1), "until": now + timedelta(days=1), "kept": ["active"], "said": ["working"],
        "looked_at": 400, "limit": 10,
    }  # fmt: skip
    with user_scope(desk), connection.cursor() as cursor:
        # Of a few rows a scan is cheaper; asked is whether the policy lets the index be used at all.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {statement}", given)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Seq Scan" not in plan, plan
