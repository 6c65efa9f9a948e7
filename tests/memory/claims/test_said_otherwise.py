"""Medicines that are denied, orders, likenesses and people that are nobody's: what only looks like a fact."""

import pytest

from memory.claims import read_claims


@pytest.mark.parametrize(
    "text",
    [
        "Ich nehme kein Ramipril.",
        "Ich nehme kein Ramipril mehr.",
        "I don't take ramipril.",
        "No tomo ramipril.",
        "Je ne prends pas de ramipril.",
        "Non prendo ramipril.",
        "Não tomo ramipril.",
        "I don't take ramipril or aspirin.",
    ],
)
def test_a_medicine_that_is_denied_is_not_taken(text: str) -> None:
    assert [(one.relation, one.object, one.polarity) for one in read_claims(text)] == [("takes", "ramipril", False)]


@pytest.mark.parametrize(
    "text",
    [
        "Erzähl mir vom Leben in Kiel.",
        "Fala-me da vida em Beja.",
        "I work like a horse.",
        "תן לי מתכון לצ'ילי טבעוני.",
        "אתה רופא שעובד בחיפה.",
        "מלך ספרד גר במדריד.",
    ],
)
def test_orders_likenesses_and_kings_tell_nothing_of_the_person(text: str) -> None:
    assert not [one for one in read_claims(text) if one.subject == "you" and one.relation != "about"]


@pytest.mark.parametrize(
    ("text", "relation", "value"),
    [
        ("I really do like jazz.", "likes", "jazz"),
        ("Guten Tag, Wohne jetzt in Kiel", "lives_in", "kiel"),
        ("אתה יודע שאני גרה בחיפה", "lives_in", "חיפה"),
    ],
)
def test_what_is_told_beside_them_is_kept(text: str, relation: str, value: str) -> None:
    assert ("you", relation, value) in {(one.subject, one.relation, one.object) for one in read_claims(text)}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Tom joined monday as my new boss", "tom"),
        ("Marta empieza el lunes como mi nueva jefa", "marta"),
        ("Mme Diallo arrive lundi comme ma nouvelle cheffe", "mme diallo"),
        ("Frau Kuhn fängt montag als meine neue chefin an", "frau kuhn"),
        ("Ornella inizia lunedì come mia nuova responsabile", "ornella"),
        ("a Inês começa segunda como a minha nova chefe", "inês"),
    ],
)
def test_who_begins_as_the_boss_is_the_boss(text: str, name: str) -> None:
    assert ("boss", name) in {(one.relation, one.object) for one in read_claims(text)}


def test_somebody_with_an_illness_has_no_trade_of_that_name() -> None:
    assert [(one.relation, one.object) for one in read_claims("ich bin Zöliakin")] == [("has_condition", "zöliakin")]
