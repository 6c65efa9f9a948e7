"""Verbs known by their ending alone: "compraría" says what would be, "ferretería" and "María" only end alike.

Forms of "*aría" and "*ería" are names and shops more often than verbs; what stands before them tells which.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

from memory.guard.words import SUBJECT
from memory.language.folding import fold_name
from memory.language.loader import read_entries
from memory.language.names import load_given_names

WOULD: Final = "would"
ENDING: Final = "would ending"

# Kind, language and place of an entry of the lexicon.
FoundEntry = tuple[str, str, tuple[int, int]]


def settle_conditionals(
    found: list[FoundEntry], words: tuple[str, ...], capitals: frozenset[int], breaks: frozenset[int]
) -> list[FoundEntry]:
    """The entries with each ending taken for a verb, where it is one, and left out elsewhere."""
    if not any(kind == ENDING for kind, _, _ in found):
        return found
    settled = []
    for kind, language, span in found:
        if kind != ENDING:
            settled.append((kind, language, span))
        elif span[0] not in capitals and is_verb(words, span[0], language, opens={0} | breaks):
            settled.append((WOULD, language, span))
    return settled


def is_verb(words: tuple[str, ...], place: int, language: str, opens: Iterable[int]) -> bool:
    if fold_name(words[place]) in load_given_names():
        return False
    if place in opens:
        return True
    leading = load_plain_words(language, "before would")
    # "No la vendería" sells it; "la ferretería" and "en la ferretería" are a shop.
    is_led = words[place - 1] in load_plain_words(language, "article or pronoun")
    return words[place - 2 if is_led else place - 1] in leading and place > is_led


@cache
def load_plain_words(language: str, section: str) -> frozenset[str]:
    return frozenset(read_entries(language, SUBJECT, section))
