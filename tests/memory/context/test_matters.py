"""What a turn could not break is left out of it, and stays in what every turn of the thread is told."""

from collections.abc import Callable
from unittest.mock import patch
from uuid import UUID

import numpy as np
import pytest

from memory.claims.constraints import LIMITS
from memory.claims.questions import read_question
from memory.context.known import is_idle
from memory.context.matters import KNOWLEDGE, LIFE, Apartness, find_unrelated, load_examples, rate_apartness
from memory.facade import MemoryFacade
from memory.inference.base import QuestionVector
from memory.models import EndUser
from memory.retrieval.results import SearchDebug, SearchResult
from memory.store.admission import NewMemory
from memory.tiers import Tier
from tests.conftest import Clock

memory = MemoryFacade("key:test")

IndexNow = Callable[[EndUser], None]
ALLERGY, STYLE = "I'm allergic to sesame.", "Keep your answers short."


def ask_like(kind: str) -> QuestionVector:
    [(model, examples)] = load_examples().items()
    return QuestionVector(np.asarray(examples[kind][0], np.float32), model)


def test_a_question_of_knowledge_lies_apart_and_one_of_life_does_not() -> None:
    assert rate_apartness("what is the capital of Peru?", ask_like(KNOWLEDGE)) == Apartness.FAR
    assert rate_apartness("what should we eat?", ask_like(LIFE)) == Apartness.NONE


def test_in_doubt_nothing_is_apart() -> None:
    near = ask_like(KNOWLEDGE)
    assert rate_apartness("what is the capital of Peru?", None) == Apartness.NONE
    assert rate_apartness("what is the capital of Peru?", QuestionVector(near.vector, "another")) == Apartness.NONE
    assert rate_apartness("¿qué puedo tomar yo?", near) == Apartness.NONE


@pytest.mark.parametrize(
    ("apart", "question", "expected"),
    [
        (Apartness.NONE, "what is the capital of Peru?", False),
        (Apartness.APART, "what is the capital of Peru?", True),
        (Apartness.APART, "which painkiller is safe?", False),
        (Apartness.FAR, "qual è la capitale del Perù?", True),
    ],
)
def test_what_the_words_touch_stays_unless_the_question_is_far(apart: Apartness, question: str, expected: bool) -> None:
    assert is_idle(LIMITS["medication"], read_question(question), apart) is expected
    assert not is_idle({"style"}, read_question(question), apart)


@pytest.mark.usefixtures("services")
def test_a_turn_apart_is_told_the_style_alone_and_the_thread_all(user: EndUser, clock: Clock) -> None:
    for statement in (ALLERGY, STYLE):
        memory.state_fact(user, statement, now=clock())
    question = "what is the capital of Peru?"
    before = memory.compose_context(user, question, now=clock(), thread_id="told")
    assert ALLERGY in before.injection
    with patch("memory.context.compose.rate_apartness", return_value=Apartness.FAR):
        after = memory.compose_context(user, question, now=clock(), thread_id="told")
    assert ALLERGY not in after.injection
    assert STYLE in after.injection
    assert after.stable.hash == before.stable.hash
    assert ALLERGY in after.stable.text
    items = after.meta["known_context"]["known_context_items"]
    assert [item["content"] for item in items] == [STYLE]


def build_result(cosine: float, model: str, confidence: str, fact: str) -> SearchResult:
    debug = SearchDebug("", [], retrieval_confidence=confidence)
    pk = UUID(fact)
    return SearchResult(pk, [], debug, QuestionVector(ask_like(LIFE).vector, model), nearness={pk: cosine})


def test_a_statement_is_quoted_for_a_shared_word_only_where_its_meaning_is_near() -> None:
    [known], fact = load_examples(), "0191f3a0-0000-7000-8000-000000000001"
    facts = [{"memory_id": fact}]
    found = [
        bool(find_unrelated(facts, "which group?", build_result(cosine, model, confidence, fact)))
        for cosine, model, confidence in (
            (0.8, known, "medium"), (0.3, known, "medium"), (0.8, known, "low"), (0.3, "another", "medium"),
        )
    ]  # fmt: skip
    assert found == [False, True, True, False]


@pytest.mark.usefixtures("services")
def test_where_the_search_is_silent_no_shared_word_is_quoted(user: EndUser, clock: Clock, index_now: IndexNow) -> None:
    item = NewMemory("They moved me to the Thursday group", tier=Tier.MEMORY_BANK, tags=["goal"])
    memory.store(user, item, now=clock())
    index_now(user)
    with patch("memory.context.compose.drop_repetitions", return_value=([], [])):
        question = "Which group is it on Thursday?"
        assert "moved me" in memory.compose_context(user, question, now=clock(), thread_id="t").injection
        with patch("memory.retrieval.search.estimate_confidence", return_value=("low", 0.1)):
            assert "moved me" not in memory.compose_context(user, question, now=clock(), thread_id="t").injection


@pytest.mark.usefixtures("services")
def test_a_constraint_that_is_read_as_a_trade_is_none_of_a_turn_apart(user: EndUser, clock: Clock) -> None:
    memory.state_fact(user, "Soy alérgica a la penicilina.", now=clock())
    with patch("memory.context.compose.rate_apartness", return_value=Apartness.FAR):
        context = memory.compose_context(user, "what is the capital of Peru?", now=clock(), thread_id="new")
    assert "penicilina" not in context.injection
    assert "penicilina" in context.stable.text
