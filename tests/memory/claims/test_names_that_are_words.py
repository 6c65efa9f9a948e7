"""Names that are words of another kind: behind somebody a capital is a name."""

import pytest

from memory.claims.reader import read_claims


def read_facts(text: str) -> set[tuple[str, str, str]]:
    return {(claim.subject, claim.relation, claim.object) for claim in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("my sister Hope lives in Leeds", ("hope", "lives_in", "leeds")),
        ("My brother Will moved to York.", ("will", "lives_in", "york")),
        ("my husband's called Will and he's a nurse", ("will", "works_as", "nurse")),
        ("My daughter Faith will start school in May.", ("you", "daughter", "faith")),
        ("I own a bakery in Ludlow called The Crusty Cob", ("you", "bakery", "crusty cob")),
    ],
)
def test_a_capital_behind_somebody_is_a_name(text: str, fact: tuple[str, str, str]) -> None:
    assert fact in read_facts(text)


@pytest.mark.parametrize("text", ["My sister will move to Leeds.", "my brother might live in York"])
def test_without_a_capital_it_is_what_it_says(text: str) -> None:
    assert not {relation for _, relation, _ in read_facts(text)} & {"lives_in", "sister", "brother"}
