"""Questions without their mark, as they are typed: they tell nothing but what they take for granted."""

import pytest

from memory.claims import read_claims
from memory.claims.turns import read_turn


@pytest.mark.parametrize(
    "text",
    [
        "in what city is my mother",
        "in which town is my brother",
        "in what hospital is my boss",
        "what city is my mother in",
        "does my boss know that i live in leeds",
        "is a student railcard any good if im not a student",
        "what can i cook for the flat",
        "dans quelle ville est ma mère",
        "à quel hôpital est mon chef",
        "est-ce que ma soeur habite à Lyon",
        "in welcher Stadt ist meine Mutter",
        "bei welchem arzt ist mein bruder",
        "wo wohnt meine mutter",
        "en qué ciudad está mi madre",
        "in che città è mia madre",
        "dove lavora mio fratello",
        "em que cidade está minha mãe",
        "onde trabalha meu irmão",
        "באיזו עיר אמא שלי",
    ],
)
def test_a_question_without_its_mark_tells_nothing(text: str) -> None:
    assert read_claims(text) == []
    assert not read_turn(text).triples


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("i'm allergic to nuts can i eat pesto", [("allergic_to", "nuts")]),
        ("i live in leeds where should i eat", [("lives_in", "leeds")]),
        ("where does my brother Tom work", [("brother", "tom")]),
        ("ran out of my blue inhaler again can a pharmacy give me salbutamol without prescription", [("about", "")]),
        ("what i need is a new flat. i live in leeds", [("lives_in", "leeds")]),
    ],
)
def test_what_stands_beside_it_or_is_taken_for_granted_is_told(text: str, told: list[tuple[str, str]]) -> None:
    assert [(one.relation, one.object) for one in read_claims(text)] == told


def test_what_a_comma_parts_from_a_question_is_told() -> None:
    claims = read_claims("how do i get my stepson Kai to tell me anything about school, hes 13")
    assert {(one.subject, one.relation, one.object) for one in claims} == {
        ("you", "stepson", "kai"),
        ("kai", "age", "13"),
    }
