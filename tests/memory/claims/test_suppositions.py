"""Conditions: what holds only if something else does is no news, unless it lasts or is put to the listener."""

import pytest

from memory.claims import read_claims


@pytest.mark.parametrize(
    "text",
    [
        "If the rent goes up we'll move to Grimsby.",
        "Si sube el alquiler nos mudamos a Lugo.",
        "Si le loyer augmente on déménage à Brest.",
        "Wenn die Miete steigt, ziehen wir nach Gera.",
        "Se l'affitto aumenta ci trasferiamo a Cuneo.",
        "Se a renda subir mudamos para Beja.",
        "אם שכר הדירה יעלה נעבור לעפולה",
    ],
)
def test_a_condition_tells_no_new_home(text: str) -> None:
    assert not [claim for claim in read_claims(text) if claim.relation == "lives_in"]


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("Si, vivo en Lugo.", "lugo"),
        ("Si te interesa, vivo en Lugo.", "lugo"),
        ("If you're wondering, I live in Grimsby.", "grimsby"),
    ],
)
def test_an_answer_and_a_manner_of_speaking_are_no_conditions(text: str, home: str) -> None:
    assert [(claim.subject, claim.object) for claim in read_claims(text) if claim.relation == "lives_in"] == [
        ("you", home)
    ]


def test_a_mother_in_law_is_no_mother() -> None:
    [claim] = read_claims("My mother-in-law lives in Cuneo.")
    assert (claim.subject, claim.relation, claim.object) == ("mother-in-law", "lives_in", "cuneo")
