"""Labels by a scripted language model: terms of the vocabulary alone, by a tool or by JSON, and within bounds."""

import json
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from memory.access.scope import user_scope
from memory.enrichment.by_model import label_by_model
from memory.enrichment.labels import MentionedEntity
from memory.enrichment.tasks import label_user
from memory.models import EndUser, MessageLabel, ModelCall
from memory.platform.faults import BadReply
from memory.vocabulary.editions import TermChanges, change_term
from memory.vocabulary.presets import load_preset
from memory.vocabulary.terms import TermKind
from tests.doubles.model_services import LanguageModelStub
from tests.factories import MemoryItemFactory

pytestmark = [pytest.mark.usefixtures("services"), pytest.mark.django_db]

SUPPORT = load_preset("support")
ASKED = "I don't want a refund for the kettle, why did it break? kim@shop.example"


def say(**more: Any) -> str:
    answer: dict[str, Any] = {
        "topics": ["product_issue"],
        "category": "inquiry",
        "message_type": "question",
        "entities": [{"type": "product_name", "value": "kettle"}, {"type": "person_name", "value": "Zed"}],
        "importance": "normal",
        "confidence": "high",
    }
    return json.dumps({**answer, **more})


@pytest.fixture
def model(chat_model: LanguageModelStub) -> LanguageModelStub:
    chat_model.says(say())
    return chat_model


def test_the_vocabularys_terms_are_the_only_answers_offered(model: LanguageModelStub) -> None:
    labels = label_by_model(ASKED, SUPPORT)
    assert (labels.topics, labels.category, labels.message_type) == (("product_issue",), "inquiry", "question")
    # What the text does not say was made up; what has a shape is found though the model overlooked it.
    assert set(labels.entities) == {
        MentionedEntity("product_name", "kettle"),
        MentionedEntity("email", "kim@shop.example"),
    }
    [asked] = model.asked
    assert asked.body["tool_choice"]["function"]["name"] == "label_message"
    offered = json.dumps(asked.body["tools"][0]["function"]["parameters"])
    assert all(f'"{name}"' in offered for name in SUPPORT.list_names(TermKind.TOPIC))
    assert "refund" in asked.body["messages"][0]["content"]
    assert ASKED not in asked.body["messages"][0]["content"]


def test_the_arguments_of_the_tool_are_the_answer(model: LanguageModelStub) -> None:
    model.calls_tools = True
    assert label_by_model(ASKED, SUPPORT).topics == ("product_issue",)


def test_an_invented_term_is_sent_back_once_and_then_refused(model: LanguageModelStub) -> None:
    model.says(say(topics=["kettles"]), say(topics=["returns"]))
    assert label_by_model(ASKED, SUPPORT).topics == ("returns",)
    model.says(say(topics=["kettles"]))
    with pytest.raises(BadReply):
        label_by_model(ASKED, SUPPORT)
    assert list(ModelCall.objects.order_by("pk").values_list("outcome", flat=True)) == [
        *("invalid", "repaired"),
        *("invalid", "invalid"),
    ]


def test_a_server_without_tools_is_asked_for_plain_json_from_then_on(model: LanguageModelStub) -> None:
    model.says("400", say())
    assert label_by_model(ASKED, SUPPORT).topics == ("product_issue",)
    label_by_model(ASKED, SUPPORT)
    assert ["tools" in asked.body for asked in model.asked] == [True, False, False]


@pytest.mark.parametrize(("said", "kept"), [("umbrella", "umbrella"), ("Zlotnikov", ""), (None, "")])
def test_no_name_becomes_a_suggestion(model: LanguageModelStub, said: str | None, kept: str) -> None:
    model.says(say(topics=["general_inquiry"], confidence="low", suggested_topic=said))
    assert label_by_model(ASKED, SUPPORT).suggested_topic == kept


def read_labels(user: EndUser) -> list[tuple[str, list[str]]]:
    with user_scope(user):
        return list(MessageLabel.objects.filter(user=user).order_by("pk").values_list("reader", "topics"))


def test_the_model_reads_again_what_the_rules_labelled_and_each_message_once(
    model: LanguageModelStub, user: EndUser
) -> None:
    model.says(say(topics=["pets"], category="event", message_type="statement", entities=[]))
    MemoryItemFactory.create(user=user, text="Bruno threw up on the carpet again", occurred_at=timezone.now())
    MemoryItemFactory.create(user=user, text="ok", occurred_at=timezone.now())
    label_user(user.pk)
    assert sorted(read_labels(user)) == [("rules", ["smalltalk"]), ("stub/chat", ["pets"])]
    label_user(user.pk)
    assert len(model.asked) == 1
    # A changed vocabulary asks anew.
    changes = TermChanges(aliases=["carpet"])
    change_term(user.organization_id, TermKind.TOPIC, "home", changes, now=timezone.now(), actor="test")
    label_user(user.pk)
    assert len(model.asked) == 2


def test_a_model_that_fails_costs_quality_and_is_asked_later(model: LanguageModelStub, user: EndUser) -> None:
    MemoryItemFactory.create(user=user, text="Bruno threw up on the carpet again", occurred_at=timezone.now())
    model.says("500")
    assert label_user(user.pk) == 1
    [(reader, topics)] = read_labels(user)
    assert (reader, "home" in topics) == ("rules", True)
    model.says(say(topics=["pets"], category=None, message_type=None, entities=None))
    label_user(user.pk)
    assert read_labels(user) == [("stub/chat", ["pets"])]


def test_a_day_has_only_so_many_calls(model: LanguageModelStub, user: EndUser, settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "PROMPTS": {**settings.MEMORY["PROMPTS"], "calls_a_day": 1}}
    model.says(say(topics=["pets"], category=None, message_type=None, entities=[]))
    for number in range(3):
        MemoryItemFactory.create(user=user, text=f"Bruno barks at the {number} neighbours", occurred_at=timezone.now())
    label_user(user.pk)
    assert len(model.asked) == 1
    assert [reader for reader, _ in read_labels(user)].count("stub/chat") == 1
