"""How a triple is said beside a turn, in every language."""

import pytest

from knowledge_graph.hotmem.bullets import FAVORITE, find_template, word_triple
from memory.language.loader import list_codes
from memory.language.relation_nouns import find_nouns
from tests.memory.language.known_relations import list_known_relations


@pytest.mark.parametrize("language", list_codes())
def test_every_relation_is_said_in_words(language: str) -> None:
    known = list_known_relations()
    assert len(known) > 150
    assert {relation for relation in known if not has_words(relation, language)} == set()


def has_words(relation: str, language: str) -> bool:
    """By a sentence of its own, of the person and of others, or by a noun of the language."""
    if all(find_template(language, f"{whom} {relation}") for whom in ("you", "other")):
        return True
    # A code of one word is an English one.
    is_english = language == "en" and "_" not in relation
    return is_english or any(find_nouns(relation.removeprefix(FAVORITE), language))


@pytest.mark.parametrize(
    ("language", "triple", "said"),
    [
        ("en", ("you", "has_condition", "lactose intolerant"), "Your health: lactose intolerant"),
        ("en", ("metformin", "takes_dose", "500 mg"), "Metformin: dose 500 mg"),
        ("de", ("you", "has_condition", "Laktoseintoleranz"), "Bei dir – Gesundheit: Laktoseintoleranz"),
        ("de", ("you", "dentist", "Dr. Brandt"), "Bei dir – Zahnarzt: Dr. Brandt"),
        ("fr", ("you", "father_in_law", "Luc"), "Votre beau-père : Luc"),
        ("he", ("you", "favorite_book", "מומו"), "ההעדפה שלך (ספר): מומו"),
    ],
)
def test_a_relation_is_said_as_people_say_it(language: str, triple: tuple[str, str, str], said: str) -> None:
    assert word_triple(*triple, lang=language) == said
