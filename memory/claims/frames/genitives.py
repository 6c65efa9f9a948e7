"""Genitives that are written without their apostrophe: "my brothers car is red", "tims wife is called Ola".

They are told from a plural by what stands behind, a noun that somebody has, and from other words that end so by being
no word of the language. What a language writes so stands in the section `[owned]` of its frames; English alone has one.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.frames.languages import load_owners
from memory.claims.frames.tokens import HotToken, read_hot_tokens
from memory.claims.frames.words import SUBJECT, HotWords, load_hot_words
from memory.claims.taxonomy import ANIMALS, NOUNS, PEOPLE, THINGS
from memory.language.concepts import is_vocabulary
from memory.language.loader import read_entries

LANGUAGE: Final = "en"
OWNED: Final = "owned"
ENDING: Final = "s"
GENITIVE: Final = frozenset({"genitive"})
# Of somebody whom no list has: "sports teams" and "sales managers" are nobody's.
HAD_BY_NAMED: Final = NOUNS - (THINGS - {"car", "bike", "motorbike", "boat", "house"}) - {"coach", "teacher", "student"}
# Words that are as often a name, so that "visits gran" is no Visit's.
ADDRESSED: Final = frozenset({"mother", "father", "grandmother", "grandfather", "aunt", "uncle", "friend"})
# Letters of a name, and of endings that words have by themselves: "tennis", "chris", "boss".
SHORTEST: Final = 3
OWN_ENDINGS: Final = ("is", "us", "ss", "ous", "'s")
BIRTHDAY: Final = "birthday"
ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})
MOST_ADJECTIVES: Final = 2
VERBAL: Final = ("be 3", "was", "have 3", "named", "verb", "frame", "modal")
# What a name stands behind. An article, "my" or an adjective makes a noun of what follows: "a sports car".
BEFORE_NAME: Final = (
    "conj",
    "but",
    "sub",
    "if",
    "that",
    "prep",
    "be 1",
    "be 3",
    "was",
    "verb",
    "frame",
    "adv",
    "greets",
)


def split_genitives(tokens: Sequence[HotToken], words: HotWords) -> list[HotToken]:
    """The tokens with each such genitive as two, the name and its ending."""
    found: list[HotToken] = []
    for at, token in enumerate(tokens):
        if not is_genitive(tokens, at, words):
            found.append(token)
            continue
        stem, cut = token.text[:-1], token.end - 1
        found.append(replace(token, text=stem, plain=token.plain[:-1], end=cut, classes=words.classify(stem)))
        found.append(HotToken("'s", "'s", cut, token.end, is_capital=False, classes=GENITIVE))
    return name_birthdays(found) if load_owned(words.language) else found


def name_birthdays(tokens: Sequence[HotToken]) -> list[HotToken]:
    """The tokens with the number of somebody's birthday as its noun: "mum's 60th is on ...", "her 60th birthday"."""
    found: list[HotToken] = []
    for at, token in enumerate(tokens):
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        is_number = token.text in ORDINALS and len(found) > 1 and found[-1].text.isdigit()
        is_owned = is_number and (found[-2].text == "'s" or found[-2].has("my", "his"))
        if not is_owned or behind is None or not (behind.plain == BIRTHDAY or behind.has("be 3")):
            found.append(token)
            continue
        number = found.pop()
        if found[-1].text == "'s":
            found[-1] = replace(found[-1], classes=GENITIVE)
        if behind.plain != BIRTHDAY:
            found.append(HotToken(BIRTHDAY, BIRTHDAY, number.start, token.end, is_capital=False, classes=frozenset()))
    return found


def restore_genitives(text: str) -> str:
    """The text of that language with their apostrophes."""
    words = load_hot_words(LANGUAGE)
    tokens = read_hot_tokens(text, words)
    for place in reversed([token.end - 1 for at, token in enumerate(tokens) if is_genitive(tokens, at, words)]):
        text = f"{text[:place]}'{text[place:]}"
    return text


def is_genitive(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    token = tokens[at]
    may_be = token.text.endswith(ENDING) and len(token.text) > SHORTEST and token.text.isalpha()
    if not may_be or at + 1 >= len(tokens) or not load_owned(words.language) or token.has("time"):
        return False
    return belongs_to_kin(tokens, at, words) or belongs_to_named(tokens, at, words)


def belongs_to_kin(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """ "My little brothers car", "the cats name"; not "my brothers work" nor "my sisters and brothers"."""
    whose = words.nouns.get(tokens[at].plain[:-1])
    behind = tokens[at + 1]
    if whose not in PEOPLE | ANIMALS or words.nouns.get(tokens[at].plain, whose) != whose:
        return False
    if behind.has("verb", "frame", "participle") or not is_had(tokens, at + 1, words, NOUNS):
        return False
    if whose in ANIMALS and behind.plain == "name" and at and tokens[at - 1].has("det"):
        return True
    before = [token.has("my", "his") for token in tokens[max(0, at - 1 - MOST_ADJECTIVES) : at]]
    owner = next((size for size, is_owner in enumerate(reversed(before), 1) if is_owner), 0)
    return bool(owner) and not any(one.is_mark or one.has("conj", "prep") for one in tokens[at - owner : at])


def belongs_to_named(tokens: Sequence[HotToken], at: int, words: HotWords) -> bool:
    """ "Jodies birthday", "my friend jodies car"; not "a sports car" nor "loves cats"."""
    token, behind = tokens[at], tokens[at + 1]
    if token.classes or token.text.endswith(OWN_ENDINGS) or not is_had(tokens, at + 1, words, HAD_BY_NAMED):
        return False
    stems = [token.text, token.text[:-1], *([token.text[:-2]] if token.text.endswith("es") else ())]
    if any(map(is_word, stems)):
        return False
    is_several = behind.plain.endswith(ENDING) and words.nouns.get(behind.plain[:-1]) is not None
    after = tokens[at + 2] if at + 2 < len(tokens) else None
    if is_several or (words.nouns.get(behind.plain) in ADDRESSED and not (after and after.has(*VERBAL))):
        return False
    before = tokens[at - 1] if at else None
    is_led = before is None or before.is_mark or before.has(*BEFORE_NAME)
    return is_led or (before is not None and words.nouns.get(before.plain) in PEOPLE)


def is_had(tokens: Sequence[HotToken], at: int, words: HotWords, relations: frozenset[str]) -> bool:
    """Whether a noun that somebody has stands there, or a birthday by its number: "60th is on 28 november".

    Not a verb, as in "my sisters name their cats".
    """
    token = tokens[at]
    if at + 1 < len(tokens) and tokens[at + 1].has("my", "his", "det"):
        return False
    if words.nouns.get(token.plain) in relations or token.text in load_owned(words.language):
        return True
    return token.text.isdigit() and at + 1 < len(tokens) and tokens[at + 1].text in ORDINALS


def is_word(text: str) -> bool:
    return LANGUAGE in load_owners().get(text, ()) or is_vocabulary(text, LANGUAGE)


@cache
def load_owned(language: str) -> frozenset[str]:
    return frozenset(read_entries(language, SUBJECT, OWNED))
