"""Where the value of a claim stands in its statement, which has the person's letters."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.frames.words import load_hot_words
from memory.claims.slots.matching import load_words
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

WORD: Final = re.compile(r"[^\W_]+")
BEING: Final = ("be 1", "be 3")


def cut_before(claim: Claim) -> str:
    """The words of the statement before its value; none where it is worded otherwise."""
    return claim.statement[: max(0, claim.statement.casefold().find(claim.object))]


def list_before(claim: Claim) -> list[str]:
    """The words before the object of a claim, folded."""
    return WORD.findall(fold_letters(cut_before(claim)))


def drop_article(spoken: str, language: str) -> str:
    """ "El yoga" is no "él"."""
    first, _, rest = spoken.partition(" ")
    is_article = first.casefold() in read_entries(language, "slots", "article")
    return rest if rest and is_article and first.casefold() not in read_entries(language, "slots", "he") else spoken


def drop_articles(words: Sequence[str], language: str) -> Sequence[str]:
    """The words without articles at their end."""
    articles = load_words(language, "article")
    while words and words[-1] in articles:
        words = words[:-1]
    return words


@cache
def load_being(language: str, *kinds: str) -> frozenset[str]:
    """Forms of "to be", of these persons or of all: without their marks, as "'s" is one of the words of "she's"."""
    return frozenset(form.strip("'") for kind in kinds or BEING for form in load_words(language, kind, "frames"))


def names_noun(words: str, relations: frozenset[str], language: str) -> bool:
    nouns = load_hot_words(language or "en").nouns
    return any(nouns.get(fold_letters(word)) in relations for word in WORD.findall(words))


def cut_as_written(claim: Claim) -> str:
    """The value with its capitals; as it is where the statement words it otherwise."""
    at = claim.statement.casefold().find(claim.object)
    return claim.statement[at : at + len(claim.object)] if at >= 0 else claim.object
