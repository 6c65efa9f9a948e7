"""What somebody eats again though their diet left it out: "I've started eating meat again" of a vegetarian."""

from collections.abc import Iterable
from functools import cache
from typing import Final

from memory.language.folding import WORD, fold_text
from memory.language.hebrew import is_hebrew, list_hebrew_readings
from memory.language.loader import SHARED, read_entries

SUBJECT: Final = "diets"
EATS: Final = "eats"
AGAIN: Final = "again"
# What each diet leaves out. Without gluten or lactose somebody lives for more than their liking.
LEAVES_OUT: Final = {
    "vegetarian": frozenset({"meat", "pork", "fish"}),
    "vegan": frozenset({"meat", "pork", "fish", "animal"}),
    "pescatarian": frozenset({"meat", "pork"}),
    "no pork": frozenset({"pork"}),
}
FOODS: Final = frozenset({"meat", "pork", "fish", "animal"})

# What both the food and the illness are called by.
INTOLERANCES: Final = ("lactose", "gluten")


def is_eaten_again(relation: str, spoken: str, statement: str) -> bool:
    """Whether a sentence says that somebody eats again what some diet leaves out."""
    return relation == EATS and says_again(statement) and bool(name_kinds(spoken, FOODS))


def is_intolerance(relation: str, spoken: str) -> bool:
    return relation == "allergic_to" and bool(name_kinds(spoken, INTOLERANCES))


def says_again(statement: str) -> bool:
    spoken = f" {' '.join(WORD.findall(fold_text(statement)))} "
    return any(f" {phrase} " in spoken for phrase in load_phrases(AGAIN))


def name_kinds(spoken: str, kinds: Iterable[str]) -> frozenset[str]:
    """Which of the kinds of foods or diets some words name, in whatever language."""
    words = WORD.findall(fold_text(spoken))
    words += [form for word in words if is_hebrew(word) for form in list_hebrew_readings(word)]
    told = f" {' '.join(words)} "
    return frozenset(kind for kind in kinds if any(f" {phrase} " in told for phrase in load_phrases(kind)))


@cache
def load_phrases(section: str) -> frozenset[str]:
    entries = read_entries(SHARED, SUBJECT, section)
    return frozenset(" ".join(WORD.findall(fold_text(one))) for one in entries)
