"""Names of tools and places, and words of technical talk, with the usual name of each. Pure.

Tools and places stand in the folder `shared`, because their names are the same in most languages; how a language calls
what is talked about in technical work stands in its `technical_terms.txt`.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from memory.language.folding import fold_name
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.loader import SHARED, list_codes, read_entries, read_sections
from memory.language.stems import stem_word

TECHNICAL_TERMS: Final = "technical_terms"
TECHNOLOGIES: Final = "technologies"
PLACES: Final = "places"
ONE_SPELLING: Final = "one spelling"
# Marks an everyday word, which is a name only where the text marks it as one.
EVERYDAY: Final = "*"


@cache
def load_technologies() -> dict[str, str]:
    """From each folded spelling to the usual name."""
    return {spelling: name for spelling, name, _ in _read_names(TECHNOLOGIES)}


@cache
def load_plain_technologies() -> dict[str, str]:
    """Those whose name is no everyday word: they are meant wherever they stand."""
    return {spelling: name for spelling, name, is_everyday in _read_names(TECHNOLOGIES) if not is_everyday}


@cache
def load_places() -> dict[str, tuple[str, bool]]:
    """From each folded spelling to the English name, and whether the word is an everyday one as well."""
    found: dict[str, tuple[str, bool]] = {}
    for spelling, name, is_everyday in _read_names(PLACES):
        found.setdefault(spelling, (name, is_everyday))
    return found


@cache
def load_technical_terms() -> dict[str, str]:
    """From each term of a technical word, of whatever language, to its English name."""
    found: dict[str, str] = {}
    for language in list_codes():
        for name in read_sections(language, TECHNICAL_TERMS):
            for word in read_entries(language, TECHNICAL_TERMS, name):
                plain = word.replace("-", "")
                forms = list_hebrew_readings(plain) if is_hebrew(plain) else stem_word(plain, language)
                found.update((form, name) for form in forms[:1])
    return found


def _read_names(subject: str) -> list[tuple[str, str, bool]]:
    """Folded spelling, usual name, and whether the spelling is an everyday word, of the shared and each other list."""
    # The shared list first: a language adds spellings of its own, and takes none from it.
    found = []
    for folder in (SHARED, *list_codes()):
        for section in read_sections(folder, subject):
            entries = read_entries(folder, subject, section)
            for name, others in ((one, ()) for one in entries) if section == ONE_SPELLING else ((section, entries),):
                usual = fold_name(name.rstrip(EVERYDAY))
                found += [
                    (fold_name(spelling.rstrip(EVERYDAY)), usual, spelling.endswith(EVERYDAY))
                    for spelling in (name, *others)
                ]
    return found
