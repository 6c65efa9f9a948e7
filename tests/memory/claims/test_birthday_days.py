"""Whose birthday it is that a sentence names beside its day."""

import pytest

from memory.claims.reader import read_claims


def read_birthdays(text: str) -> list[tuple[str, str]]:
    return [(one.subject, one.object) for one in read_claims(text) if one.relation == "birthday"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I'm looking for a present for my sister's birthday on 2 November", ("sister", "2 november")),
        ("I'm looking for a present for my sister for her birthday on 2 November", ("sister", "2 november")),
        ("Ich suche ein Geschenk für meine Schwester zum Geburtstag am 2. November", ("schwester", "2. november")),
        ("Je cherche un cadeau pour ma soeur pour son anniversaire le 2 novembre", ("soeur", "2 novembre")),
        ("Busco un regalo para mi hermana para su cumpleaños el 2 de noviembre", ("hermana", "2 de noviembre")),
        ("Procuro um presente para a minha irmã para o aniversário dela no dia 2 de maio", ("irmã", "2 de maio")),
        ("cerco un regalo per il compleanno di mia sorella, il 2 novembre", ("sorella", "2 novembre")),
        ("מחפשת לאחותי מתנה ליום ההולדת ב-2 בנובמבר", ("אחות", "2 בנובמבר")),
        ("מחפשת לאמא שלי מתנה ליום ההולדת שלה ב-2 במאי", ("אמא", "2 במאי")),
        ("אמא שלי, רותי, בת 61. מחפשת לה מתנה ליום הולדת ב-2 בנובמבר", ("רותי", "2 בנובמבר")),
        ("Mia madre Ruth, 61 anni. Cerco un regalo per il compleanno il 2 novembre", ("ruth", "2 novembre")),
        ("It's my birthday on 2 November", ("you", "2 november")),
    ],
)
def test_a_birthday_is_of_whom_the_sentence_names(text: str, told: tuple[str, str]) -> None:
    assert read_birthdays(text) == [told]


@pytest.mark.parametrize(
    "text", ["מחפשת מתנה ליום הולדת ב-2 בנובמבר", "Festa di compleanno di mia sorella il 5 maggio"]
)
def test_a_birthday_of_nobody_and_a_feast_tell_none(text: str) -> None:
    assert read_birthdays(text) == []
