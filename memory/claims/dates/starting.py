"""Since when a sentence says that what it tells holds: "since 2020", "seit März", "moved to Porto last month"."""

import re
from datetime import datetime
from functools import cache
from typing import Final

from memory.claims.dates.arrangements import TIME
from memory.claims.dates.beginnings import MONTHS, begins_later
from memory.language.folding import WORD, fold_text
from memory.language.loader import collect_entries
from memory.language.numbers import load_counts
from memory.language.periods import MONTHS_ASKED_FOR, find_months, find_past_moment, find_years, is_time_word
from memory.language.stopwords import load_all_stop_words

# Characters from "since" on in which its time stands: "since the beginning of March 2021".
REACH: Final = 36
# "I'm starting at Bosch in January", told in November: of a change in a month so soon nobody knows which year's it is.
SOON_MONTHS: Final = 3
# Of these a time may be the value itself.
TIMED: Final = frozenset({TIME, "birthday", "age", "born_in", "goal", "moved_from", "went_to", "participated_in"})


def find_start(statement: str, relation: str, said_at: datetime, *, is_new: bool) -> datetime | None:
    """The beginning of the time that the words name; None where they name none that has come.

    ``is_new``: they tell of a change, and a time in them is that of the change.
    """
    if relation == TIME or begins_later(statement, said_at):
        return None
    bare = fold_text(statement)
    since = load_since().search(bare)
    spoken = bare[since.start() : since.start() + REACH] if since is not None else ""
    spoken = spoken if leads_to_time(spoken) else ""
    found = read_past(spoken, said_at, is_since=True) if spoken else None
    if found is None and is_new and relation not in TIMED:
        found = read_past(bare, said_at, is_since=False)
    return found if found is not None and found < said_at else None


def leads_to_time(spoken: str) -> bool:
    """Whether nothing but small words stands between "since" and a time: "da Bologna nel 2020" is from Bologna."""
    for word in WORD.findall(spoken)[1:]:
        if word.isdigit() or word in MONTHS_ASKED_FOR or word in load_counts() or is_time_word(word):
            return True
        if word not in load_all_stop_words() and word not in collect_entries("periods", "ago before"):
            return False
    return False


def read_past(named: str, said_at: datetime, *, is_since: bool) -> datetime | None:
    """The first of a month or a year, else a day or a stretch before now: the latest that the words may mean."""
    years, months = find_years(named), find_months(named)
    if not (years or months):
        return find_past_moment(named, said_at, is_since=is_since)
    if len(years) > 1 or len(months) > 1:
        return None
    month = min(months, default=1)
    if not (is_since or years) and 0 < (month - said_at.month) % MONTHS <= SOON_MONTHS:
        return None
    is_last_year = month > said_at.month
    year = min(years, default=said_at.year - is_last_year)
    return said_at.replace(year=year, month=month, day=1, hour=0, minute=0, second=0, microsecond=0)


@cache
def load_since() -> re.Pattern[str]:
    words = "|".join(re.escape(fold_text(one)) for one in collect_entries("slots", "since when"))
    return re.compile(rf"\b(?:{words})\b")
