"""Genitives that are written without their apostrophe, as both readers read them."""

import pytest

from memory.claims.frames.contractions import restore_apostrophes
from memory.claims.reader import read_claims
from memory.claims.turns import read_turn as read_hot_turn

Told = tuple[str, str, str]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("jodies birthday is 14th of december, shes into pottery", ("jodie", "birthday", "14th of december")),
        ("priyankas cat is called Dosa and she hates me", ("priyanka", "cat", "dosa")),
        ("tims wife is called Ola and she's a nurse", ("tim", "wife", "ola")),
        ("jodies mum is called Ann", ("jodie", "mother", "ann")),
        ("my brothers car is a red golf, it wont start", ("brother", "car", "red golf")),
        ("my little brothers birthday is 4 may", ("brother", "birthday", "4 may")),
        ("my friend jodies birthday is 4 may", ("jodie", "birthday", "4 may")),
        ("my sisters boyfriend is called tom", ("sister", "boyfriend", "tom")),
        ("my mums 60th is on 28 november", ("mum", "birthday", "28 november")),
        ("my mum's 60th birthday is on 28 november", ("mum", "birthday", "28 november")),
        ("my dogs name is rex", ("you", "dog", "rex")),
    ],
)
def test_a_genitive_without_its_apostrophe_says_whose(text: str, told: Told) -> None:
    assert told in {(one.subject, one.relation, one.object) for one in read_claims(text)}
    assert told in {one.key for one in read_hot_turn(text).triples}
    own = [one for one in read_claims(text) if one.subject == "you" and told[0] != "you"]
    # Whose friend Jodie is may be told beside her birthday.
    assert not [one for one in own if one.object != told[0]]


@pytest.mark.parametrize(
    "text",
    [
        *("my kids live in York", "our cats are Mog and Tib", "sisters and brothers", "my brothers work in Leeds"),
        *("my sisters name their cats after food", "my parents house is in York", "I drive a sports car"),
        *("loves cats, hates dogs", "visits gran every sunday", "thanks mate", "cheers dad", "he breeds horses"),
        *("tennis coach is called Bob", "sales boss is mad", "christmas birthday parties", "notre chats maison"),
    ],
)
def test_a_plural_is_no_genitive(text: str) -> None:
    assert restore_apostrophes(text) == text


@pytest.mark.parametrize("text", ["my best friend's wedding is on 5 may", "my cats love my brother's dog"])
def test_what_somebody_has_is_not_what_they_are_called(text: str) -> None:
    assert not [one for one in read_claims(text) if one.object in {"wedding", "dog"}]
