"""What people tell in Spanish and Portuguese, as they write to one another, and the same in their sister languages."""

import pytest

from memory.claims import read_claims

Slot = tuple[str, str, str]


def read_slots(text: str, *previous: str) -> set[Slot]:
    return {(claim.subject, claim.relation, claim.object) for claim in read_claims(text, previous) if claim.polarity}


@pytest.mark.parametrize(
    ("text", "who", "place"),
    [
        ("Lourdes se viene a vivir a Málaga", "lourdes", "málaga"),
        ("Mi hija Lourdes deja Bruselas: se viene a vivir a Málaga con su novio", "lourdes", "málaga"),
        ("A Bia vem morar em Olinda com o namorado", "bia", "olinda"),
        ("um amigo se mudou para Recife", "amigo", "recife"),
        ("Mio fratello viene a vivere a Torino", "fratello", "torino"),
        ("Marion vient vivre à Brest", "marion", "brest"),
        ("Nos venimos a vivir a Málaga", "you", "málaga"),
    ],
)
def test_who_comes_to_live_somewhere_is_who_the_clause_is_about(text: str, who: str, place: str) -> None:
    homes = {slot for slot in read_slots(text) if slot[1] == "lives_in"}
    assert homes == {(who, "lives_in", place)}
