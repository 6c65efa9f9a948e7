"""Phrases by which a dose moves to a number without its unit: "upped it to 850", "auf 10 erhöht"."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from memory.claims.slots.matching import load_words
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries
from memory.language.stopwords import load_all_stop_words

UNIT: Final = r"(?:mg|ml|mcg|µg|μg|g|iu|ie|ui)"


def find_bare_move(raw: str, languages: Iterable[str]) -> re.Match[str] | None:
    """A dose that moves without its unit, in the first of the languages that say so; of one that has none."""
    return next(filter(None, (load_dose_moves(one).search(raw) for one in languages)), None)


def read_move(found: re.Match[str]) -> tuple[str, str]:
    """The number of a dose that moves, and what of the medicine's name the words tell."""
    told = [value for value in found.groups() if value]
    number = next(value for value in told if value[0].isdigit())
    names = (value.casefold() for value in told if not value[0].isdigit())
    # "Hat mich auf 10 hochgesetzt".
    return number, next((name for name in names if name not in load_all_stop_words()), "")


@cache
def load_dose_moves(language: str) -> re.Pattern[str]:
    """The phrases for a dose that moves. In the lists `#` stands for the number with any unit, `*` for the medicine."""
    number = (
        rf"(\d{{1,4}}(?:[.,]\d{{1,2}})?)(?:\s?{UNIT})?(?![\w%])(?!\s[€$£%])"
        if language != HEBREW
        else r"-?(\d{1,4}(?:[.,]\d{1,2})?)(?![\d%])"
    )
    owned = sorted(load_words(language, "my") | load_words(language, "article"))
    name = rf"(?:(?:{'|'.join(map(re.escape, owned)) or '(?!)'})\s)?([^\W\d_]{{4,30}})"
    phrases = (
        re.escape(one).replace(r"\#", number).replace(r"\ ", r"\W{1,2}").replace(r"\*", name)
        for one in read_entries(language, "slots", "dose moves")
    )
    return re.compile(rf"(?<!\w)(?:{'|'.join(phrases) or '(?!)'})(?!\w)", re.IGNORECASE)
