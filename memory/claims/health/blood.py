"""Blood types: "mi grupo sanguíneo es A+", "Blutgruppe 0 negativ", "my blood type: AB"."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.slots.framed import FRAMED
from memory.claims.slots.matching import SlotMatch, join_entries
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

BLOOD_TYPE: Final = "blood_type"
NOUN: Final = "noun blood_type"
# Words between the noun and its value: "es", "שלי הוא".
GAP: Final = r"(?:\W{1,3}\w{1,6}){0,2}?\W{1,3}"
SIGN: Final = r"(?:\s?(?:rh(?:esus)?[\s-]?)?(?:[+−–-](?!\w)|(?:pos|neg)[^\W\d_]*|חיובי|שלילי))"
LETTERS: Final = r"(?:ab|a|b|o|0|zero|cero|zéro|null|rh)"
# Without its sign a type is written with capitals, for "a" is an article: "my blood group is AB".
BARE: Final = r"(?-i:AB|A|B|O|0)(?=\s*(?:[.,!?]|$))"
TYPE: Final = re.compile(rf"{LETTERS}(?:{SIGN}|\W|$)", re.IGNORECASE)


def find_blood_types(raw: str, languages: Iterable[str]) -> Iterator[SlotMatch]:
    """The person's own: "my wife's blood group" is hers."""
    for language in languages:
        for found in load_blood_types(language).finditer(raw):
            before = raw[: found.start("noun")].split()
            if before and fold_letters(before[-1]) not in list_before(language):
                continue
            span = found.span("type")
            type_ = " ".join(found["type"].casefold().split())
            yield SlotMatch(BLOOD_TYPE, SPEAKER, type_, *found.span(), weight=FRAMED, object_span=span)


def is_blood_type(spoken: str) -> bool:
    return TYPE.match(spoken) is not None


@cache
def list_before(language: str) -> frozenset[str]:
    """What may stand before the noun: whose it is, and having."""
    kinds = (("slots", "my"), ("slots", "article"), ("frames", "have 1"), ("slots", "i"))
    return frozenset(fold_letters(one) for subject, kind in kinds for one in read_entries(language, subject, kind))


@cache
def load_blood_types(language: str) -> re.Pattern[str]:
    nouns = join_entries(language, NOUN)
    return re.compile(rf"(?<!\w)(?P<noun>{nouns})(?!\w){GAP}(?P<type>{LETTERS}{SIGN}|{BARE})", re.IGNORECASE)
