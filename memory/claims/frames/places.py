"""Places that are known by name, in any language."""

from functools import cache

from memory.guard.spelling import fold_letters
from memory.language.loader import SHARED, read_sections, split_entries


def is_known_place(spoken: str) -> bool:
    return fold_letters(spoken) in load_known_places()


@cache
def load_known_places() -> frozenset[str]:
    found: set[str] = set()
    for section, lines in read_sections(SHARED, "places").items():
        names = [section, *(name for line in lines for name in split_entries(line))]
        found |= {fold_letters(name) for name in names if not name.endswith("*")}
    return frozenset(found)
