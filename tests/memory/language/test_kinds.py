"""Makes and models are found by what they are, and by their own names as before."""

import pytest

from memory.language import build_query_groups, extract_terms


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What car do I own?", "my yaris flashes a light"),
        ("Welches Auto habe ich?", "mein Škoda springt nicht an"),
        ("¿Qué móvil tengo?", "mi Fairphone no carga"),
        ("Che bici ho?", "la mia Graziella fa clic"),
        ("Quel ordinateur ai-je ?", "mon ThinkPad siffle"),
        ("איזה רכב יש לי?", "ה-Clio שלי במוסך"),
    ],
)
def test_a_name_is_found_by_who_asks_for_its_kind(question: str, told: str) -> None:
    terms = set(extract_terms(told))
    assert any(terms.intersection(forms) for forms in build_query_groups(question))


def test_who_asks_for_one_name_finds_no_other_of_its_kind() -> None:
    (forms,) = build_query_groups("yaris")
    assert not set(forms) & set(extract_terms("skoda"))
