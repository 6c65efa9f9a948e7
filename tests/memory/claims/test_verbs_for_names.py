"""A verb or a participle that stands where a name may is none, of people, animals and things in every language."""

import pytest

from memory.claims.reader import read_claims
from memory.claims.turns import read_turn as read_hot_turn

Told = tuple[str, str, str, bool]


def read_told(text: str) -> set[Told]:
    return {(one.subject, one.relation, one.object, one.polarity) for one in read_claims(text)}


@pytest.mark.parametrize(
    "text",
    [
        *(
            "my mum fell",
            "my mum fell yesterday",
            "my brother left",
            "my sister graduated",
            "My mum rang.",
        ),
        *("mia madre è caduta", "ma mère est tombée", "meine Mutter ist gestürzt", "mi madre se cayó", "אמא שלי נפלה"),
        *("mein Hund ist weggelaufen", "il mio cane è scappato", "mon chien s'est perdu", "mi perro se escapó"),
        *("o meu cão fugiu", "my sister is divorced", "my dog barks"),
    ],
)
def test_a_verb_is_no_name(text: str) -> None:
    named = {"mother", "brother", "sister", "dog"}
    assert not [one for one in read_claims(text) if one.relation in named and one.polarity]
    assert not [one for one in read_hot_turn(text).triples if one.relation in named]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my wife tamsin is a nurse", ("you", "wife", "tamsin", True)),
        ("i live with my sister tamsin", ("you", "sister", "tamsin", True)),
        ("il mio capo è renato", ("you", "boss", "renato", True)),
        ("mein chef ist detlev", ("you", "boss", "detlev", True)),
        ("אחותי תמר גרה בחיפה", ("you", "sister", "תמר", True)),
    ],
)
def test_a_name_written_small_is_one(text: str, told: Told) -> None:
    assert told in read_told(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "my car failed its MOT",
            "my car is red",
            "mi coche se rompió",
            "meu carro quebrou",
            "la mia auto si è rotta",
        ),
        *(
            "ma voiture est tombée en panne",
            "mein Auto ist kaputt",
            "my phone died",
            "my boiler broke",
            "my car is red",
        ),
    ],
)
def test_what_a_thing_does_is_not_what_it_is_called(text: str) -> None:
    assert {one.relation for one in read_claims(text)} <= {"about"}


def test_a_make_is_what_a_thing_is() -> None:
    assert ("you", "car", "golf", True) in read_told("mein Auto ist ein Golf")
    assert ("you", "car", "seat ibiza", True) in read_told("mi coche es un seat ibiza")


def test_what_somebody_was_is_no_name() -> None:
    assert read_told("my mum was hurt") == {("mother", "about", "hurt", True)}
