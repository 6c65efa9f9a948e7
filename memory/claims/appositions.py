"""Names between commas behind whom they name: "my husband, Uri, eats meat".

Every reader cuts at commas, so that what the husband eats stood in a clause of its own, and was the person's in
languages whose verb names nobody. Without the commas it is one clause; each place of the text stays what it was.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from memory.claims.frames.jobs import matches_job
from memory.claims.frames.words import load_hot_words
from memory.claims.slots.matching import load_words
from memory.claims.slots.nouns import CAPITAL_NOUNS, is_person_or_animal, load_nouns
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_AND, HEBREW_THE, is_hebrew
from memory.language.loader import list_codes
from memory.language.names import load_given_names

APPOSED: Final = re.compile(r"(?<=\w)(,)\s+([^\W\d_]+(?:[ -][^\W\d_]+)?)\s?(,)\s+(?=[^\W\d_])")
# "Unser Großer (Fiete, 14) verträgt keine Laktose".
BRACKETED: Final = re.compile(r"(?<=\w)\s(\()([^\W\d_]+(?:[ -][^\W\d_]+)?)((?:,?\s\d{1,3})?\))\s+(?=[^\W\d_])")
WORD: Final = re.compile(r"[^\W\d_]+")
CUT: Final = re.compile(r"[,;:.!?…()\n]")
# Words of "my older sister" before the comma.
MOST_OWNED: Final = 4
# What stands behind the second comma where the clause does not go on about who was named.
NO_PREDICATE: Final = ("conj", "but", "sub", "rel", "that", "wh", "prep", "my", "i", "det", "he", "she", "they")


def join_appositions(text: str) -> str:
    """The text with a blank in place of each comma or bracket around a name, and of an age beside it."""
    found = [one for pattern in (APPOSED, BRACKETED) for one in pattern.finditer(text)]
    for start, end in [one.span(group) for one in found if is_apposed(text, one) for group in (1, 3)]:
        text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return text


def is_apposed(text: str, found: re.Match[str]) -> bool:
    owned = WORD.findall(CUT.split(text[: found.start()])[-1])[-MOST_OWNED:]
    behind = WORD.match(text, found.end())
    if behind is None or behind[0][0].isupper():
        return False
    return any(
        is_name(found[2], language) and goes_on(behind[0], language)
        for language in list_owning(owned, is_wide=found.re is BRACKETED)
    )


def list_owning(words: list[str], *, is_wide: bool) -> Iterator[str]:
    """The languages in which words end with somebody or an animal of the person's; ``is_wide``: "our eldest" too."""
    folded = [fold_letters(word) for word in words]
    for language in list_codes():
        # The name of a noun may be in front of "my", and an adjective behind it.
        has_noun = any(is_person_or_animal(name_noun(word, language, is_wide=is_wide)) for word in folded[-2:])
        if has_noun and not load_words(language, "my").isdisjoint(folded):
            yield language


def name_noun(word: str, language: str, *, is_wide: bool) -> str:
    nouns = load_nouns(language)
    bare = word.removeprefix(HEBREW_THE) if language == HEBREW else word
    # Between commas frames read who "our eldest, Priyanka," is.
    further = load_hot_words(language).nouns if is_wide else {}
    return nouns.get(word) or nouns.get(bare) or further.get(word, "")


def is_name(spoken: str, language: str) -> bool:
    words = spoken.split()
    if any(fold_letters(word) in load_given_names() for word in words):
        return True
    if is_hebrew(words[0]):
        return len(words) == 1
    # "Meine Schwester, Lehrerin, ..." says what she is.
    is_told = any(matches_job(word, language) for word in words) or tells_quality(words, language)
    return all(word[0].isupper() for word in words) and not (language in CAPITAL_NOUNS and is_told)


def tells_quality(words: list[str], language: str) -> bool:
    hot = load_hot_words(language)
    return any(fold_letters(word) in hot.nouns or hot.classify(word.casefold()) for word in words)


def goes_on(word: str, language: str) -> bool:
    """Whether a word behind the name may be the verb of who is named."""
    is_joined = language == HEBREW and word.startswith(HEBREW_AND)
    return not is_joined and fold_letters(word) not in list_openers(language)


@cache
def list_openers(language: str) -> frozenset[str]:
    return frozenset().union(*(load_words(language, kind, "frames") for kind in NO_PREDICATE))
