"""Allergies that are told by what they do: "no peanuts pls, i swell up like a balloon"."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.health.prescriptions import ALLERGY
from memory.claims.slots.framed import FRAMED
from memory.claims.slots.matching import SlotMatch, join_entries

# Of one word rather than of two: "peanuts pls" is none.
THING: Final = r"[^\W\d_]{3,30}(?:\s[^\W\d_]{3,30})??"


def find_reactions(raw: str, languages: Iterable[str]) -> Iterator[SlotMatch]:
    """What somebody wants none of because of what it does to them."""
    for language in languages:
        for found in load_reactions(language).finditer(raw):
            span = found.span("thing")
            name = found["thing"].casefold()
            yield SlotMatch(ALLERGY, SPEAKER, name, *span, is_explicit=True, weight=FRAMED, object_span=span)


@cache
def load_reactions(language: str) -> re.Pattern[str]:
    # "Can't", "j'étouffe".
    sections = (join_entries(language, one).replace(r"\ ", r"[\s'’]") for one in ("none of", "softener", "reacts"))
    refused, softened, reacts = sections
    between = rf"[\s,]{{1,3}}(?:(?:{softened})[\s,]{{1,3}}){{0,2}}"
    return re.compile(rf"(?<!\w)(?:{refused})\s(?P<thing>{THING}){between}(?:{reacts})(?!\w)", re.IGNORECASE)
