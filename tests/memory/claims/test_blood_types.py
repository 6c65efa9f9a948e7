"""Blood types, whose letters are articles and prepositions elsewhere, and whose noun is a band's."""

import pytest

from memory.claims.reader import read_claims
from memory.claims.turns import read_turn as read_hot_turn


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("mi grupo sanguíneo es A+", "a+"),
        ("my blood group is 0 negative", "0 negative"),
        ("my blood group is AB", "ab"),
        ("my blood type is rh negative", "rh negative"),
        ("Blood type: O-", "o-"),
        ("Mon groupe sanguin est AB+", "ab+"),
        ("il mio gruppo sanguigno è 0 negativo", "0 negativo"),
        ("meine Blutgruppe ist A positiv", "a positiv"),
        ("meu tipo sanguíneo é O+", "o+"),
        ("סוג הדם שלי הוא A+", "a+"),
    ],
)
def test_a_blood_type_is_read_whole(text: str, value: str) -> None:
    assert [one[:2] for one in read_slots_of(text)] == [("blood_type", value)]
    assert not read_hot_turn(text).triples


def read_slots_of(text: str) -> list[tuple[str, str, str]]:
    return [(one.relation, one.object, one.subject) for one in read_claims(text)]


@pytest.mark.parametrize(
    "text",
    ["my blood type is a mystery", "my wife's blood group is B+", "what's my blood group?", "mi sangre es a veces"],
)
def test_what_is_none_fills_no_blood_type(text: str) -> None:
    assert not [one for one in read_slots_of(text) if one[0] == "blood_type"]


def test_the_sign_of_a_type_stays_in_its_statement() -> None:
    assert [one.statement for one in read_claims("Blood type: O-")] == ["Blood type: O-."]
    assert [one.statement for one in read_claims("I live in Leeds -")] == ["I live in Leeds."]


def test_a_group_that_plays_is_a_band() -> None:
    assert ("band", "pollos", "you") in read_slots_of("Mi grupo es Los Pollos")
