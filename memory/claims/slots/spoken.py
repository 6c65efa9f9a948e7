"""Where the value of a claim stands in its statement, which has the person's letters."""

import re
from typing import Final

from memory.claims.claim import Claim
from memory.claims.frames.words import load_hot_words
from memory.guard.spelling import fold_letters

WORD: Final = re.compile(r"[^\W_]+")


def cut_before(claim: Claim) -> str:
    """The words of the statement before its value; none where it is worded otherwise."""
    return claim.statement[: max(0, claim.statement.casefold().find(claim.object))]


def names_noun(words: str, relations: frozenset[str], language: str) -> bool:
    nouns = load_hot_words(language or "en").nouns
    return any(nouns.get(fold_letters(word)) in relations for word in WORD.findall(words))


def cut_as_written(claim: Claim) -> str:
    """The value with its capitals; as it is where the statement words it otherwise."""
    at = claim.statement.casefold().find(claim.object)
    return claim.statement[at : at + len(claim.object)] if at >= 0 else claim.object
