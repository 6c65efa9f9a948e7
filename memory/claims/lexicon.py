"""The words of claims, beside those of the guard and of the profile, in one lexicon that reads a text once."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from memory.guard.lexicon import (
    Lexicon,
    LexiconEntry,
    build_entries,
    build_entry,
    parse_tokens,
    read_guard_entries,
    read_subject_entries,
)
from memory.language.kin import list_workmates
from memory.language.loader import collect_entries, list_codes, read_entries, read_sections

SUBJECT: Final = "claims"
# Stands before the kinds of this lexicon: the guard has kinds of the same names.
MARK: Final = "c:"

NOUN: Final = f"{MARK}noun "
OF_GUARD: Final = "guard "
THIRD: Final = " third"
LEFT: Final = " left"

# Sections that name no relation.
STRUCTURE: Final = frozenset(
    {"language", "i", "my", "third", "link", "have", "not", "over", "change", "habit", "topic", "episode", "plan"}
    | {"remember", "remember ask", "standing", "temporary", "opines", "irony", "past", "hedge", "frame", "time", "drop"}
    | {"self", "named", "title", "i am", "the", "joint", "article", "reported", "relative", "machine", "that", "tag"}
    | {"verb ending", "before verb", "asks", "momentary", "reacts", "apart", "past event", "quoted"}
    | {"moving", "coming", "untrue", "contracted"}
    | {"keep verb", "keep place", "keep this", "role you", "role i", "story", "scene order", "scene where"}
)

# At the beginning of a phrase: "am based in" is said as "'m based in". "'s" stands for "is" anywhere.
SHORT_FORMS: Final = (("am ", "m "), ("have ", "ve "), ("are ", "re "))


@cache
def load_claim_words() -> Lexicon:
    workmates = (build_entries("workmate", code, list_workmates(code)) for code in list_codes())
    return Lexicon(read_guard_entries(), read_subject_entries("profile"), read_claim_entries(), *workmates)


def read_claim_entries() -> Iterator[LexiconEntry]:
    for language in list_codes():
        for section in read_sections(language, SUBJECT):
            kind = name_kind(section)
            for text in read_entries(language, SUBJECT, section):
                for variant in expand_contractions(text):
                    yield build_entry(kind, language, parse_tokens(variant))


def name_kind(section: str) -> str:
    """A section is a kind of its own, or, for a language that the guard does not know, one of the guard's."""
    if section == "language" or section.startswith(OF_GUARD):
        return section.removeprefix(OF_GUARD)
    return MARK + section


def expand_contractions(text: str) -> set[str]:
    """A phrase as it is contracted and as it is not."""
    found = {text, text.replace(" is ", " s "), re.sub(r" is$", " s", text)}
    for long, short in SHORT_FORMS:
        found |= {short + one.removeprefix(long) for one in found if one.startswith(long)}
    return found


@cache
def load_small_words() -> frozenset[str]:
    """Words that only join others, in every language: "como" has the ending of a verb and is none."""
    return frozenset(collect_entries("stopwords", "grammar")) | frozenset(collect_entries("stopwords", "fillers"))


@cache
def list_relations() -> tuple[str, ...]:
    """The kinds that are relations, with the marks of their person and of the place of their object."""
    names = {section for language in list_codes() for section in read_sections(language, SUBJECT)}
    return tuple(
        sorted(MARK + name for name in names if name not in STRUCTURE and not name.startswith(("noun ", OF_GUARD)))
    )


@cache
def list_nouns() -> tuple[str, ...]:
    names = {section for language in list_codes() for section in read_sections(language, SUBJECT)}
    return tuple(sorted(MARK + name for name in names if name.startswith("noun ")))


def strip_marks(kind: str) -> str:
    """The relation that a kind of words stands for, without the marks of what kind it is."""
    return kind.removeprefix(NOUN).removeprefix(MARK).removesuffix(THIRD).removesuffix(LEFT)
