"""Allergies that are told by what they do: "no peanuts pls, i swell up", "no prawns. They make my face swell"."""

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
SECTIONS: Final = "none of", "article", "eaten", "softener", "reacts"
GAP: Final = r"[\s,.;:!–—-]{1,3}"


def find_reactions(raw: str, languages: Iterable[str]) -> Iterator[SlotMatch]:
    """What somebody wants none of because of what it does to them."""
    for language in languages:
        for found in load_reactions(language).finditer(raw):
            span = found.span("thing")
            name = found["thing"].casefold()
            yield SlotMatch(ALLERGY, SPEAKER, name, *span, is_explicit=True, weight=FRAMED, object_span=span)


def begins_with_reaction(text: str, language: str) -> bool:
    """ "Me hinchan la cara": of what they are its words say nothing."""
    return bool(language) and load_effects(language).match(text) is not None


@cache
def load_effects(language: str) -> re.Pattern[str]:
    softened, effects = (join_entries(language, one).replace(r"\ ", r"[\s'’-]") for one in ("softener", "reacts"))
    return re.compile(rf"(?:(?:{softened}){GAP})?(?:{effects})(?!\w)", re.IGNORECASE)


@cache
def load_reactions(language: str) -> re.Pattern[str]:
    # "Can't", "j'étouffe", "fecha-me".
    sections = (join_entries(language, one).replace(r"\ ", r"[\s'’-]") for one in SECTIONS)
    refused, article, eaten, softened, reacts = sections
    # What it does may stand in a sentence of its own: "No prawns please. They make my face swell up."
    between = rf"{GAP}(?:(?:{softened}){GAP}){{0,2}}"
    thing = rf"(?:(?:{article})[\s'’])?(?P<thing>{THING})(?:\s(?:{eaten}))?"
    return re.compile(rf"(?<!\w)(?:{refused})[\s'’]{thing}{between}(?:{reacts})(?!\w)", re.IGNORECASE)
