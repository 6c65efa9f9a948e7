"""What a bare "no" behind it denies, what somebody stopped being, and small words that are no denial."""

import pytest

from memory.claims import read_claims


def list_held(text: str) -> set[tuple[str, str, bool]]:
    return {(one.relation, one.object, one.polarity) for one in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "taken", "not_taken"),
    [
        ("prendo il Coumadin, la cardioaspirina no", "coumadin", "cardioaspirina"),
        ("tomo omeprazol, el ibuprofeno no", "omeprazol", "ibuprofeno"),
        ("Ich nehme Ramipril, das Aspirin nicht", "ramipril", "aspirin"),
        ("I take warfarin, aspirin not", "warfarin", "aspirin"),
    ],
)
def test_a_medicine_before_a_bare_no_is_not_taken(text: str, taken: str, not_taken: str) -> None:
    told = list_held(text)
    assert ("takes", taken, True) in told
    assert ("takes", not_taken, False) in told
    assert ("takes", not_taken, True) not in told


@pytest.mark.parametrize(
    ("text", "diet"),
    [
        ("al final dejé de ser vegetariana, ahora como pescado", "vegetariana"),
        ("he dejado de ser vegano", "vegano"),
        ("deixei de ser vegetariana", "vegetariana"),
        ("ho smesso di essere vegetariano", "vegetariano"),
    ],
)
def test_who_stopped_being_something_is_it_no_more(text: str, diet: str) -> None:
    assert ("diet", diet, False) in list_held(text)


def test_in_the_in_one_language_is_no_denial_in_another() -> None:
    assert {("works_at", "itaú", True), ("works_as", "gerente", True)} <= list_held("Trabalho no Itaú como gerente")
    assert ("works_at", "itaú", False) in list_held("No trabajo en Itaú")


def test_who_gave_something_away_has_it_no_more() -> None:
    assert list_held("Ho dato via la macchina, non ci vedo più bene") == {("owns", "macchina", False)}
