"""Messages are labelled in the background, found by their labels, and labelled anew when the vocabulary changes."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from memory import tasks
from memory.access.scope import user_scope
from memory.enrichment.tasks import label_person, label_user, sweep_labels
from memory.models import EndUser, LabelledTerm, MemoryItem, MessageLabel
from memory.vocabulary.editions import NewTerm, add_term, choose_preset
from memory.vocabulary.terms import TermKind
from tests.api_client import ApiClient

pytestmark = pytest.mark.usefixtures("services")

ANSWER = "It was sent on Monday with parcel 00340434 2210 9987."


@pytest.fixture
def desk(user: EndUser) -> EndUser:
    choose_preset(user.organization_id, "support", now=timezone.now(), actor="test")
    return user


def say(api: ApiClient, message: str, answer: str = "All right.", **more: Any) -> None:
    said = api.post("threads/t1/exchanges", {"user_message": message, "assistant_message": answer, **more})
    assert said.status_code in {200, 201}, said.content


def list_labelled(api: ApiClient, **query: Any) -> list[dict[str, Any]]:
    found = api.get("labels", query)
    assert found.status_code == 200, found.content
    return list(found.json()["items"])


def test_an_exchange_is_found_by_its_topic_and_by_what_is_mentioned(api: ApiClient, desk: EndUser) -> None:
    say(api, "I never got a refund for order 88-41207!")
    say(api, "when is my parcel delivered?", ANSWER)
    assert label_person(desk, now=timezone.now()) == 2
    [refund] = list_labelled(api, topic="refund")
    assert "88-41207" in refund["text"]
    assert {"type": "order_id", "value": "88-41207"} in refund["entities"]
    assert (refund["reader"], refund["version"]) == ("rules", 1)
    assert list_labelled(api, entity="#88-41207") == [refund]
    # What only the answer names finds the exchange as well.
    [parcel] = list_labelled(api, entity="00340434 2210 9987")
    assert "shipping" in parcel["topics"]
    assert label_person(desk, now=timezone.now()) == 0


def test_pages_of_labelled_messages_follow_one_another(api: ApiClient, desk: EndUser) -> None:
    for number in range(3):
        say(api, f"please refund number {number}")
    label_person(desk, now=timezone.now())
    first = api.get("labels", {"topic": "refund", "limit": "2"}).json()
    rest = api.get("labels", {"topic": "refund", "limit": "2", "cursor": first["next_cursor"]}).json()
    texts = [one["text"].partition("\n")[0] for one in (*first["items"], *rest["items"])]
    assert texts == [f"User: please refund number {number}" for number in (2, 1, 0)]
    assert rest["next_cursor"] is None


@pytest.mark.parametrize("query", [{}, {"topic": "refund", "entity": "x"}, {"topic": "unheard_of"}])
def test_a_question_without_one_term_of_the_vocabulary_is_refused(
    api: ApiClient, user: EndUser, query: dict[str, str]
) -> None:
    refused = api.get("labels", query)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "topic"


def test_a_changed_vocabulary_labels_what_is_there_anew(api: ApiClient, desk: EndUser) -> None:
    say(api, "does the policy cover hail?")
    label_person(desk, now=timezone.now())
    new = NewTerm(TermKind.TOPIC, "insurance", aliases=["policy", "cover*"])
    add_term(desk.organization_id, new, now=timezone.now(), actor="test")
    assert list_labelled(api, topic="insurance") == []
    assert sweep_labels() == 1
    [found] = list_labelled(api, topic="insurance")
    assert found["version"] == 2


def test_a_reworded_memory_loses_its_old_labels_and_a_deleted_one_all(api: ApiClient, desk: EndUser) -> None:
    stored = api.post("memories", {"text": "They owe me a refund.", "tier": "history"}).json()
    label_person(desk, now=timezone.now())
    assert len(list_labelled(api, topic="refund")) == 1
    api.patch(f"memories/{stored['id']}", {"text": "The kettle is cracked."})
    label_person(desk, now=timezone.now())
    assert list_labelled(api, topic="refund") == []
    assert len(list_labelled(api, topic="product_issue")) == 1
    api.delete(f"memories/{stored['id']}")
    with user_scope(desk):
        assert not MessageLabel.objects.filter(user=desk).exists()
        assert not LabelledTerm.objects.filter(user=desk).exists()


def test_older_messages_are_labelled_when_asked_for(api: ApiClient, desk: EndUser) -> None:
    long_ago = timezone.now() - timedelta(days=90)
    say(api, "I want my refund", occurred_at=long_ago.isoformat())
    assert label_person(desk, now=timezone.now()) == 0
    out = StringIO()
    since = (long_ago - timedelta(days=1)).date().isoformat()
    call_command("enrich", "--org", desk.organization.slug, "--user", desk.external_id, "--since", since, stdout=out)
    assert "1 messages" in out.getvalue()
    assert len(list_labelled(api, topic="refund")) == 1


def test_the_worker_labels_what_it_has_indexed(api: ApiClient, desk: EndUser, monkeypatch: pytest.MonkeyPatch) -> None:
    passed_on: list[int] = []
    monkeypatch.setattr(label_user, "delay", passed_on.append)
    say(api, "I want my refund")
    tasks.index_user(desk.pk)
    assert passed_on == [desk.pk]
    assert label_user(desk.pk) == 1


def test_nothing_is_labelled_where_it_is_switched_off(
    api: ApiClient, desk: EndUser, settings: Settings, index_now: Callable[[EndUser], None]
) -> None:
    say(api, "I want my refund")
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "enrichment": False}}
    assert label_user(desk.pk) == sweep_labels() == 0


def test_labels_are_read_from_their_index(api: ApiClient, desk: EndUser) -> None:
    """With statistics of a large person: as the application's role, under the policy."""
    say(api, "I want my refund")
    label_person(desk, now=timezone.now())
    with user_scope(desk), connection.cursor() as cursor:
        item = MemoryItem.objects.for_user(desk)[0]
        cursor.execute(
            "INSERT INTO labelled_term (user_id, item_id, kind, term, occurred_at) "
            "SELECT %s, %s, 'topic', 'filler' || n, now() FROM generate_series(1, 5000) n",
            [desk.pk, item.pk],
        )
        cursor.execute(
            "EXPLAIN SELECT item_id FROM labelled_term WHERE user_id = %s AND kind = 'topic' AND term = ANY(%s) "
            "ORDER BY occurred_at DESC LIMIT 20",
            [desk.pk, ["refund"]],
        )
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "labelled_term_found" in plan
