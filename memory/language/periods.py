"""The calendar in all languages: months, words of time, and stretches that are named relative to now. Pure.

What a language calls them stands in its `periods.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Final

from memory.language.folding import WORD, strip_accents
from memory.language.hebrew import BEFORE_A_TIME, is_hebrew
from memory.language.loader import collect_entries, list_codes, read_entries
from memory.language.numbers import ORDINAL_ENDINGS, load_counts
from memory.language.phrases import join_phrases, strip_groups
from memory.language.stems import LATER_LANGUAGES

TimeWindow = tuple[datetime, datetime]

SUBJECT: Final = "periods"
# Letters of a month's name that alone make a text one that tells when: shorter ones are other words as well.
SHORTEST_MONTH: Final = 4

# By language, the term under which all languages' names of a month meet, and the 06 of a date.
MONTHS_OF: Final[dict[str, dict[str, str]]] = {
    code: {
        name: f"month:{number}" for number in range(1, 13) for name in read_entries(code, SUBJECT, f"month {number}")
    }
    for code in list_codes()
}
MONTHS: Final = {name: term for months in MONTHS_OF.values() for name, term in months.items()}
WEEKDAYS: Final = frozenset(collect_entries(SUBJECT, "weekdays"))
# Further spellings that only a question is read for: as terms they would change what is stored.
MONTHS_ASKED_FOR: Final = {
    **{name: int(term.removeprefix("month:")) for name, term in MONTHS.items()},
    **{name: number for number in range(1, 13) for name in collect_entries(SUBJECT, f"month {number}: in a question")},
}
BETWEEN_DAY_AND_MONTH: Final = join_phrases(SUBJECT, "between day and month")
BEFORE_DAY: Final = join_phrases(SUBJECT, "before a day")

_TIME_WORDS: Final = re.compile(
    rf"\b[{BEFORE_A_TIME}]?(?:{join_phrases(SUBJECT, 'time words')}|(?:{'|'.join(sorted(WEEKDAYS))})s?|"
    rf"{'|'.join(name for name in MONTHS if len(name) >= SHORTEST_MONTH)})\b"
)
# Words of time that are two to `WORD`, as "aujourd'hui" is.
_IN_TWO_WORDS: Final = tuple(
    word for word in (*collect_entries(SUBJECT, "time words"), *sorted(WEEKDAYS)) if re.fullmatch(r"\w+['-]\w+", word)
)

_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
# "May" and "mars" and their like are ordinary words more often than months, unless something of a date is beside them.
_UNSURE_MONTHS: Final = frozenset(collect_entries(SUBJECT, "unsure months"))
_BESIDE_MONTH: Final = (
    rf"(?:\d{{1,4}}(?:{ORDINAL_ENDINGS})?(?: (?:{BETWEEN_DAY_AND_MONTH}))?|"
    rf"{join_phrases(SUBJECT, 'beside a month')})"
)
_HEBREW_MONTH: Final = re.compile(rf"\b(?:ו?[בלמשכה]|ו?ש[בלמ])?({'|'.join(filter(is_hebrew, MONTHS_ASKED_FOR))})\b")

_UNITS: Final = {"day": 1, "week": 7, "month": 30, "year": 365}
# People round: "three weeks ago" is two and a half to three and a half.
_SLACK: Final = 0.5


def find_month_term(word: str, languages: Collection[str]) -> str | None:
    """The term of a month; a later language names months in its own texts alone, or `Rio de Janeiro` were January.

    A month whose plain letters are another word ("março") is told by its accents.
    """
    bare = strip_accents(word)
    for code, months in MONTHS_OF.items():
        if (code not in LATER_LANGUAGES or code in languages) and (term := months.get(bare) or months.get(word)):
            return term
    return None


@lru_cache(maxsize=16_384)
def mentions_time(bare: str) -> bool:
    """Whether a folded text holds a word of time or a year. Read for every candidate of a question that asks when.

    Word by word, because words come back in text after text and the long pattern is then asked once for each.
    """
    if _YEAR.search(bare) is not None:
        return True
    if not bare.isascii() or any(word in bare for word in _IN_TWO_WORDS):
        return _TIME_WORDS.search(bare) is not None
    return any(map(is_time_word, WORD.findall(bare)))


@lru_cache(maxsize=65_536)
def is_time_word(word: str) -> bool:
    return _TIME_WORDS.fullmatch(word) is not None


def find_months(bare: str) -> frozenset[int]:
    """The months a folded question names; Hebrew writes "in" and "since" onto them."""
    found = {MONTHS_ASKED_FOR[name] for name in _HEBREW_MONTH.findall(bare)}
    for word in set(WORD.findall(bare)) & MONTHS_ASKED_FOR.keys():
        if word in _UNSURE_MONTHS and not re.search(rf"\b{_BESIDE_MONTH} {word}\b|\b{word},? \d", bare):
            continue
        found.add(MONTHS_ASKED_FOR[word])
    return frozenset(found)


def find_years(bare: str) -> frozenset[int]:
    return frozenset(int(year) for year in _YEAR.findall(bare))


def find_window(bare: str, now: datetime) -> TimeWindow | None:
    """The first stretch relative to now that a folded text names; None when it names none."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    names_unit = _names_unit().search(bare) is not None
    if names_unit and (match := _find_first(_compile_ago(), bare)):
        length = timedelta(days=_UNITS[_find_unit(match)])
        middle = now - _read_count(match["count"]) * length
        slack = max(day, length * _SLACK)
        return middle - slack, middle + slack
    if _compile_named("before yesterday").search(bare):
        return midnight - 2 * day, midnight - day
    if _compile_named("yesterday").search(bare):
        return midnight - day, midnight
    if _compile_named("today").search(bare):
        return midnight, midnight + day
    if names_unit and (match := _find_first(_compile_relative("last"), bare)):
        length = timedelta(days=_UNITS[_find_unit(match)])
        # A calendar week that is past may have ended today or six days ago.
        return midnight - 2 * length, midnight - day if length > day else midnight
    if names_unit and (match := _find_first(_compile_relative("this"), bare)):
        return midnight - timedelta(days=_UNITS[_find_unit(match)]), midnight + day
    return None


def find_past_moment(bare: str, now: datetime, *, is_since: bool) -> datetime | None:
    """The day on which the stretch before now that a folded text names begins, of months and years their first one.

    ``is_since``: it goes on from there, as "depuis trois ans" does.
    """
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if _names_unit().search(bare) is not None:
        counted = (*_compile_ago(), *(_compile_count() if is_since else ()))
        if (match := _find_first(counted, bare)) is not None:
            return _go_back(day, _find_unit(match), _read_count(match["count"]))
        if (match := _find_first(_compile_relative("last"), bare)) is not None and _find_unit(match) != "day":
            return _go_back(day, _find_unit(match), 1)
    if _compile_named("before yesterday").search(bare):
        return day - timedelta(days=2)
    return day - timedelta(days=1) if _compile_named("yesterday").search(bare) else None


def _go_back(day: datetime, unit: str, count: int) -> datetime | None:
    if unit == "year":
        return day.replace(year=day.year - count, month=1, day=1) if count < day.year else None
    if unit == "month":
        passed = day.year * 12 + day.month - 1 - count
        return day.replace(year=passed // 12, month=passed % 12 + 1, day=1)
    return day - timedelta(days=_UNITS[unit] * count)


@cache
def _names_unit() -> re.Pattern[str]:
    """A unit of time in any language. Most questions name none, and are spared some thirty patterns: 0.1 ms each."""
    whole = (f"{section} {unit}" for section in ("last", "this") for unit in _UNITS)
    return re.compile(rf"\b[א-ת]{{0,3}}(?:{join_phrases(SUBJECT, *_UNITS, *whole)})\b")


@cache
def _join_units(language: str) -> str:
    """The units of one language: "ha due anni" is how old somebody is in Italian, "há dois anos" long ago."""
    return "|".join(f"(?P<{unit}>{_join(language, unit)})" for unit in _UNITS)


def _join(language: str, section: str) -> str:
    return "|".join(map(strip_groups, read_entries(language, SUBJECT, section)))


@cache
def _compile_ago() -> tuple[re.Pattern[str], ...]:
    count = rf"(?P<count>\d{{1,3}}|{'|'.join(load_counts())})"
    found = []
    for code in list_codes():
        if after := _join(code, "ago after"):
            found.append(rf"\b{count} (?:of )?(?:{_join_units(code)}) (?:{after})\b")
        if before := _join(code, "ago before"):
            found.append(rf"\b(?:{before}) {count} (?:{_join_units(code)})\b")
    return tuple(map(re.compile, found))


@cache
def _compile_count() -> tuple[re.Pattern[str], ...]:
    """ "Three years", as "since" of many languages is followed by."""
    count = rf"(?P<count>\d{{1,3}}|{'|'.join(load_counts())})"
    return tuple(re.compile(rf"\b{count} (?:{_join_units(code)})\b") for code in list_codes())


@cache
def _compile_named(section: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{join_phrases(SUBJECT, section)})\b")


@cache
def _compile_relative(section: str) -> tuple[re.Pattern[str], ...]:
    """For each language a word like "last" before a unit of time, and phrases that say both in their own way."""
    # French and Italian write "this" onto the unit: quest'anno.
    gap = " ?" if section == "this" else " "
    found = []
    for code in list_codes():
        if word := _join(code, section):
            found.append(rf"\b(?:{word}){gap}(?:{_join_units(code)})\b")
        found += [rf"\b(?P<{unit}>{phrases})\b" for unit in _UNITS if (phrases := _join(code, f"{section} {unit}"))]
    return tuple(map(re.compile, found))


def _find_first(patterns: Iterable[re.Pattern[str]], bare: str) -> re.Match[str] | None:
    matches = (match for pattern in patterns if (match := pattern.search(bare)))
    return min(matches, key=lambda match: match.start(), default=None)


def _find_unit(match: re.Match[str]) -> str:
    named = (name for name, value in match.groupdict().items() if value and name != "count")
    return next(named)


def _read_count(text: str) -> int:
    return int(text) if text.isdecimal() else load_counts()[text]
