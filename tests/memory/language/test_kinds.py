"""Names are found by what they are names of, and by themselves as before."""

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
        ("Was für ein Fahrrad habe ich?", "die Kette vom Hollandrad springt ab"),
        ("De quel instrument je joue ?", "clarinette ! ça couine encore"),
        ("What sport do I do?", "rowing, tuesdays and sundays"),
        ("Welche Sprache lerne ich?", "seit Mai Spanisch, wegen der Arbeit"),
        ("What blood pressure drug am I on?", "candesartan 8 mg from tomorrow"),
        ("Quale farmaco prendo per la pressione?", "il ramipril mi fa tossire"),
        ("Was nehme ich gegen Heuschnupfen?", "desloratadine is kinder on the stomach"),
        ("¿Qué tomo para la tiroides?", "l-thyroxine 75 tous les matins"),
        ("Que remédio tomo para o colesterol?", "atorvastatin 20 at night"),
        ("איזו תרופה אני לוקחת ללחץ דם?", "losartan 50 every morning"),
    ],
)
def test_a_name_is_found_by_who_asks_for_its_kind(question: str, told: str) -> None:
    terms = set(extract_terms(told))
    assert any(terms.intersection(forms) for forms in build_query_groups(question))


def test_who_asks_for_one_name_finds_no_other_of_its_kind() -> None:
    (forms,) = build_query_groups("yaris")
    assert not set(forms) & set(extract_terms("skoda"))


@pytest.mark.parametrize(
    "told", ["April", "performing", "due cilindri", "la cittadina", "cycling", "Konstantin", "domicilio"]
)
def test_no_word_of_every_day_is_a_medicine(told: str) -> None:
    assert "kind:medicine" not in extract_terms(told)
