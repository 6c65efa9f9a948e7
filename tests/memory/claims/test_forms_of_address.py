"""A wish to be called something tells the name, and stays a wish about answers."""

import pytest

from memory.claims.constraints import STYLE, find_constraint
from memory.claims.questions import read_question
from memory.claims.reader import read_claims

WISHES = [
    ("Call me Bea.", "bea"),
    ("please call me bea, everyone does", "bea"),
    ("just call me Bea from now on, what's the weather like?", "bea"),
    ("Keep in mind: call me Dr. Klein, not Mrs.", "dr. klein"),
    ("Nenn mich bitte Bea", "bea"),
    ("Nenn mich ruhig Bine.", "bine"),
    ("nenn mich bitte bea", "bea"),
    ("Llámame Bea", "bea"),
    ("appelle-moi Lulu, tout le monde le fait", "lulu"),
    ("chiamami Bea", "bea"),
    ("תקראו לי בי", "בי"),
    ("me chama de Bia", "bia"),
]


@pytest.mark.parametrize(("said", "name"), WISHES)
def test_the_name_is_told_and_minded_in_every_answer(said: str, name: str) -> None:
    [claim] = read_claims(said)
    assert (claim.subject, claim.relation, claim.object) == ("you", "goes_by", name)
    assert STYLE in find_constraint(claim.statement, claim.relation)


def test_it_does_not_end_the_name_beside_it() -> None:
    told = {(claim.relation, claim.object) for claim in read_claims("My name is Beatrice but call me Bea")}
    assert told == {("name", "beatrice"), ("goes_by", "bea")}


@pytest.mark.parametrize("said", ["Call me tomorrow", "never call me Beatrice", "don't call me Beatrice"])
def test_other_wishes_tell_no_name(said: str) -> None:
    assert "goes_by" not in {claim.relation for claim in read_claims(said)}


@pytest.mark.parametrize(
    "asked",
    [
        "What do people call me?",
        "What should you call me?",
        "What's my nickname?",
        "Wie werde ich genannt?",
        "¿Cómo me llaman?",
        "On m'appelle comment ?",
        "Come mi chiamano tutti?",
        "איך קוראים לי?",
        "Como me chamam?",
    ],
)
def test_it_is_asked_for_as_a_name_is(asked: str) -> None:
    assert "goes_by" in read_question(asked).relations


def test_what_to_call_somebody_asks_for_the_name_too() -> None:
    assert "name" in read_question("What do people call me?").relations
