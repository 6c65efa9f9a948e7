"""Marks that are not written: around an age behind the name of who speaks, "im sam 42 plumber from hull", and before a
pronoun behind a name, "mum's called nisha shes 52"."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.frames.jobs import matches_job
from memory.claims.frames.tokens import HotToken
from memory.claims.frames.words import HotWords
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries
from memory.language.names import capitalises_nouns, load_possible_names

YOUNGEST: Final = 10
OLDEST: Final = 110
# "Salut moi c'est Léa": the words of a turn within which somebody who is of no known name says it.
MOST_BEFORE: Final = 5
# What may stand behind the age, and ends it.
BEHIND: Final = (
    "prep",
    "of",
    "conj",
    "but",
    "occupation",
    "det",
    "age unit",
    "trade from",
    "trade in",
    "trade at",
    "i",
    "my",
)


def mark_bare_ages(tokens: Sequence[HotToken], words: HotWords) -> list[HotToken]:
    """The words with marks around such an age, so that every reader finds the name before it and what is behind."""
    found: list[HotToken] = []
    ends: set[int] = set()
    for at, token in enumerate(tokens):
        if is_bare_age(tokens, at, words):
            found[-1] = replace(found[-1], classes=frozenset(), is_name=True)
            found.append(make_mark(token.start))
            ends.add(at + (at + 1 < len(tokens) and tokens[at + 1].has("age unit")))
        found.append(token)
        if at in ends and at + 1 < len(tokens) and not tokens[at + 1].is_mark:
            found.append(make_mark(token.end))
    return found


def mark_said_again(tokens: Sequence[HotToken]) -> list[HotToken]:
    """ "Mum's called nisha she's 52": a mark before the pronoun that goes on about whoever was named."""
    found: list[HotToken] = []
    for at, token in enumerate(tokens):
        is_again = token.has("he", "she") and at + 1 < len(tokens) and tokens[at + 1].has("be 3", "have 3")
        is_named = at > 1 and tokens[at - 2].has("named") and not (tokens[at - 1].is_mark or tokens[at - 1].classes)
        found += [make_mark(token.start), token] if is_again and is_named else [token]
    return found


def is_bare_age(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    text = tokens[at].text
    if not text.isdigit() or not YOUNGEST <= int(text) <= OLDEST or at < 2:
        return False
    name, verb = tokens[at - 1], at - 2
    verb -= bool(verb and tokens[verb].has("name article", "det") and not tokens[verb].has("be 1", "i"))
    if name.is_mark or not name.text.isalpha() or not says_who(tokens, verb, words):
        return False
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    is_known = name.plain in load_possible_names()
    if behind is None or behind.is_mark or words.language == HEBREW:
        # "I'm size 12".
        return is_known or (name.is_capital and not capitalises_nouns(words.language))
    if behind.has("occupation", "age unit") or is_from(behind, words) or matches_job(behind.text, words.language):
        return is_known or not (name.classes or name.plain in words.nouns or verb > MOST_BEFORE)
    return is_known and behind.has(*BEHIND)


def is_from(token: HotToken, words: HotWords) -> bool:
    return token.text in read_entries(words.language, "frames", "trade from")


def says_who(tokens: Sequence[HotToken], verb: int, words: HotWords) -> bool:
    """ "Ich bin", "moi c'est"; in Hebrew the pronoun alone."""
    token = tokens[verb]
    if words.language == HEBREW:
        return token.has("i")
    return token.has("be 1") or (token.has("be 3") and any(one.text == "moi" for one in tokens[:verb]))


def make_mark(place: int) -> HotToken:
    return HotToken(",", ",", place, place, is_capital=False, classes=frozenset(), is_mark=True)
