"""Makes one pattern of the phrases that all languages have for the same thing.

A phrase is matched as whole words against folded text. It may use the plain parts of a regular expression: `(a|b)`,
`s?`, `\\w*`. `^` in front ties it to the start of the text, an ellipsis at an end lets the word go on there. The lines
of a section "name: pattern" are regular expressions as they are, for scripts that write particles onto the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import groupby
from typing import Final

from memory.language.loader import collect_entries, list_codes, read_sections

_GROUP: Final = re.compile(r"(?<!\\)\((?!\?)")
_OPEN: Final = "…"
_NEVER: Final = r"(?!)"


def strip_groups(phrase: str) -> str:
    """The phrase with brackets that capture nothing."""
    return _GROUP.sub("(?:", phrase)


@cache
def join_phrases(subject: str, *sections: str) -> str:
    """The phrases of all languages as alternatives, without edges of words."""
    phrases = [phrase for section in sections for phrase in collect_entries(subject, section)]
    return "|".join(map(strip_groups, phrases)) or _NEVER


@cache
def join_patterns(subject: str, section: str) -> tuple[str, ...]:
    """The lines of "section: pattern" of all languages."""
    name = f"{section}: pattern"
    return tuple(line for code in list_codes() for line in read_sections(code, subject).get(name, ()))


# Between "quote" and "from", and "from" and "book".
LONGEST_GAP: Final = 80


def compile_cue(subject: str, section: str) -> re.Pattern[str]:
    """What finds any phrase of a section, of whatever language, anywhere in a text.

    A gap within a phrase is of so many characters at most: else each beginning would look to the end of the text.
    """
    phrases = [*_join_edges(collect_entries(subject, section)), *join_patterns(subject, section)]
    return re.compile("|".join(phrases).replace(".*", f".{{0,{LONGEST_GAP}}}"))


def compile_opening(subject: str, section: str, before: str = "") -> re.Pattern[str]:
    """What finds a phrase of a section at the start of a text, behind one of the words of the section ``before``."""
    lead = rf"(?:(?:{join_phrases(subject, before)}) )?" if before else ""
    opening = rf"^\W*+{lead}(?:{join_phrases(subject, section)})\b"
    return re.compile("|".join([opening, *join_patterns(subject, section)]))


# Runs rather than one group for each kind of edge: of two phrases that begin at the same place the earlier one counts,
# and the words that are taken out of a question depend on it.
def _join_edges(phrases: Iterable[str]) -> list[str]:
    """One alternative for each run of phrases with the same edges."""
    found = []
    for (start, end), run in groupby(phrases, key=_choose_edges):
        bare = "|".join(strip_groups(phrase.lstrip("^").strip(_OPEN)) for phrase in run)
        found.append(f"{start}(?:{bare}){end}")
    return found


def _choose_edges(phrase: str) -> tuple[str, str]:
    start = "^" if phrase.startswith("^") else "" if phrase.startswith(_OPEN) else r"\b"
    return start, "" if phrase.endswith(_OPEN) else r"\b"
