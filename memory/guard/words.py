"""Reads the guard's words of all languages: `memory/language/<code>/guard.txt`, and what belongs to none of them.

Sections are kinds of words that rules ask for ("ignore", "rules", "kin"), but for a few whose words make up patterns.
"""

import re
from collections.abc import Iterator
from functools import cache

from memory.language.loader import SHARED, collect_entries, list_codes, read_entries, read_sections

SUBJECT = "guard"
# Sections of words that patterns are made of.
PLAIN_SECTIONS = frozenset(
    {"speaker label", "asker label", "answerer label", "article of a letter", "telltale", "nought"}
    | {"task opening", "writing verb", "genre"}
    | {"before would", "article or pronoun"}
)


@cache
def list_words(section: str) -> tuple[str, ...]:
    """The words of a plain section in all languages."""
    return tuple(dict.fromkeys([*read_entries(SHARED, SUBJECT, section), *collect_entries(SUBJECT, section)]))


def join_words(section: str) -> str:
    """The words of a plain section as alternatives of a pattern."""
    return "|".join(map(re.escape, list_words(section)))


def list_kinds() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Each kind of words with its language and its entries."""
    for language in (*list_codes(), SHARED):
        # What belongs to no language comes last and counts in all of them.
        for kind in read_sections(language, SUBJECT):
            if kind not in PLAIN_SECTIONS:
                yield kind, language, read_entries(language, SUBJECT, kind)
