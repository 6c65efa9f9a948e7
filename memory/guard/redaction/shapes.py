"""What a value looks like, in a few words: "4 digits", "joined by a line, lower", "long mixed, hex"."""

import re
from functools import lru_cache
from typing import Final

from memory.guard.redaction.forms import is_no_placeholder
from memory.guard.redaction.values import ACCESS_CODE, CODE, NAMES_OF_METHODS, NO_SECRET, NUMBERED_NAME

INNER_CAPITAL: Final = re.compile(r"[a-zß-ÿ][A-ZÀ-Þ]")
# Asked of one piece; with \A it would be tried once in a text.
JOINED: Final = re.compile(r"\A[^\W\d_]+(?:[-_.&+%#@$!*^~][^\W\d_]+)+[!#*.]?")
PATH: Final = re.compile(r"\A[A-Za-z]{3,20}\d{0,4}(?:\.[A-Za-z]{3,20}\d{0,4}){1,3}")
TRIPLE: Final = re.compile(r"(\d\d)[-–](\d\d)[-–](\d\d)")
RANDOM_LENGTH: Final = 16
# Names of code have this shape.
IDENTIFIER: Final = "joined by a line, lower"


@lru_cache(maxsize=4096)
def name_shape(raw: str) -> str:
    """What a word looks like, or nothing for what is no value: a time, a size, a version, a call."""
    digits = raw.rstrip("#*")
    if digits.isdigit():
        return name_digits(digits, is_keyed=digits != raw)
    if is_undated_triple(raw):
        return "grouped short"
    if len(raw) < 4 or NO_SECRET.fullmatch(raw) or NAMES_OF_METHODS.fullmatch(raw) or not is_no_placeholder(raw):
        return ""
    if JOINED.fullmatch(raw):
        return name_joined(raw)
    if CODE.fullmatch(raw):
        return "path with a digit" if PATH.fullmatch(raw) and any(char.isdigit() for char in raw) else ""
    if raw.isalpha():
        return "inner capital" if INNER_CAPITAL.search(raw) else "word"
    if ACCESS_CODE.fullmatch(raw):
        return "letters and digits"
    if NUMBERED_NAME.fullmatch(raw):
        return "numbered name"
    return name_mixed(raw)


def is_undated_triple(raw: str) -> bool:
    """Whether three numbers stand as in a date and are none in any order of days, months and years: "18-62-07"."""
    if not (triple := TRIPLE.fullmatch(raw)):
        return False
    first, second, third = map(int, triple.groups())
    days, months = range(1, 32), range(1, 13)
    orders = ((first, second), (second, first), (third, second))
    return not any(day in days and month in months for day, month in orders)


def name_digits(digits: str, *, is_keyed: bool) -> str:
    if is_keyed:
        return "digits with key"
    if len(digits) == 4 and digits[:2] in {"19", "20"}:
        return "year"
    size = len(digits)
    return "" if size < 3 or size > 12 else f"{size} digits" if size < 7 else "7 digits or more"


def name_joined(raw: str) -> str:
    parts = re.split(r"[-_.&+%#@$!*^~]", raw.rstrip("!#*."))
    if re.search(r"[&+%#@$!*^~]", raw):
        return "joined by a sign"
    joint = "stop" if "." in raw else "stroke" if "-" in raw else "line"
    case = "capital" if any(part[:1].isupper() for part in parts if part) else "lower"
    return f"joined by a {joint}, {case}"


def name_mixed(raw: str) -> str:
    has_digit = any(char.isdigit() for char in raw)
    has_upper = any(char.isupper() for char in raw)
    if not any(char.isalpha() for char in raw):
        return "digits and marks"
    if not has_digit:
        return "word with a sign" if re.search(r"[!#@$%&*+?^~§]", raw) else ""
    if raw[0].isdigit() and len(raw) < RANDOM_LENGTH:
        return "mixed from a digit"
    if len(raw) >= RANDOM_LENGTH and re.fullmatch(r"[\w+/=~.-]+", raw):
        return "long mixed, hex" if re.fullmatch(r"[0-9a-f]+", raw) else "long mixed"
    sign = "sign" if re.search(r"[!#@$%&*+?^~§]", raw) else "plain"
    return f"mixed, {'capital' if has_upper else 'lower'}, {sign}"
