"""Names between commas behind whom they name: "my husband, Uri, eats meat".

Every reader cuts at commas, so that what the husband eats stood in a clause of its own, and was the person's in
languages whose verb names nobody. Without the commas it is one clause; each place of the text stays what it was. So do
names in brackets: "my mum (linda) fell". A name that comes first changes places with its noun: "biscuit, my greyhound,
snores" and "Max (my son, 8) plays chess" are read as "my greyhound Biscuit snores" and "my son Max (8) plays chess".
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from memory.claims.frames.jobs import matches_job
from memory.claims.frames.languages import load_owners
from memory.claims.frames.places import is_known_place
from memory.claims.frames.words import load_hot_words
from memory.claims.slots.matching import load_words
from memory.claims.slots.nouns import CAPITAL_NOUNS, is_person_or_animal, load_nouns
from memory.claims.voices.others import load_titles
from memory.guard.spelling import fold_letters
from memory.language.concepts import is_vocabulary
from memory.language.hebrew import HEBREW, HEBREW_AND, HEBREW_THE, is_hebrew
from memory.language.loader import list_codes
from memory.language.names import load_given_names

APPOSED: Final = re.compile(r"(?<=\w)(,)\s+([^\W\d_]+(?:[ -][^\W\d_]+)?)\s?(,)\s+(?=[^\W\d_])")
BRACKETED: Final = re.compile(r"(?<=\w )\(([^\W\d_]{2,20}(?:[ -][^\W\d_]{2,20})?)(?:(, | )(\d{1,3}))?\)")
# From the name on; what stands behind the noun in a bracket is most often an age.
HEADING: Final = re.compile(
    r"(?:^|(?<=[.!?\n]\s))([^\W\d_]{2,20})(?:, ([^\W\d_]+(?: [^\W\d_]+){1,3}),(?= ([^\W\d_]+))"
    r"| \(([^\W\d_]+(?: [^\W\d_]+){1,3})(?:, ([^()]{1,20}))?\))"
)
# Endings of adverbs, which begin a sentence as a name does: "honestly, my dog, ...".
ADVERBS: Final = ("ly", "mente", "ment", "weise", "wise")
# Endings of what somebody is, in lower case no name: "my mum (retired)".
QUALITIES: Final = ("ed", "ing", "ic", "al", "ish", "ous", "less", "ful", "ive", "ant", "ent", "able", "est", "er")
WORD: Final = re.compile(r"[^\W\d_]+")
CUT: Final = re.compile(r"[,;:.!?…()\n]")
# Characters before a bracket in which its noun stands.
REACH: Final = 60
LONGEST_TITLE: Final = 8
# Words of "my older sister" before the comma.
MOST_OWNED: Final = 4
# What stands behind the second comma where the clause does not go on about who was named.
NO_PREDICATE: Final = ("conj", "but", "sub", "rel", "that", "wh", "prep", "my", "i", "det", "he", "she", "they")


def join_appositions(text: str) -> str:
    """The text with a blank in place of each comma around a name."""
    marks = [
        at for found in APPOSED.finditer(text) if is_apposed(text, found) for at in (found.start(1), found.start(3))
    ]
    for at in marks:
        text = f"{text[:at]} {text[at + 1 :]}"
    return text


def put_nouns_first(text: str) -> str:
    """The text in which whom a sentence begins with stands behind the noun that says who that is."""
    return HEADING.sub(put_noun_first, text)


def put_noun_first(found: re.Match[str]) -> str:
    name, owned, rest = found[1], found[2] or found[4], found[5]
    # "Dr. Patel, my dentist, ...": what looks like the end of a sentence is the dot of a title.
    is_titled = load_titles().search(found.string, max(0, found.start() - LONGEST_TITLE), found.start() + 2) is not None
    if is_titled or not any(
        is_heading_name(name, code) and (found[3] is None or goes_on(found[3], code))
        for code in list_owning(owned.split(), with_hot=True)
    ):
        return found[0]
    told = f"{owned} {name[0].upper()}{name[1:]}" + (f" ({rest})" if rest else "")
    return told.ljust(len(found[0]))


def is_heading_name(word: str, language: str) -> bool:
    """Whether a sentence may begin with it as with a name, in small letters or with the capital of any first word."""
    folded = word.casefold()
    if fold_letters(word) in load_given_names():
        return True
    is_known = language in load_owners().get(folded, ()) or tells_quality([word], language)
    return not is_known and not folded.endswith(ADVERBS)


def open_brackets(text: str) -> str:
    """The text with blanks for the brackets of a name, and an age that stands in them in brackets of its own."""
    return BRACKETED.sub(open_bracket, text) if "(" in text else text


def open_bracket(found: re.Match[str]) -> str:
    owned = WORD.findall(CUT.split(found.string[max(0, found.start() - REACH) : found.start()])[-1])[-MOST_OWNED:]
    if not any(is_name(found[1], code) or is_small_name(found[1], code) for code in list_bracketing(owned, found[1])):
        return found[0]
    if not found[3]:
        return f" {found[1]} "
    return f" {found[1]} ({found[3]})" if found[2] == ", " else f" {found[1]}({found[3]})"


def list_bracketing(owned: list[str], spoken: str) -> Iterator[str]:
    """The languages in which somebody or an animal of the person's may be called so."""
    if not (spoken.isupper() or is_known_place(spoken)):
        yield from list_owning(owned, with_hot=True)


def is_small_name(spoken: str, language: str) -> bool:
    """ "Herbert" in lower case, as English alone has few enough endings to tell it from what somebody is."""
    words = spoken.split()
    return language == "en" and not any(
        language in load_owners().get(word, ())
        or word.endswith(QUALITIES)
        or is_vocabulary(word, language)
        or matches_job(word, language)
        for word in map(str.casefold, words)
    )


def is_apposed(text: str, found: re.Match[str]) -> bool:
    owned = WORD.findall(CUT.split(text[: found.start()])[-1])[-MOST_OWNED:]
    behind = WORD.match(text, found.end())
    if behind is None or behind[0][0].isupper():
        return False
    return any(is_name(found[2], language) and goes_on(behind[0], language) for language in list_owning(owned))


def list_owning(words: list[str], *, with_hot: bool = False) -> Iterator[str]:
    """The languages in which words end with somebody or an animal of the person's.

    ``with_hot``: also by the nouns of the hot path, of which some are adjectives too ("la mayor").
    """
    folded = [fold_letters(word) for word in words]
    for language in list_codes():
        nouns = load_hot_words(language).nouns if with_hot and folded else {}
        # The name of a noun may be in front of "my", and an adjective behind it.
        has_noun = any(is_person_or_animal(name_noun(word, language) or nouns.get(word, "")) for word in folded[-2:])
        if has_noun and not load_words(language, "my").isdisjoint(folded):
            yield language


def name_noun(word: str, language: str) -> str:
    nouns = load_nouns(language)
    bare = word.removeprefix(HEBREW_THE) if language == HEBREW else word
    return nouns.get(word) or nouns.get(bare, "")


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
