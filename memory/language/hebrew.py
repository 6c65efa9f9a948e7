"""Variants of a Hebrew word: without its prefix particles, without plural, construct and feminine endings.

Hebrew writes particles and articles onto the word, and unpointed spelling does not show where they end. So a word is
indexed under every reading that leaves enough of it, and a query matches where any two readings meet.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

# Its code among the languages.
HEBREW: Final = "he"
_LETTER: Final = re.compile("[א-ת]")
_LETTERS: Final = re.compile("[א-ת]+")
_FINAL_FORMS: Final = str.maketrans("ךםןףץ", "כמנפצ")
_TO_FINAL_FORMS: Final = str.maketrans("כמנפצ", "ךםןףץ")

# Longest first. A single ב, כ, ל, מ or ש is as often the first letter of the root, so it needs more word behind it.
_COMBINED: Final = (
    *("וכשה", "ולכש", "לכש", "וכש", "ומה", "ושה", "ובה", "ולה", "שבה", "כשה"),
    *("וה", "וב", "ול", "ומ", "וכ", "וש", "שה", "שב", "של", "שמ", "כש", "מה", "בה", "לה", "מש"),
)
_SURE: Final = ("ה", "ו")
_DOUBTFUL: Final = ("ב", "כ", "ל", "מ", "ש")
_ENDINGS: Final = ("יימ", "ימ", "אות", "ות", "יות", "יה", "ה", "ת", "י")

HEBREW_AND: Final = "ו"
HEBREW_IN: Final = "ב"
HEBREW_THAT: Final = "ש"
HEBREW_THE: Final = "ה"
HEBREW_TO: Final = "ל"
# Letters that stand for a word of their own in front of another: and, in, to, the, from, as, that.
PARTICLES: Final = "ובלהמכש"
# Those that stand before a time.
BEFORE_A_TIME: Final = "בלמה"
BEFORE_A_MONTH: Final = "בלמ"

# Those that stand before a name.
BEFORE_A_NAME: Final = "ולבמשכ"
# What may be taken off without knowing the word that is left.
_ARTICLES: Final = ("שה", "בה", "לה", "וה", "ה", "ו")

_SHORTEST_AFTER_SURE: Final = 2
_SHORTEST_AFTER_DOUBTFUL: Final = 3
_SHORTEST_STEM: Final = 3


def is_hebrew(word: str) -> bool:
    return _LETTERS.fullmatch(word) is not None


def has_hebrew(text: str) -> bool:
    return _LETTER.search(text) is not None


@lru_cache(maxsize=32_768)
def list_hebrew_readings(word: str) -> tuple[str, ...]:
    """The written form first (with final letters made plain), then each shorter reading of it, without repetition."""
    written = word.translate(_FINAL_FORMS)
    forms = dict.fromkeys([written, *_strip_prefix(written)])
    for form in list(forms):
        stem = _strip_ending(form)
        if stem:
            forms[stem] = None
    return tuple(forms)


def _strip_prefix(word: str) -> list[str]:
    for prefixes, shortest in (
        (_COMBINED, _SHORTEST_AFTER_DOUBTFUL),
        (_SURE, _SHORTEST_AFTER_SURE),
        (_DOUBTFUL, _SHORTEST_AFTER_DOUBTFUL),
    ):
        for prefix in prefixes:
            if word.startswith(prefix) and len(word) - len(prefix) >= shortest:
                first = word[1:]
                return (
                    [word[len(prefix) :], first]
                    if len(prefix) > 1 and len(first) >= shortest
                    else [word[len(prefix) :]]
                )
    return []


def _strip_ending(word: str) -> str | None:
    for ending in sorted(_ENDINGS, key=len, reverse=True):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return None


def strip_hebrew_article(word: str) -> str:
    for prefix in _ARTICLES:
        if word.startswith(prefix) and len(word) - len(prefix) >= _SHORTEST_STEM and is_hebrew(word):
            return word[len(prefix) :]
    return word


def restore_final_letter(form: str) -> str:
    """A form as it is written: its last letter has a shape of its own at the end of a word."""
    return form[:-1] + form[-1:].translate(_TO_FINAL_FORMS)
