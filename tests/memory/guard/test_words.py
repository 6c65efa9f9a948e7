"""The guard's words: every language has what the rules ask for."""

import pytest

from memory.guard.words import PLAIN_SECTIONS, SUBJECT, list_words
from memory.language.loader import SHARED, list_codes, read_entries, read_sections


@pytest.mark.parametrize("language", list_codes())
def test_a_language_knows_every_kind_of_words_that_english_knows(language: str) -> None:
    # "circle" serves languages only in which "recommends" and "recommend!" are one word.
    asked = set(read_sections("en", SUBJECT)) - PLAIN_SECTIONS - {"circle"}
    assert sorted(kind for kind in asked if not read_entries(language, SUBJECT, kind)) == []


@pytest.mark.parametrize("language", list_codes())
def test_no_language_has_a_kind_of_words_of_its_own(language: str) -> None:
    others = (SHARED, *(code for code in list_codes() if code != language))
    known = PLAIN_SECTIONS.union(*(read_sections(code, SUBJECT) for code in others))
    assert set(read_sections(language, SUBJECT)) <= known


# What stands before a conditional is asked where names end as one does.
OF_CONDITIONALS = {"before would", "article or pronoun"}


@pytest.mark.parametrize("section", sorted(PLAIN_SECTIONS - {"nought"} - OF_CONDITIONALS))
def test_what_patterns_are_made_of_is_known_in_several_languages(section: str) -> None:
    assert len(list_words(section)) > len(read_entries("en", SUBJECT, section)) > 0
