"""Until which day a sentence says that what it tells holds: "in the garage till Tuesday", "bis 3. März"."""

import re
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from memory.claims.dates.beginnings import MONTHS, begin_month
from memory.claims.slots.matching import DAY, join_entries, load_phrases
from memory.guard.spelling import fold_letters
from memory.language.figures import find_days
from memory.language.hebrew import HEBREW
from memory.language.loader import list_codes, read_entries

WEEK: Final = 7
LONGEST_MONTH: Final = 31
# Characters behind "until" in which its day stands: "the 14th of September 2027".
REACH: Final = 28
# Characters before it in which a beginning makes a timetable of it: "Monday till Thursday", "von 9 bis Freitag".
BACK: Final = 16
YEAR: Final = re.compile(r"\b20\d\d\b")
WORD: Final = re.compile(r"[^\W_]+")


def find_end(statement: str, said_at: datetime) -> datetime | None:
    """The midnight behind the last day that the words name, which may have passed; None where they name none."""
    found = (find_end_in(statement, said_at, language) for language in list_codes())
    return next(filter(None, found), None)


def find_end_in(statement: str, said_at: datetime, language: str) -> datetime | None:
    match = load_until(language).search(statement)
    if match is None or load_phrases(language, "again and again").search(statement) is not None:
        return None
    weekdays = list_weekdays(language)
    before = WORD.findall(fold_letters(statement[max(0, match.start() - BACK) : match.start()]))
    if any(word in weekdays or word.isdigit() for word in before[-2:]):
        return None
    midnight = said_at.replace(hour=0, minute=0, second=0, microsecond=0)
    last = find_last_day(statement, match.end(), midnight, language)
    return last + timedelta(days=1) if last is not None else None


def find_last_day(statement: str, at: int, midnight: datetime, language: str) -> datetime | None:
    """The day that stands at a place: a date, a day of the week or of the month, tomorrow, or the end of a month."""
    named = statement[at : at + REACH]
    if (dated := find_dated(named, midnight)) is not None:
        return dated
    if (day := DAY.match(statement, at)) is not None:
        return find_next_day(int(re.sub(r"\D", "", day[0])), midnight)
    first = WORD.match(named)
    word = fold_letters(first[0]) if first else ""
    if word in list_weekdays(language):
        days = (list_weekdays(language).index(word) - midnight.weekday() - 1) % WEEK + 1
        return midnight + timedelta(days=days)
    if load_phrases(language, "tomorrow").match(named) is not None:
        return midnight + timedelta(days=1)
    month = next((n for n in range(1, MONTHS + 1) if load_month(language, n).match(named)), None)
    return None if month is None else end_month(month, midnight)


def find_dated(named: str, midnight: datetime) -> datetime | None:
    """The latest that a date may mean, of this year or the next, where it names none: 3/4 is read both ways."""
    year = YEAR.search(named)
    days = [place_day(month, day, int(year[0]) if year else None, midnight) for month, day in find_days(named)]
    return max(filter(None, days), default=None)


def place_day(month: int, day: int, year: int | None, midnight: datetime) -> datetime | None:
    try:
        dated = midnight.replace(year=year or midnight.year, month=month, day=day)
        return dated if year or dated >= midnight else dated.replace(year=midnight.year + 1)
    except ValueError:
        # The 29th of February, the 31st of June.
        return None


def find_next_day(day: int, midnight: datetime) -> datetime | None:
    """ "Till the 14th": of this month, or of the next one."""
    if day >= midnight.day:
        return place_day(midnight.month, day, midnight.year, midnight)
    return place_day(midnight.month % MONTHS + 1, day, midnight.year + midnight.month // MONTHS, midnight)


def end_month(month: int, midnight: datetime) -> datetime:
    """ "Until March" may mean its first day or its last: what has not surely ended still holds."""
    in_next = begin_month(month, midnight) + timedelta(days=LONGEST_MONTH)
    return in_next.replace(day=1) - timedelta(days=1)


@cache
def load_until(language: str) -> re.Pattern[str]:
    """ "Until", and what may stand between it and its day."""
    until, between = join_entries(language, "until"), join_entries(language, "before a day")
    last = join_entries(language, "last of")
    # In Hebrew they are written onto the day.
    gap = r"\s*-?" if language == HEBREW else r"\s+"
    apart = r"(?<!\w)" if language != HEBREW else r"(?<![א-ת])"
    return re.compile(rf"{apart}(?:{until})(?<=\w|'){gap}(?:(?:{last}|{between}){gap})*", re.IGNORECASE)


@cache
def load_month(language: str, month: int) -> re.Pattern[str]:
    return re.compile(rf"(?:{join_entries(language, f'month {month}', 'periods')})(?!\w)", re.IGNORECASE)


@cache
def list_weekdays(language: str) -> tuple[str, ...]:
    """From Monday on; what follows them in their list are their plurals and evenings."""
    return tuple(fold_letters(word) for word in read_entries(language, "slots", "weekday")[:WEEK])
