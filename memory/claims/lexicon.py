"""The words of claims, beside those of the guard and of the profile, in one lexicon that reads a text once."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from memory.guard.lexicon import (
    Lexicon,
    LexiconEntry,
    build_entry,
    parse_tokens,
    read_guard_entries,
    read_subject_entries,
)
from memory.language.loader import list_codes, read_entries, read_sections

SUBJECT: Final = "claims"
MARK: Final = "c:"
"""Stands before the kinds of this lexicon: the guard has kinds of the same names."""

NOUN: Final = f"{MARK}noun "
THIRD: Final = " third"
LEFT: Final = " left"

STRUCTURE: Final = frozenset(
    {"language", "i", "my", "third", "link", "have", "not", "over", "change", "habit", "topic", "episode", "plan"}
    | {"remember", "remember ask", "standing", "temporary", "opines", "irony", "past", "hedge", "frame", "time", "drop"}
    | {"topic stem", "self"}
)
"""Sections that name no relation."""

CONTRACTIONS: Final = (
    ("i'm ", "i am "),
    ("i've ", "i have "),
    ("we're ", "we are "),
    ("we've ", "we have "),
    ("'s ", " is "),
)


@cache
def load_claim_words() -> Lexicon:
    return Lexicon(read_guard_entries(), read_subject_entries("profile"), read_claim_entries())


def read_claim_entries() -> Iterator[LexiconEntry]:
    for language in list_codes():
        for section in read_sections(language, SUBJECT):
            kind = section if section == "language" else MARK + section
            for text in read_entries(language, SUBJECT, section):
                for variant in expand_contractions(text):
                    yield build_entry(kind, language, parse_tokens(variant))


def expand_contractions(text: str) -> set[str]:
    """A phrase as it is contracted and as it is not: "i'm based in" and "i am based in"."""
    found = {text}
    for short, long in CONTRACTIONS:
        found |= {one.replace(short, long) for one in found}
    return found


@cache
def list_relations() -> tuple[str, ...]:
    """The kinds that are relations, with the marks of their person and of the place of their object."""
    names = {section for language in list_codes() for section in read_sections(language, SUBJECT)}
    return tuple(sorted(MARK + name for name in names if name not in STRUCTURE and not name.startswith("noun ")))


@cache
def list_nouns() -> tuple[str, ...]:
    names = {section for language in list_codes() for section in read_sections(language, SUBJECT)}
    return tuple(sorted(MARK + name for name in names if name.startswith("noun ")))


def strip_marks(kind: str) -> str:
    """The relation of a kind."""
    return kind.removeprefix(NOUN).removeprefix(MARK).removesuffix(THIRD).removesuffix(LEFT)


WORD: Final = re.compile(r"\S+")
