"""What a sentence says to begin in a month that is yet to come: "à partir de janvier ce sera jeudi"."""

import re
from datetime import datetime
from functools import cache
from typing import Final

from memory.claims.slots.matching import join_entries, load_phrases
from memory.guard.lexicon import WORD
from memory.language.hebrew import HEBREW
from memory.language.loader import list_codes, read_entries

# Months ahead that somebody tells of: "from October", told in November, was last year's.
FURTHEST: Final = 8
MONTHS: Final = 12
# What begins so soon is told as the change that it is: nothing would end the old value on the day itself.
NEAR_DAYS: Final = 21
# A day, a part of the month and small words between "from" and the month: "from the 1st of January", "ab Mitte Mai".
BETWEEN: Final = r"(?:[^\W\d_]{1,7}[\s-]+|\d{1,2}(?:st|nd|rd|th|er|\.|º)?\s+){0,3}"
BEGINS: Final = ("begins", "begins if ahead")


def begins_later(statement: str, now: datetime) -> bool:
    """Whether the words name a month from which on what they tell holds, and it is still weeks away."""
    return any(is_far(month, now) for month in find_first_months(statement))


def is_far(month: int, now: datetime) -> bool:
    ahead = (month - now.month) % MONTHS
    return 0 < ahead <= FURTHEST and (begin_month(month, now) - now).days > NEAR_DAYS


def begin_month(month: int, now: datetime) -> datetime:
    """The first of the month that now goes on or that comes next, at the same time of day."""
    return now.replace(year=now.year + (month < now.month), month=month, day=1)


def find_first_months(statement: str) -> list[int]:
    spoken = {word.casefold() for word in WORD.findall(statement)}
    found = []
    for language in list_codes():
        if spoken.isdisjoint(list_month_words(language)):
            continue
        kinds = BEGINS if load_phrases(language, "is ahead").search(statement) is not None else BEGINS[:1]
        for number in range(1, MONTHS + 1):
            found += [number for kind in kinds if load_beginning(language, kind, number).search(statement)]
    return found


@cache
def list_month_words(language: str) -> frozenset[str]:
    words = {one for number in range(1, MONTHS + 1) for one in read_entries(language, "periods", f"month {number}")}
    return frozenset(words | {f"{letter}{one}" for one in words for letter in "במ" if language == HEBREW})


@cache
def load_beginning(language: str, kind: str, month: int) -> re.Pattern[str]:
    """ "From", at once before the month or with a day between."""
    begins, names = join_entries(language, kind), join_entries(language, f"month {month}", "periods")
    # In Hebrew both are written onto the word.
    gap = r"-?" if language == HEBREW else rf"\s+{BETWEEN}"
    return re.compile(rf"(?<!\w)(?:{begins}){gap}(?:{names})(?!\w)", re.IGNORECASE)
