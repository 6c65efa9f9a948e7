"""Amounts, days and times of a statement as values that can be compared, whatever their form."""

import re
from functools import cache, lru_cache
from typing import Final

from memory.language.figures import find_days
from memory.language.folding import WORD, fold_text
from memory.language.hebrew import PARTICLES
from memory.language.loader import list_codes, read_entries
from memory.language.numbers import AMOUNT, find_written_numbers, load_values
from memory.language.periods import find_months
from memory.language.times import HALF_DAY, find_times

# A number, what multiplies it, and a unit that makes it another number: 1.70 m is 170.
_AMOUNT: Final = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[,.' ]\d{3})+|\d{1,9}(?:[.,]\d{1,3})?)\s?(k|mil|tsd|m|mt|km)?(?![\w])"
)
_METRES: Final = re.compile(
    r"(?<![\w.,])([12])\s?(?:m|metros?|metri|metres?|meter|,|\.)\s?(\d\d)(?!\d)(?:\s?(?:m|metros?|metri|metres?|meter|cm))?\b"
)
_GROUPED: Final = re.compile(r"\d{1,3}(?:[,.' ]\d{3})+")
_DIGITS: Final = re.compile(r"\+?\d[\d\s()/-]{5,20}\d")
_DOSE: Final = re.compile(r"(?<![\w.,])(\d{1,6}(?:[.,]\d{1,3})?)\s?(mg|ml|mcg|µg|μg|ug|g|iu|ie|ui)(?![\w])")
# Words for one that are articles as well.
_ARTICLES: Final = frozenset(
    {"un", "una", "uno", "une", "ein", "eine", "einen", "einem", "einer", "um", "uma", "a", "an", "אחד", "אחת"}
)

_HEBREW_DAYS: Final = ("שני", "שלישי", "רביעי", "חמישי", "שישי", "שבת", "ראשון")
_HEBREW_DAY: Final = re.compile(rf"(?<![א-ת])(?:[בלמ]?יום|[בלמ]?ימי) ({'|'.join(_HEBREW_DAYS)})(?![א-ת])")

TENS: Final = frozenset(range(20, 100, 10))
LEAST_TEN: Final = 4
# Letters of a number in one word; every cut of a longer word is not looked for.
LONGEST_NUMBER: Final = 24

# What kind of value, and the value.
PairValue = tuple[str, float]


@lru_cache(maxsize=1024)
def find_values(text: str) -> frozenset[PairValue]:
    """Times of day, days of the year, days of the week and amounts, those in words too."""
    bare = fold_text(text)
    found: set[PairValue] = set()
    if phone := _DIGITS.search(bare):
        digits = re.sub(r"\D", "", phone[0])
        if len(digits) > 6:
            return frozenset({("number", float(digits))})
    if doses := _DOSE.findall(bare):
        return frozenset({("dose", float(dose.replace(",", "."))) for dose, _ in doses})
    times = find_times(text)
    days = find_days(text)
    found |= {("time", float(time)) for time in times}
    found |= {("day", float(month * 100 + day)) for month, day in days}
    found |= {("weekday", float(number)) for word in WORD.findall(bare) if (number := find_weekday(word)) is not None}
    found |= {("weekday", float(_HEBREW_DAYS.index(day))) for day in _HEBREW_DAY.findall(bare)}
    if not days:
        found |= {("month", float(month)) for month in find_months(bare)}
    if not times and not days:
        found |= {("number", number) for number in find_amounts(bare)}
    return frozenset(found)


def find_amounts(bare: str) -> set[float]:
    found: set[float] = set()

    def take_metres(match: re.Match[str]) -> str:
        found.add(float(match[1]) * 100 + float(match[2]))
        return " "

    if any(char.isdigit() for char in bare):
        rest = _METRES.sub(take_metres, bare)
        for digits, unit in _AMOUNT.findall(rest):
            number = re.sub(r"\D", "", digits) if _GROUPED.fullmatch(digits) else digits.replace(",", ".")
            found.add(float(number) * (1000 if unit in {"k", "mil", "tsd"} else 1))
    values = load_values(AMOUNT)
    large = set(find_written_numbers(bare))
    if large:
        return found | large
    for word in WORD.findall(bare):
        value = values.get(word)
        if value is None and word[:1] in PARTICLES:
            value = values.get(word[1:])
        if value is None:
            value = find_compound(word)
        if value is not None and word not in _ARTICLES:
            found.add(float(value))
    return found


@lru_cache(maxsize=8192)
def find_compound(word: str) -> int | None:
    """A ten and a unit in one word, or a ten before an apostrophe: novantatré, ottant'anni."""
    if len(word) > LONGEST_NUMBER:
        return None
    values = load_values(AMOUNT)
    for length in range(len(word), LEAST_TEN - 1, -1):
        for ten in (word[:length], f"{word[:length]}a", f"{word[:length]}i"):
            value = values.get(ten, 0)
            rest = word[length:]
            if value in TENS and (not rest or values.get(rest, 0) in range(1, 10)):
                return value + values.get(rest, 0)
    return None


@cache
def load_weekdays() -> dict[str, int]:
    return {
        fold_text(name): number
        for code in list_codes()
        for number, name in enumerate(read_entries(code, "periods", "weekdays"))
    }


def find_weekday(word: str) -> int | None:
    days = load_weekdays()
    found = days.get(word)
    if found is None and len(word) > 4:
        found = days.get(word.removesuffix("s"))
    return found


def conflict(a: frozenset[PairValue], b: frozenset[PairValue]) -> bool:
    """Whether both have values of one kind and none in common."""
    one, other = group_by_kind(a), group_by_kind(b)
    if one.keys() | other.keys() == {"time", "number"} and len(one) == len(other) == 1:
        # "At ten in the evening" and 22:00.
        hours, times = (one, other) if "number" in one else (other, one)
        return not {hour * 60 % HALF_DAY for hour in hours["number"]} & times["time"]
    return any(not one[kind] & other[kind] for kind in one.keys() & other.keys())


def group_by_kind(values: frozenset[PairValue]) -> dict[str, set[float]]:
    found: dict[str, set[float]] = {}
    for kind, value in values:
        found.setdefault(kind, set()).add(value)
    return found
