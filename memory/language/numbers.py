"""Number words of all languages. Pure.

They stand in each language's `numbers.txt` by what they are worth, and only there: `times` takes the hours from here,
`periods` the counts in front of a unit of time, `figures` the amounts that are spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from memory.language.hebrew import PARTICLES
from memory.language.loader import collect_entries, list_codes, read_entries, read_sections

SUBJECT: Final = "numbers"
AMOUNT: Final = "amount"
COUNT: Final = "count"
HOUR: Final = "hour"
HOURS: Final = range(1, 13)
# Beyond six people write digits in front of days and weeks.
COUNTS: Final = range(1, 7)
# Smaller numbers in words are rather articles and counts than amounts.
LEAST_WRITTEN: Final = 13

# What is written behind the digits of a rank: 1st, 1er, 1º.
ORDINAL_ENDINGS: Final = "|".join(collect_entries(SUBJECT, "ordinal endings"))

_WORD: Final = re.compile(r"[^\W\d_]+")


@cache
def load_values(role: str) -> dict[str, int]:
    """What each number word is worth in a role; a section that names no role is for all of them."""
    found: dict[str, int] = {}
    for code in list_codes():
        for section in read_sections(code, SUBJECT):
            value, _, roles = section.partition(":")
            if value.isdecimal() and (not roles or role in roles.split()):
                found.update(dict.fromkeys(read_entries(code, SUBJECT, section), int(value)))
    return found


def load_hours() -> dict[str, int]:
    """The hours of a clock's face: twelve is nought."""
    return {word: value % 12 for word, value in load_values(HOUR).items() if value in HOURS}


def load_counts() -> dict[str, int]:
    return {word: value for word, value in load_values(COUNT).items() if value in COUNTS}


@lru_cache(maxsize=16_384)
def holds_number(bare: str) -> bool:
    """Whether a folded text holds a number, in digits or in words. One is rather an article."""
    if any(char.isdigit() for char in bare):
        return True
    values = _load_words()[0]
    return any((_read_value(word, values) or _read_compound(word)) > 1 for word in _WORD.findall(bare))


def find_written_numbers(bare: str) -> Iterator[float]:
    """Numbers spelled out in a folded text: a run of number words, joined by "and" or a hyphen."""
    words = _WORD.findall(bare)
    # Few texts have any, and a question with a number asks this of every candidate.
    if not any(map(_is_worth_something, words)):
        return
    values, hundred, thousand, joined = _load_words()
    total = last = 0
    is_open = False
    for word in [*words, ""]:
        value = _read_value(word, values)
        if value is not None:
            last += value
        elif word in hundred:
            last = max(1, last) * 100
        elif word in thousand:
            total, last = total + max(1, last) * 1000, 0
        elif is_open and word in joined:
            continue
        else:
            if is_open and total + last >= LEAST_WRITTEN:
                yield float(total + last)
            total = last = 0
            is_open = False
            if (compound := _read_compound(word)) >= LEAST_WRITTEN:
                yield float(compound)
            continue
        is_open = True


@cache
def _load_words() -> tuple[dict[str, int], frozenset[str], frozenset[str], frozenset[str]]:
    """The amounts, and the words for a hundred, a thousand and "and"."""
    hundred, thousand, joined = (frozenset(collect_entries(SUBJECT, name)) for name in ("hundred", "thousand", "and"))
    return load_values(AMOUNT), hundred, thousand, joined


@lru_cache(maxsize=65_536)
def _is_worth_something(word: str) -> bool:
    """Whether a word begins a number, or is one."""
    values, hundred, thousand, _ = _load_words()
    is_number_word = _read_value(word, values) is not None or word in hundred or word in thousand
    return is_number_word or _read_compound(word) > 0


def _read_value(word: str, values: dict[str, int]) -> int | None:
    """What a number word stands for. Hebrew writes "and", "in" and "for" onto it."""
    value = values.get(word)
    return values.get(word[1:]) if value is None and word[:1] and word[0] in PARTICLES else value


def _read_compound(word: str) -> int:
    """A number written as one word, its unit before its ten: `vierhundertachtzig`, `fünfundzwanzig`."""
    for hundred, thousand, joint, one, one_inside, pattern in _load_compounds():
        if hundred not in word and joint not in word and thousand not in word:
            continue
        match = pattern.fullmatch(word)
        if match is None:
            continue
        values = load_values(AMOUNT)
        parts = {
            name: values.get(one if part == one_inside else part) if part else 0
            for name, part in match.groupdict().items()
        }
        if any(value is None for value in parts.values()):
            continue
        known = {name: value or 0 for name, value in parts.items()}
        thousands = 1000 * max(1, known["thousands"]) if thousand in word else 0
        hundreds = 100 * max(1, known["hundreds"]) if hundred in word else 0
        return thousands + hundreds + known["unit"] + known["rest"]
    return 0


@cache
def _load_compounds() -> tuple[tuple[str, str, str, str, str, re.Pattern[str]], ...]:
    """For each language that writes its numbers as one word: its words for them, and the pattern of such a number."""
    found = []
    for code in list_codes():
        for joint in read_entries(code, SUBJECT, "unit inside"):
            hundred = read_entries(code, SUBJECT, "hundred")[0]
            thousand = read_entries(code, SUBJECT, "thousand")[0]
            one_inside = read_entries(code, SUBJECT, "one inside")[0]
            one = read_entries(code, SUBJECT, "1: amount hour")[0]
            pattern = re.compile(
                rf"(?:(?P<thousands>\w*?){thousand})?(?:(?P<hundreds>\w*?){hundred})?(?:{joint})?"
                rf"(?:(?P<unit>\w+?){joint})?(?P<rest>\w+)?"
            )
            found.append((hundred, thousand, joint, one, one_inside, pattern))
    return tuple(found)
