"""Identifiers, dates and amounts in a text, as values that can be compared. Pure."""

import re
from functools import lru_cache
from typing import Final

from memory.language.folding import fold_text
from memory.language.hebrew import BEFORE_A_MONTH
from memory.language.loader import SHARED, read_entries
from memory.language.numbers import ORDINAL_ENDINGS, find_written_numbers
from memory.language.periods import BEFORE_DAY, BETWEEN_DAY_AND_MONTH, MONTHS, MONTHS_ASKED_FOR
from memory.language.times import MARKS, has_clock_time

# Month and day.
DayOfYear = tuple[int, int]

# Looked for once in a run of its characters, at the run's beginning: looked for at every mark of the run, the thirty
# thousand dashes of "pump 5-----" took each search that found them nine seconds.
_CODE: Final = re.compile(
    r"(?:(?<![\w.:/+-])[.:/+-]*+|(?<!\w)(?=#))#?"
    r"(?=[\w.:/+-]*\d)(?=[\w.:/+-]*(?:[A-Za-z_]|\d[.:/-]\d|#))[\w#][\w.:/+-]*\w"
)
_CLOCK_OR_SIZE: Final = re.compile(
    rf"\d+(?::\d\d|(?:{ORDINAL_ENDINGS}|{MARKS}|{'|'.join(read_entries(SHARED, 'numbers', 'units'))}))?"
)
_DIGIT: Final = re.compile(r"\d")
_ISO: Final = re.compile(r"\b\d{4}-(\d\d)-(\d\d)\b")
_DOTTED: Final = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(?:\d{2,4}\b|(?!\d))")
_DAY_AND_MONTH: Final = re.compile(r"\b(?=\d?0|0)(\d\d)\.(\d\d)\b(?![.\d])")
_SLASHED: Final = re.compile(r"\b(\d{1,2})/(\d{1,2})(?:/\d{2,4})?\b")
_MONTH: Final = "|".join(sorted((name for name in MONTHS if len(name) > 2), key=len, reverse=True))
_UNSURE_MONTH: Final = "|".join(name for name in MONTHS_ASKED_FOR if name not in MONTHS)
_DAY_MONTH: Final = re.compile(
    rf"\b(\d{{1,2}})(?:{ORDINAL_ENDINGS}|\.|°)?(?: (?:{BETWEEN_DAY_AND_MONTH}))? [{BEFORE_A_MONTH}]?({_MONTH})\b|"
    # A month whose name is rather another word needs what joins it to its day: "5 de marco".
    rf"\b(\d{{1,2}})(?:{ORDINAL_ENDINGS})? (?:{BETWEEN_DAY_AND_MONTH}) ({_UNSURE_MONTH})\b"
)
_MONTH_DAY: Final = re.compile(rf"\b({_MONTH}) (?:(?:{BEFORE_DAY}) )?(\d{{1,2}})(?:{ORDINAL_ENDINGS})?\b(?![:.,]?\d)")
_NUMBER: Final = re.compile(r"(?<![\w.,-])\d{1,3}(?:[,.' ]\d{3})+(?![\w])|(?<![\w.,:/-])\d+(?:[.,]\d{1,2})?(?![\w:/-])")


@lru_cache(maxsize=16_384)
def find_codes(text: str) -> frozenset[str]:
    """Identifiers: letters with digits, or digits with marks between them. Times, sizes and ordinals are not."""
    found = set()
    for match in _CODE.finditer(text):
        code = match[0].strip(".:/-+").casefold()
        if not _CLOCK_OR_SIZE.fullmatch(code) and not _ISO.fullmatch(code) and not _DOTTED.fullmatch(code + "."):
            found.add(code)
    return frozenset(found)


def mask_code(code: str) -> str:
    """What kind of identifier: `hlp-9034` is `a-9`, as all tickets of one system are."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "9", code))


@lru_cache(maxsize=16_384)
def find_days(text: str) -> frozenset[DayOfYear]:
    """Days of the year a text names, in whatever form. A slashed date is read both ways."""
    bare = fold_text(text)
    if not _DIGIT.search(bare):
        return frozenset()
    found: set[DayOfYear] = {(int(month), int(day)) for month, day in _ISO.findall(bare)}
    found |= {(int(month), int(day)) for day, month in _DOTTED.findall(bare)}
    found |= {(int(month), int(day)) for day, month in _DAY_AND_MONTH.findall(bare)}
    for first, second in _SLASHED.findall(bare):
        found |= {(int(first), int(second)), (int(second), int(first))}
    for day, month, other_day, other_month in _DAY_MONTH.findall(bare):
        found.add((MONTHS_ASKED_FOR[month or other_month], int(day or other_day)))
    for month, day in _MONTH_DAY.findall(bare):
        found.add((MONTHS_ASKED_FOR[month], int(day)))
    return frozenset((month, day) for month, day in found if 1 <= month <= 12 and 1 <= day <= 31)


@lru_cache(maxsize=16_384)
def has_date(bare: str) -> bool:
    """Whether a folded text names a day or a time of day in digits."""
    if not any(char.isdigit() for char in bare):
        return False
    return has_clock_time(bare) or bool(find_days(bare))


@lru_cache(maxsize=16_384)
def find_numbers(text: str) -> frozenset[float]:
    """Amounts, in digits or in words, apart from those of dates and identifiers."""
    bare = fold_text(text)
    if not _DIGIT.search(bare):
        return frozenset(find_written_numbers(bare))
    for pattern in (_ISO, _DOTTED, _DAY_MONTH, _MONTH_DAY):
        bare = pattern.sub(" ", bare)
    found = set()
    for match in _NUMBER.finditer(bare):
        digits = match[0]
        if re.fullmatch(r"\d{1,3}(?:[,.' ]\d{3})+", digits):
            digits = re.sub(r"\D", "", digits)
        found.add(float(digits.replace(",", ".")))
    return frozenset(found | set(find_written_numbers(bare)))
