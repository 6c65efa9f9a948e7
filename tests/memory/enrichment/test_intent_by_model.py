"""What a question looks for, by a scripted model: terms alone, in time, once, and never in the way of an answer."""

import json
from typing import Any

import pytest
from django.utils import timezone

from memory.conf import change_settings
from memory.enrichment.intent import read_intent
from memory.enrichment.intent_by_model import ANY_TIME, PROMPT, TIMES, ask_intent, build_cache_key
from memory.language.periods import find_window
from memory.models import EndUser, ModelCall
from memory.platform import redis as shared
from memory.vocabulary.editions import TermChanges, change_term, read_vocabulary
from memory.vocabulary.terms import TermKind
from tests.api_client import ApiClient
from tests.doubles.model_services import LanguageModelStub
from tests.memory.enrichment.test_staged import compose, find_section

pytestmark = [pytest.mark.usefixtures("services"), pytest.mark.django_db]

# Rules find the refund in it, which it rules out, and no word for what it asks about.
ASKED = "Not the refund: what was it that I could not get into, with Zed in June?"


def say(**more: Any) -> str:
    answer = {
        "topics": ["account_access"],
        "entities": [{"type": "person_name", "value": "Zed"}, {"type": "person_name", "value": "Ann"}],
        "time": "any time",
        "this_thread_only": False,
    }
    return json.dumps({**answer, **more})


def ask(user: EndUser, query: str = ASKED) -> object:
    vocabulary, now = read_vocabulary(user.organization_id), timezone.now()
    return ask_intent(user, query, vocabulary, read_intent(query, vocabulary, now=now), now=now)


def test_a_model_reads_what_the_words_of_a_question_do_not_say(
    api: ApiClient, desk: EndUser, chat_model: LanguageModelStub
) -> None:
    chat_model.calls_tools = True
    chat_model.says(say())
    made = compose(api, ASKED)
    intent = made["meta"]["debug"]["intent"]
    # Only what the question names counts; who was made up does not.
    assert (intent["topics"], intent["entities"], intent["reader"]) == (["account_access"], ["zed"], "model")
    others = find_section(made, "related_conversations")
    assert ("password" in others, "88-41207" in others) == (True, False)
    offered = chat_model.asked[-1].body["tools"][0]["function"]["parameters"]["properties"]["topics"]["items"]["enum"]
    assert set(offered) == set(read_vocabulary(desk.organization_id).list_names(TermKind.TOPIC))


def test_a_question_is_asked_once_in_ten_minutes_and_leaves_no_word_in_the_cache(
    api: ApiClient, desk: EndUser, chat_model: LanguageModelStub
) -> None:
    chat_model.says(say(topics=["billing"]))
    first, second = ask(desk), ask(desk)
    assert first == second
    assert len(chat_model.asked) == 1
    key = build_cache_key(desk, ASKED, read_vocabulary(desk.organization_id))
    kept = str(shared.redis_client().get(key))
    assert "billing" in kept
    assert "Zed" not in kept
    # Another edition of the vocabulary, or another person, asks anew.
    change_term(
        desk.organization_id, TermKind.TOPIC, "billing", TermChanges(means="invoices"), now=timezone.now(), actor="test"
    )
    ask(desk)
    assert len(chat_model.asked) == 2


@pytest.mark.parametrize("answer", ["hang", "500", "not json", say(topics=["weather"]), say(time="in spring")])
def test_rules_read_the_question_where_the_model_does_not_answer_in_time(
    api: ApiClient, desk: EndUser, chat_model: LanguageModelStub, answer: str
) -> None:
    chat_model.says(answer)
    with change_settings(PROMPTS={"intent_timeout_s": 0.3}):
        made = compose(api, "when do I get my refund?")
    intent = made["meta"]["debug"]["intent"]
    assert (intent["topics"], intent["reader"]) == (["refund"], "rules")
    assert "88-41207" in find_section(made, "related_conversations")
    assert len(chat_model.asked) >= 1


def test_a_model_is_not_asked_where_it_is_switched_off_or_used_up(
    api: ApiClient, desk: EndUser, chat_model: LanguageModelStub
) -> None:
    chat_model.says(say())
    with change_settings(PROMPTS={"off": frozenset({PROMPT})}):
        assert ask(desk) is None
    with change_settings(PROMPTS={"calls_a_day": 0}):
        assert ask(desk) is None
    assert (chat_model.asked, ModelCall.objects.filter(purpose=PROMPT).count()) == ([], 0)


def test_every_time_a_model_may_name_is_one_the_calendar_reads() -> None:
    assert all(find_window(time, timezone.now()) for time in TIMES if time != ANY_TIME)
