"""Places that are known by name, in any language, and those where nobody lives."""

import re
from functools import cache
from typing import Final

from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW_IN, HEBREW_THE, HEBREW_TO
from memory.language.loader import SHARED, collect_entries, read_sections, split_entries

WORD: Final = re.compile(r"[^\W_]+")


def is_known_place(spoken: str) -> bool:
    return fold_letters(spoken) in load_known_places()


@cache
def load_known_places() -> frozenset[str]:
    found: set[str] = set()
    for section, lines in read_sections(SHARED, "places").items():
        names = [section, *(name for line in lines for name in split_entries(line))]
        found |= {fold_letters(name) for name in names if not name.endswith("*")}
    return frozenset(found)


def is_no_home(spoken: str) -> bool:
    """ "Ended up in hospital": where somebody is taken nobody lives."""
    return not load_no_homes().isdisjoint(list_spoken(spoken))


@cache
def load_no_homes() -> frozenset[str]:
    """Places where nobody lives, in all languages at once: the language of a few words is not sure."""
    return frozenset(fold_letters(one) for one in collect_entries("slots", "no home"))


def list_spoken(spoken: str) -> frozenset[str]:
    """The folded words of a value, of Hebrew also without what is written onto them; "A&E" is one."""
    words = frozenset(fold_letters(word) for word in [*WORD.findall(spoken), *spoken.split()])
    return words.union(word.lstrip(HEBREW_IN + HEBREW_THE + HEBREW_TO) for word in words)
