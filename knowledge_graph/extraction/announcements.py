"""Words that introduce a name, and words that are no names. Case-folded, no accents. Pure."""

from functools import cache
from typing import Final

from memory.language.folding import strip_accents
from memory.language.kin import load_introductions, load_own_introductions
from memory.language.loader import load_languages
from memory.language.names import load_words
from memory.language.periods import MONTHS, WEEKDAYS
from memory.language.stopwords import load_fillers, load_stop_words

# Words an announcement has at most.
LONGEST: Final = 3
INSIDE_NAMES: Final = load_words("inside names")
COMPANY_ENDINGS: Final = load_words("company endings")
PERSONS_VERBS: Final = load_words("verbs of persons")
CALENDAR: Final = frozenset(MONTHS) | WEEKDAYS | load_words("languages")
_MINE: Final = load_words("mine")


@cache
def _load_announcements() -> dict[str, str]:
    found: dict[str, str] = {}
    for kind in ("person", "organisation", "place", "project"):
        article = "an" if kind == "organisation" else "a"
        found.update(dict.fromkeys(load_words(f"before {article} {kind}"), kind))
    found.update(dict.fromkeys(load_own_introductions(), "person"))
    return found


def find_announced_kind(before: list[str]) -> str | None:
    """The kind of name that the words just before announce."""
    for length in range(min(LONGEST, len(before)), 0, -1):
        if kind := _load_announcements().get(" ".join(before[-length:])):
            return kind
    # "my sister Dana", "mi hermana Dana", "la mia amica Dana"
    if len(before) > 1 and before[-1] in load_introductions() and before[-2] in _MINE:
        return "person"
    return None


def is_function_word(bare: str) -> bool:
    return bare in _load_function_words(is_first=False)


def is_acronym(bare: str) -> bool:
    """Whether a word in capitals is no ordinary one. Later languages are not asked: "nas" is Portuguese "in the"."""
    return bare not in _load_function_words(is_first=True)


@cache
def _load_function_words(*, is_first: bool) -> frozenset[str]:
    """Of all languages, or of the first generation alone."""
    codes = tuple(language.code for language in load_languages() if language.generation == 1 or not is_first)
    grammar = {strip_accents(word) for code in codes for word in load_stop_words(code)}
    return frozenset(grammar) | load_words("no names") | load_fillers(codes) | load_introductions()
