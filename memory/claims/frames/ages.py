"""An age that stands before its noun: "a 4 month old puppy"."""

import re
from functools import cache

from memory.language.loader import collect_entries
from memory.language.text import blank_match


def blank_ages(text: str) -> str:
    """ "A 4 month old puppy, biscuit": the age between an article and its noun hid whose name follows."""
    return load_ages().sub(blank_match, text)


@cache
def load_ages() -> re.Pattern[str]:
    articles = "|".join(rf"(?<=\b{re.escape(word)}\s)" for word in collect_entries("slots", "age article"))
    units = "|".join(map(re.escape, collect_entries("slots", "age before noun"))).replace(r"\ ", r"[\s-]")
    return re.compile(rf"(?:{articles})\d{{1,2}}[\s-](?:{units})(?=\s\w)", re.IGNORECASE)
