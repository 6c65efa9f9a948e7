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
