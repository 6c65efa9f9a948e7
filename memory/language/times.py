"""Times of day in a text, in digits or in words, as values that can be compared. Pure.

How a language tells the time stands in its `times.txt`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

from memory.language.folding import fold_text
from memory.language.loader import collect_entries, list_codes, read_entries, read_sections
from memory.language.numbers import load_hours
from memory.language.phrases import join_phrases, strip_groups

SUBJECT: Final = "times"
# A quarter to seven is meant in the morning or in the evening: times are compared on a face of twelve hours.
HALF_DAY: Final = 720

# What tells that digits are a time of day.
MARKS: Final = join_phrases(SUBJECT, "marks")

_DIGITS: Final = re.compile(
    rf"(?<![\d.:,])(\d{{1,2}})(?:[:h]([0-5]\d)|[:.]([0-5]\d) ?(?:{join_phrases(SUBJECT, 'after minutes')})\b)(?![\d:])"
)
_WHOLE_HOUR: Final = re.compile(rf"(?<![\d.:,])(\d{{1,2}}) ?(?:{join_phrases(SUBJECT, 'after hours')})\b")
_CLOCK: Final = re.compile(rf"\b\d{{1,2}}[:.h]\d\d\b|\b\d{{1,2}} ?(?:{MARKS})\b")


# A question with a time asks this of every candidate: 70 us each, of a hundred and forty 10 ms.
@lru_cache(maxsize=16_384)
def find_times(text: str) -> frozenset[int]:
    """Minutes since midnight or noon of every time of day that a text names."""
    bare = fold_text(text)
    found = set()
    if any(char.isdigit() for char in bare):
        found |= {_count_minutes(int(hour), int(one or two)) for hour, one, two in _DIGITS.findall(bare)}
        found |= {_count_minutes(int(hour), 0) for hour in _WHOLE_HOUR.findall(bare)}
    if _compile_signs().search(bare):
        hours = load_hours()
        for minutes, pattern in _compile_phrases():
            for match in pattern.finditer(bare):
                hour = match["hour"]
                found.add(_count_minutes(int(hour) if hour.isdecimal() else hours[hour], minutes))
    return frozenset(found)


def has_clock_time(bare: str) -> bool:
    """Whether a folded text names a time of day in digits."""
    return _CLOCK.search(bare) is not None


@cache
def _compile_signs() -> re.Pattern[str]:
    """What stands in every time that is told in words: to look for it first spares the phrases of all languages."""
    return re.compile("|".join(collect_entries(SUBJECT, "signs")))


@cache
def _compile_phrases() -> tuple[tuple[int, re.Pattern[str]], ...]:
    """The minutes to add to the hour of each phrase, and the pattern that finds it."""
    hour = rf"(?<![\d.,:])(?P<hour>\d{{1,2}}|{'|'.join(load_hours())})"
    found = []
    for code in list_codes():
        for minutes in read_sections(code, SUBJECT):
            if minutes.lstrip("-").isdecimal():
                phrases = read_entries(code, SUBJECT, minutes)
                found += [(int(minutes), _compile(phrase, hour)) for phrase in phrases]
    return tuple(found)


def _compile(phrase: str, hour: str) -> re.Pattern[str]:
    start = "" if phrase.startswith("(?") else r"\b"
    return re.compile(start + strip_groups(phrase).replace("{hour}", hour) + r"\b")


def _count_minutes(hour: int, minutes: int) -> int:
    return (60 * hour + minutes) % HALF_DAY
