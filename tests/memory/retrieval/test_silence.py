"""Where nothing that is known is about the question, a context says nothing of it and a search says so."""

from collections.abc import Callable
from typing import Any

import pytest

from config.embedding_models import JOINED, JOINED_THREE, MINILM, MULTILINGUAL_E5
from memory.models import EndUser
from memory.retrieval.confidence import SIGNS, choose_model, load_models
from tests.api_client import ApiClient
from tests.doubles.faults import EmbedderStub
from tests.factories import MemoryItemFactory

pytestmark = pytest.mark.usefixtures("services")

KNOWN = (
    "The ferry to Cyprus sails on Mondays at noon",
    "We painted the kitchen green last spring",
    "The garage code was changed after the break-in",
    "Oiling the hinge of the garden gate stopped the squeak",
    "Lena's violin recital is in the old town hall",
    "The bees swarmed twice in May",
)
STRANGE = (
    "zxqv",
    "Which printer do I have?",
    "When does the chess club of Reykjavik meet?",
    "How much did Oskar pay for the tractor?",
    "Qual è la capitale della Mongolia?",
)
OWN = (
    "When does the ferry to Cyprus sail?",
    "What stopped the gate from squeaking?",
    "Where is Lena's recital?",
    "What colour is the kitchen?",
)


@pytest.fixture
def life(user: EndUser, index_now: Callable[[EndUser], None]) -> None:
    for text in KNOWN:
        MemoryItemFactory.create(user=user, text=text, tier="history")
    index_now(user)


def search(api: ApiClient, query: str, **fields: Any) -> dict[str, Any]:
    answer = api.post("search", {"query": query, **fields})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def get_context(api: ApiClient, query: str, **fields: Any) -> dict[str, Any]:
    answer = api.post("context", {"query": query, "thread_id": "t", **fields})
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def list_sections(context: dict[str, Any]) -> list[str]:
    return [section["name"] for section in context["sections"]]


@pytest.mark.parametrize("query", STRANGE)
def test_a_question_about_something_else_is_met_with_silence(api: ApiClient, life: None, query: str) -> None:
    found = search(api, query)
    assert found["debug"]["retrieval_confidence"] == "low"
    assert found["results"], "whoever searches sees the nearest all the same"
    context = get_context(api, query)
    assert (list_sections(context), context["turn"]["text"], context["meta"]["citations"]) == ([], "", [])
    assert context["meta"]["debug"]["retrieval_confidence"] == "low"


@pytest.mark.parametrize("query", OWN)
def test_a_question_about_what_is_known_is_answered(api: ApiClient, life: None, query: str) -> None:
    assert search(api, query)["debug"]["retrieval_confidence"] in {"medium", "high"}
    assert "retrieved_memories" in list_sections(get_context(api, query))


def test_a_name_is_no_answer_to_whatever_is_asked(
    api: ApiClient, user: EndUser, index_now: Callable[[EndUser], None]
) -> None:
    MemoryItemFactory.create(user=user, text="My name is Dana.", tier="history")
    index_now(user)
    assert "retrieved_memories" not in list_sections(get_context(api, "Which printer do I have?"))
    assert search(api, "Which printer do I have?")["debug"]["retrieval_confidence"] == "low"
    assert "My name is Dana." in get_context(api, "What is my name?")["injection"]
    assert "My name is Dana." in get_context(api, "Tell me everything you know about me")["injection"]


def test_what_stands_whatever_is_asked_is_told_all_the_same(api: ApiClient, life: None) -> None:
    api.post("memories", {"text": "I'm allergic to peanuts.", "tier": "memory_bank", "tags": ["identity"]})
    context = get_context(api, "zxqv")
    assert list_sections(context) == ["core_instructions", "known_context"]
    assert "peanuts" in context["stable"]["text"]


def test_an_outcome_of_a_silent_turn_moves_no_score(api: ApiClient, life: None) -> None:
    turn = get_context(api, "Which printer do I have?")["turn_id"]
    told = api.post("outcomes", {"turn_id": turn, "outcome": "worked", "key_takeaway": "The printer is a Brother."})
    assert told.status_code == 201, told.content
    assert told.json()["scored"] == []


def test_a_vague_follow_up_is_about_what_was_said_before(api: ApiClient, life: None) -> None:
    said = [
        {"role": "user", "content": "When does the ferry to Cyprus sail?"},
        {"role": "assistant", "content": "Noon."},
    ]
    assert "ferry to Cyprus" in get_context(api, "and tomorrow?", recent_messages=said)["injection"]
    elsewhere = [{"role": "user", "content": "What is the capital of Mongolia?"}]
    assert list_sections(get_context(api, "and of Iceland?", recent_messages=elsewhere)) == []


def test_what_was_said_before_does_not_drown_a_short_question(api: ApiClient, life: None) -> None:
    said = [{"role": "user", "content": "Write me a poem about quarterly tax returns and compilers."}]
    assert "garage code" in get_context(api, "the garage code?", recent_messages=said)["injection"]


def test_a_model_is_told_that_nothing_seems_to_be_known(api: ApiClient, life: None) -> None:
    answer = api.post("tools/search_memory", {"query": "Which printer do I have?"}).json()
    assert answer["content"].startswith("Nothing that answers this seems to be known.")
    assert answer["result"]["retrieval_confidence"] == "low"
    told = api.post("tools/search_memory", {"query": "When does the ferry to Cyprus sail?"}).json()
    assert not told["content"].startswith("Nothing")


def test_without_meaning_the_words_decide(api: ApiClient, life: None, stub: EmbedderStub) -> None:
    stub.behave("503")
    assert "ferry to Cyprus" in get_context(api, "When does the ferry to Cyprus sail?")["injection"]
    assert list_sections(get_context(api, "zxqv")) == []


def test_the_probability_is_explained_where_reasons_are_asked_for(api: ApiClient, life: None) -> None:
    own = search(api, OWN[0], explain=True)["debug"]["confidence"]
    strange = search(api, STRANGE[1], explain=True)["debug"]["confidence"]
    assert 0 < strange < own < 1
    assert "confidence" not in search(api, OWN[0])["debug"]


def test_there_are_weights_for_every_model_that_is_served_and_for_any_other() -> None:
    assert {MINILM, MULTILINGUAL_E5, JOINED, JOINED_THREE, "words"} == set(load_models())
    for model in load_models().values():
        assert 0 < model.low < model.high < 1
        assert set(model.scales) <= set(SIGNS)
    nobody = choose_model("some-other-model")
    assert {name: nobody.scales[name].weight for name in ("near", "nearer")} == {"near": 0, "nearer": 0}
