"""Homes whose names hold a number, another place, or letters that are prepositions elsewhere."""

import pytest

from memory.claims import read_claims


def list_places(text: str) -> set[tuple[str, str]]:
    told = ((one.relation, one.object) for one in read_claims(text))
    return {one for one in told if one[0] in {"lives_in", "moved_from", "time"}}


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("Nos hemos mudado a Dos Hermanas", "dos hermanas"),
        ("Nos mudamos a Tres Cantos en mayo", "tres cantos"),
        ("Nos mudamos a Alcalá de Henares", "alcalá de henares"),
        ("Me mudé a San Sebastián de los Reyes", "san sebastián de los reyes"),
        ("עברתי לקריית ביאליק", "קריית ביאליק"),
        ("עברתי לקריית מוצקין", "קריית מוצקין"),
        ("אני גרה בכפר ביאליק", "כפר ביאליק"),
    ],
)
def test_the_whole_name_is_the_home_and_nothing_else(text: str, home: str) -> None:
    assert list_places(text) == {("lives_in", home)}


def test_an_hour_is_still_no_home() -> None:
    assert ("lives_in", "ten") not in list_places("The standup moved to ten")
    assert not [one for one in list_places("El stand-up se ha movido a las diez y media") if one[0] == "lives_in"]
