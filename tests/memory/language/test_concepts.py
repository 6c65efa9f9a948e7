"""Words of one meaning within and across languages."""

import pytest

from memory.language.analysis import build_query_groups
from memory.language.concepts import find_alternatives, is_vocabulary
from memory.language.stems import stem_word


@pytest.mark.parametrize(
    ("asked", "said", "language"),
    [
        ("cheffe", "manager", "en"),
        ("Mitbewohner", "flatmate", "en"),
        ("dottoressa", "physician", "en"),
        ("suegra", "belle-mère", "fr"),
        ("tortoise", "schildkröte", "de"),
        ("criceto", "hamster", "en"),
        ("boulot", "lavoro", "it"),
        ("Handy", "smartphone", "en"),
    ],
)
def test_what_one_language_is_asked_another_answers(asked: str, said: str, language: str) -> None:
    alternatives = {term for group in build_query_groups(asked) for term in group}
    assert not alternatives.isdisjoint(stem_word(said.replace("-", "").replace("è", "e").replace("ö", "o"), language))


def test_what_is_said_of_people_is_no_proof_that_a_word_is_no_name() -> None:
    """A French boyfriend is a "jules", and Jules a name."""
    assert find_alternatives(stem_word("jules", "fr"))
    assert not is_vocabulary("Jules", "fr")
