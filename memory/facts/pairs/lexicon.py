"""The words of the judge of pairs, beside those of claims, in one lexicon that reads a statement once."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from memory.claims.lexicon import read_claim_entries
from memory.guard.lexicon import FOREIGN, Lexicon, LexiconEntry, build_entries
from memory.language.loader import SHARED, list_codes, read_entries, read_sections

SUBJECT: Final = "pairs"
# Stands before the kinds of this lexicon: those of claims and of the guard have kinds of the same names.
MARK: Final = "p:"
SLOT: Final = f"{MARK}slot "
# Of words that say as much of other slots: they count where nothing else names one.
WEAK_SLOT: Final = f"{MARK}weak slot "
TOPIC: Final = f"{MARK}topic "
AXIS: Final = f"{MARK}axis "
SAME: Final = f"{MARK}same "
CONTEXT: Final = f"{MARK}context "
# Behind the name of a meaning: the phrase denies it.
TURNED: Final = " not"


@cache
def load_pair_words() -> Lexicon:
    return Lexicon(read_claim_entries(), read_pair_entries())


def read_pair_entries() -> Iterator[LexiconEntry]:
    for code in list_codes():
        for section in read_sections(code, SUBJECT):
            kind = section if section == "language" else MARK + section
            yield from build_entries(kind, code, read_entries(code, SUBJECT, section))
    for section in read_sections(SHARED, SUBJECT):
        if section.startswith("topic "):
            yield from build_entries(MARK + section, FOREIGN, read_entries(SHARED, SUBJECT, section))


@cache
def list_slots(section: str) -> frozenset[str]:
    """The slots of a section that says what kind of slot they are: `single`, `replaced`, `numeric`."""
    return frozenset(read_entries(SHARED, SUBJECT, section))


@cache
def load_domains() -> Mapping[str, frozenset[str]]:
    """From each slot and each meaning to the fields of life it belongs to."""
    found: dict[str, set[str]] = {}
    for section in read_sections(SHARED, SUBJECT):
        if section.startswith("domain "):
            for member in read_entries(SHARED, SUBJECT, section):
                found.setdefault(member.casefold(), set()).add(section.removeprefix("domain "))
    return {member: frozenset(domains) for member, domains in found.items()}


@cache
def list_all_slots() -> frozenset[str]:
    return frozenset(
        section.split(" ")[-1]
        for code in (*list_codes(), SHARED)
        for section in read_sections(code, SUBJECT)
        if section.startswith(("slot ", "weak slot ", "topic "))
    )
