"""Ages that stand in the way of what is told: "a 4 month old puppy", "I'm 34 weeks pregnant"."""

import re
from functools import cache

from memory.language.loader import collect_entries
from memory.language.text import blank_match


def blank_ages(text: str) -> str:
    """ "A 4 month old puppy, biscuit": the age between an article and its noun hid whose name follows."""
    return blank_pregnancies(load_ages().sub(blank_match, text))


def blank_pregnancies(text: str) -> str:
    """ "I'm 34 weeks pregnant" tells no age."""
    return load_pregnancies().sub(blank_match, text)


@cache
def load_pregnancies() -> re.Pattern[str]:
    before, units, words = (
        "|".join(map(re.escape, collect_entries("slots", one))).replace(r"\ ", r"\s")
        for one in ("before pregnancy", "pregnancy unit", "pregnant")
    )
    led = rf"(?:\b(?:{before})\s)?\b(?:\d{{1,2}}\.?|[^\W\d_]{{3,9}})[\s-]"
    return re.compile(rf"{led}(?:{units})\s(?=(?:{words})\b)", re.IGNORECASE)


@cache
def load_ages() -> re.Pattern[str]:
    articles = "|".join(rf"(?<=\b{re.escape(word)}\s)" for word in collect_entries("slots", "age article"))
    units = "|".join(map(re.escape, collect_entries("slots", "age before noun"))).replace(r"\ ", r"[\s-]")
    return re.compile(rf"(?:{articles})\d{{1,2}}[\s-](?:{units})(?=\s\w)", re.IGNORECASE)
