"""What a turn could not break is left out of it, and stays in what every turn of the thread is told."""

from unittest.mock import patch

import numpy as np
import pytest

from memory.claims.constraints import LIMITS
from memory.claims.questions import read_question
from memory.context.known import is_idle
from memory.context.matters import KNOWLEDGE, LIFE, Apartness, load_examples, rate_apartness
from memory.facade import MemoryFacade
from memory.inference.base import QuestionVector
from memory.models import EndUser
from tests.conftest import Clock

memory = MemoryFacade("key:test")

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


@pytest.mark.usefixtures("services")
def test_a_constraint_that_is_read_as_a_trade_is_none_of_a_turn_apart(user: EndUser, clock: Clock) -> None:
    memory.state_fact(user, "Soy alérgica a la penicilina.", now=clock())
    with patch("memory.context.compose.rate_apartness", return_value=Apartness.FAR):
        context = memory.compose_context(user, "what is the capital of Peru?", now=clock(), thread_id="new")
    assert "penicilina" not in context.injection
    assert "penicilina" in context.stable.text
