"""Whom and what somebody cannot stand is disliked, and no allergy."""

import pytest

from memory.claims.constraints import find_constraint
from memory.claims.reader import read_claims

Told = tuple[str, str, bool]


def read_told(text: str) -> list[Told]:
    return [(one.relation, one.object, one.polarity) for one in read_claims(text)]


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("no tolero a mi jefe", "jefe"),
        ("no soporto a mi suegra", "suegra"),
        ("I can't stand my boss", "boss"),
        ("I can't tolerate my neighbour", "neighbour"),
        ("je ne supporte pas mon chef", "chef"),
        ("ich kann meinen Chef nicht ausstehen", "chef"),
        ("non sopporto il mio capo", "capo"),
        ("não suporto o meu chefe", "chefe"),
    ],
)
def test_whom_somebody_cannot_stand_is_no_allergy(text: str, who: str) -> None:
    assert read_told(text) == [("dislikes", who, True)]
    assert not [one for one in read_claims(text) if find_constraint(one.statement, one.relation, one.tense, one.object)]


@pytest.mark.parametrize("text", ["je ne supporte pas le bruit", "no tolero el ruido"])
def test_noise_is_no_allergy(text: str) -> None:
    assert [one[0] for one in read_told(text)] == ["dislikes"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no tolero la lactosa", "lactosa"),
        ("je ne supporte pas le lactose", "lactose"),
        ("ich vertrage keine Milch", "milch"),
        ("I can't tolerate dairy", "dairy"),
        ("I'm allergic to dust", "dust"),
        ("I can't tolerate okra", "okra"),
    ],
)
def test_what_somebody_reacts_to_stays_an_allergy(text: str, value: str) -> None:
    assert read_told(text) == [("allergic_to", value, True)]


def test_disliked_food_limits_what_is_eaten() -> None:
    assert find_constraint("I can't stand coriander.", "dislikes", "present", "coriander") == {"food"}
