"""Completes an announced change with the value that the person tells right behind it. Pure.

"The dentist moved me, of all weeks. It's the 18th now" announces a change in one clause and tells it in another: a
statement of the first alone is kept for nothing.
"""

import re
from collections.abc import Sequence
from typing import Final

from memory.claims import Claim
from memory.claims.relations import ABOUT
from memory.facts.pairs.reading import read_pair_statement
from memory.facts.pairs.statement import PairStatement
from memory.facts.pairs.values import find_values
from memory.guard.spelling import normalise_text

# Parts of the text behind the change that are looked at: the rest of its sentence, and the next one.
MOST_PARTS: Final = 2
REACH: Final = 200
PART: Final = re.compile(r"(?<=[.!?\n])\s+")
# A word with a capital inside a sentence; not "I", "I'm".
NAME: Final = re.compile(r"(?<=[^\W\d_,;:] )(?!I\b)[A-ZÀ-ÖØ-Þ][\w'-]+|(?<=[,;:] )(?!I\b)[A-ZÀ-ÖØ-Þ][\w'-]+")
CAPITAL_NOUNS: Final = frozenset({"de"})
MARKS: Final = " ,;:-–—.!?"


def complete_statement(claim: Claim, statement: str, text: str, longest: int, others: Sequence[Claim] = ()) -> str:
    """The statement with what follows it in the text up to the first value; itself where it has one, or none follows.

    What is not told as a change is only completed by what is. Of ``others`` those that name a relation stand alone.
    """
    if claim.relation != ABOUT or claim.is_request or claim.is_remark or has_value(statement, claim.lang):
        return statement
    spoken = " ".join(normalise_text(text).split())
    words = statement.rstrip(".")
    at = spoken.casefold().find(words.casefold())
    if at < 0:
        return statement
    end = at + len(words)
    told = find_told_part(spoken[end : end + REACH], claim.lang)
    if (claim.tense == "present" and not announces_change(told)) or holds_claim(told, others):
        return statement
    whole = f"{words}{told}".rstrip(MARKS)
    return f"{whole}." if told and len(whole) < longest else statement


def find_told_part(rest: str, language: str) -> str:
    """As much of the rest as tells a value; nothing where the person asks before."""
    told = ""
    for part in PART.split(rest)[:MOST_PARTS]:
        if part.rstrip().endswith("?"):
            break
        told += f"{' ' if told else ''}{part}"
        if has_value(part, language):
            return told
    return ""


def has_value(text: str, language: str) -> bool:
    is_named = language not in CAPITAL_NOUNS and NAME.search(text) is not None
    return is_named or any(char.isdigit() for char in text) or bool(find_values(text))


def holds_claim(told: str, claims: Sequence[Claim]) -> bool:
    """Whether one of the claims that name a relation is told there: "we moved, I live in York now"."""
    spoken = told.casefold()
    return any(one.relation != ABOUT and one.statement.rstrip(".").casefold() in spoken for one in claims)


def announces_change(text: str) -> bool:
    return bool(text) and read_pair_statement(PairStatement(text)).tells_change
