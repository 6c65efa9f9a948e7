"""What speech begins and ends with: it hides nothing that is told beside it, and is no part of a value."""

import pytest

from memory.claims import read_claims


@pytest.mark.parametrize(
    ("text", "relation", "value"),
    [
        ("oh and i'm a nurse", "works_as", "nurse"),
        ("hey i'm vegetarian just so you know", "diet", "vegetarian"),
        ("ach ja ich spiele cello", "plays", "cello"),
        ("weißt du meine frau ist lehrerin", "works_as", "lehrerin"),
        ("also ähm ich fahre einen skoda", "car", "skoda"),
        ("ah y trabajo de cocinera", "works_as", "cocinera"),
        ("mi mujer es profesora sabes", "works_as", "profesora"),
        ("tu sais ma femme est prof", "works_as", "prof"),
        ("ah e sono di lecce", "from", "lecce"),
        ("ah e tenho dois filhos", "has", "filhos"),
        ("אני בת 34 דרך אגב", "age", "34"),
        ("טוב אז לאחותי קוראים מיה", "sister", "מיה"),
    ],
)
def test_openers_and_closers_of_speech_hide_nothing(text: str, relation: str, value: str) -> None:
    assert (relation, value) in {(one.relation, one.object) for one in read_claims(text)}


@pytest.mark.parametrize("text", ["Weißt du, ob es regnet?", "¿Sabes dónde vivo?", "Tu sais où j'habite ?"])
def test_a_question_that_opens_so_is_one(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation != "about"]
