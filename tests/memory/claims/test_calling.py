"""What a thing is called, how many we are, and of whom a relative clause tells."""

import pytest

from memory.claims.reader import read_claims
from memory.claims.turns import read_turn


def list_triples(*turns: str) -> set[tuple[str, str, str]]:
    return {one.key for one in read_turn(turns[-1], turns[:-1]).triples}


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ("Nous avons une voiture qu'on appelle Titine.", ("you", "car", "titine")),
        ("On a un vieux van VW qu'on appelle Gustave.", ("you", "car", "gustave")),
        ("Abbiamo un vecchio furgone che chiamiamo Gino.", ("you", "car", "gino")),
        ("Tenemos una furgoneta vieja que llamamos Paca.", ("you", "car", "paca")),
        ("Temos um carro velho a que chamamos Zeca.", ("you", "car", "zeca")),
        ("Wir haben einen Saugroboter, den wir Marcel nennen.", ("saugroboter", "name", "marcel")),
        ("We have a robot vacuum we call Marcel.", ("robot vacuum", "name", "marcel")),
    ],
)
def test_what_we_call_a_thing_is_its_name_and_nobodys_own(said: str, called: tuple[str, str, str]) -> None:
    told = list_triples(said)
    assert called in told
    assert not [one for one in told if one[:2] == ("you", "name")]
    assert not [one for one in read_claims(said) if (one.subject, one.relation) == ("you", "name")]


@pytest.mark.parametrize(
    "said", ["Je m'appelle Léa.", "Me llamo Léa.", "Mi chiamo Léa.", "Chamo-me Léa.", "Ich heiße Léa."]
)
def test_with_a_pronoun_of_its_own_the_verb_tells_who_speaks(said: str) -> None:
    assert ("you", "name", "léa") in list_triples(said)


def test_what_is_called_so_is_sold_by_its_name() -> None:
    told = "On a un robot aspirateur qu'on appelle Marcel."
    assert [one.key for one in read_turn("On a vendu Marcel.", [told]).retracted] == [
        ("you", "has", "robot aspirateur")
    ]


@pytest.mark.parametrize(
    "said", ["Menschen sind wir drei :)", "Wir sind drei.", "We're seven.", "We've been together seven weeks."]
)
def test_how_many_we_are_is_no_age(said: str) -> None:
    assert not [one for one in list_triples(said) if one[1] == "age"]
    assert not [one for one in read_claims(said) if one.relation == "age"]


def test_a_relative_clause_tells_of_whom_it_follows() -> None:
    said = "can u help me write a note to my landlord? i've got a 4 month old puppy, biscuit, who hates the cold"
    assert list_triples(said) == {("you", "dog", "biscuit"), ("biscuit", "dislikes", "cold")}
    assert ("landlord", "dislikes") not in {(one.subject, one.relation) for one in read_claims(said)}
    gone = read_turn("sat here crying, we lost biscuit this morning. she was only 5 months.", [said])
    assert [(one.key, one.is_over) for one in gone.retracted] == [(("you", "dog", "biscuit"), True)]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("we got a dog. we named him Rex", ("you", "dog", "rex")),
        ("we have a cat and we called her Mog", ("you", "cat", "mog")),
        ("Wir haben einen neuen Hund. Er heißt Rex", ("you", "dog", "rex")),
        ("Ich hab einen Neuen. Er heißt Tom", ("you", "boyfriend", "tom")),
    ],
)
def test_whom_somebody_names_is_neither_themselves_nor_a_lover(said: str, told: tuple[str, str, str]) -> None:
    named = {(one.subject, one.relation, one.object) for one in read_claims(said) if one.object == told[2]}
    assert named == {told}


@pytest.mark.parametrize(
    ("said", "relation", "place"),
    [
        ("I'm at Aldi now, on the tills", "works_at", "aldi"),
        ("elle habite à Rennes maintenant et elle a deux chats", "lives_in", "rennes"),
        ("I live in Walsall too", "lives_in", "walsall"),
    ],
)
def test_small_words_behind_a_place_are_no_part_of_it(said: str, relation: str, place: str) -> None:
    assert {one.object for one in read_claims(said) if one.relation == relation} == {place}
