"""Employers whose names are common words: the capitals tell."""

import pytest

from memory.claims.reader import read_claims


@pytest.mark.parametrize(
    ("text", "employer"),
    [
        ("I work at Home Bargains", "home bargains"),
        ("I work at Next", "next"),
        ("I joined Three last week", "three"),
        ("I work at Boots", "boots"),
        ("i work at boots", "boots"),
        ("ich arbeite bei Drei", "drei"),
        ("lavoro da Tre", "tre"),
        ("trabajo en El Corte Inglés", "corte inglés"),
    ],
)
def test_an_employer_called_by_common_words_is_one(text: str, employer: str) -> None:
    assert [(one.relation, one.object) for one in read_claims(text)] == [("works_at", employer)]


@pytest.mark.parametrize(
    "text",
    [
        *("I work from home", "I work at Home", "I work in IT", "I work with Mum", "ich arbeite in Nachtschicht"),
        *("ich arbeite im Garten", "we work at three", "trabajo en remoto"),
    ],
)
def test_where_nobody_is_employed_is_no_employer(text: str) -> None:
    assert not [one for one in read_claims(text) if one.relation == "works_at"]
