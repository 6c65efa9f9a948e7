"""Names in brackets behind somebody or an animal, as both readers read them."""

import pytest

from memory.claims.frames.appositions import open_brackets
from memory.claims.reader import read_claims
from memory.claims.turns import read_turn as read_hot_turn

Told = tuple[str, str, str]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("my tortoise (herbert) hasnt eaten since sunday", ("you", "turtle", "herbert")),
        ("my mum (linda) fell", ("you", "mother", "linda")),
        ("my mum (linda) lives in leeds", ("linda", "lives_in", "leeds")),
        ("My sister (Anna) lives in Hull.", ("you", "sister", "anna")),
        ("my son (leo, 9) plays chess", ("you", "son", "leo")),
        ("mein Sohn (Fiete, 14) spielt Handball", ("you", "son", "fiete")),
        ("mi hija (Lucía) vive en Madrid", ("lucía", "lives_in", "madrid")),
    ],
)
def test_a_name_in_brackets_is_whose_noun_stands_before(text: str, told: Told) -> None:
    claims = read_claims(text)
    assert told in {(one.subject, one.relation, one.object) for one in claims}
    assert told in {one.key for one in read_hot_turn(text).triples}
    assert not [one for one in claims if "(" in one.object or ")" in one.object]


@pytest.mark.parametrize(
    "text",
    [
        *("my mum (retired) lives in leeds", "my brother (ADHD) is 30", "meine Mutter (Rentnerin) wohnt in Kiel"),
        *("my dog (a labrador) is ill", "my sister (pregnant) is tired", "the cat (mog) is ill", "I live here (leeds)"),
    ],
)
def test_other_brackets_stay(text: str) -> None:
    assert open_brackets(text) == text
