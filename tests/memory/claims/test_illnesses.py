"""Illnesses in the words of each language: of the mouth, with a partitive article, of somebody else."""

import pytest

from memory.claims.reader import read_claims


@pytest.mark.parametrize(
    ("text", "who", "illness"),
    [
        ("j'ai de l'hypertension", "you", "hypertension"),
        ("j'ai de l'asthme", "you", "asthme"),
        ("j'ai du diabète", "you", "diabète"),
        ("je souffre d'asthme", "you", "asthme"),
        ("ma mère a de l'hypertension", "mère", "hypertension"),
        ("I have gingivitis", "you", "gingivitis"),
        ("my son has conjunctivitis", "son", "conjunctivitis"),
        ("tengo caries", "you", "caries"),
        ("mi hija tiene bronquitis", "hija", "bronquitis"),
        ("j'ai une parodontite", "you", "parodontite"),
        ("ich hab Karies", "you", "karies"),
        ("ich habe eine Zahnfleischentzündung", "you", "zahnfleischentzündung"),
        ("ho la gengivite", "you", "gengivite"),
        ("ho una carie", "you", "carie"),
        ("tenho periodontite", "you", "periodontite"),
        ("יש לי דלקת חניכיים", "you", "דלקת חניכיים"),
        ("לבן שלי יש עששת", "בן", "עששת"),
    ],
)
def test_an_illness_is_one_in_each_language(text: str, who: str, illness: str) -> None:
    assert [(one.subject, one.relation, one.object, one.polarity) for one in read_claims(text)] == [
        (who, "has_condition", illness, True)
    ]


def test_an_illness_that_is_denied_is_one_too() -> None:
    assert [(one.relation, one.polarity) for one in read_claims("I don't have gingivitis")] == [
        ("has_condition", False)
    ]


@pytest.mark.parametrize("text", ["j'ai de l'eau", "j'ai de la chance", "ho la vite"])
def test_what_is_no_illness_is_none(text: str) -> None:
    assert not read_claims(text)
