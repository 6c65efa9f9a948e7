"""The plainest things that somebody says of themselves are claimed; what only looks like them is not."""

import pytest

from memory.claims.reader import read_claims

PLAIN = [
    *("I have a dog.", "I've got a dog.", "We've got a dog and a cat.", "I have a brother.", "I don't have a car."),
    *("Ich habe einen Hund.", "Ich habe einen Hund und zwei Katzen.", "Ich habe einen Bruder.", "Ich wohne allein."),
    *("J'ai un chien.", "J'ai un chien et deux chats.", "Je porte des lunettes.", "Ho un cane.", "Non fumo."),
    *("Tengo un perro.", "No fumo.", "Tenho um cão.", "Moro sozinha.", "יש לי כלב.", "אני גרה לבד."),
]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_statement_is_claimed(text: str) -> None:
    assert read_claims(text)


THEIRS = [
    *("My husband's car broke down.", "My mum's doctor called.", "My brother's wife had twins."),
    *("My daughter's violin teacher cancelled again.", "My boss's secretary left."),
]


@pytest.mark.parametrize("text", THEIRS)
def test_what_somebody_close_has_is_not_their_name(text: str) -> None:
    assert {claim.relation for claim in read_claims(text)} <= {"about"}


@pytest.mark.parametrize(
    ("text", "relation", "name"),
    [
        ("My husband's Dan.", "husband", "dan"),
        ("My boss's Hilary.", "boss", "hilary"),
        ("My wife's name is Ann.", "wife", "ann"),
    ],
)
def test_a_clipped_is_names_them(text: str, relation: str, name: str) -> None:
    assert (relation, name) in {(claim.relation, claim.object) for claim in read_claims(text)}


@pytest.mark.parametrize(
    "text",
    [
        "Mein Chef meint, ich bin Vegetarier, stimmt gar nicht",
        "il mio capo dice che sono vegano, non è vero",
        "mi cuñada cree que soy alérgica al sol, no es verdad",
        "my aunt says I'm a Buddhist, which isn't true",
    ],
)
def test_an_opinion_that_is_denied_at_once_claims_nothing(text: str) -> None:
    assert read_claims(text) == []


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("I'm a vegetarian and I'm allergic to nuts.", "diet"),
        ("My sister is a vegan", "diet"),
        ("I'm a diabetic", "has_condition"),
        ("sono una vegetariana", "diet"),
        ("soy un vegano", "diet"),
        ("je suis une végétarienne", "diet"),
        ("I'm a librarian", "works_as"),
    ],
)
def test_an_article_makes_no_trade_of_a_diet(text: str, relation: str) -> None:
    assert read_claims(text)[0].relation == relation
