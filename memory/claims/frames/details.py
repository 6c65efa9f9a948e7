"""When something is and how long it lasts, as it stands in a clause."""

from collections.abc import Sequence
from typing import Final

from memory.claims.frames.numerals import read_number
from memory.claims.frames.phrases import PhraseReader
from memory.claims.frames.tokens import HotToken
from memory.claims.inner_dots import TITLE_DOT

# German counts years in the dative behind "seit"; the canonical form is the nominative.
NOMINATIVES: Final = {"jahren": "jahre", "monaten": "monate", "tagen": "tage"}
MOST_BEFORE_UNIT: Final = 4
LAST_HOUR: Final = 24
LAST_DAY: Final = 31
# Articles within a preposition, and "day" before its number.
OF_DAYS: Final = frozenset({"del", "do", "dia", "día", "am", "vom", "zum", "du", "au", "al", "ad"})
ORDINALS: Final = frozenset({"st", "nd", "rd", "th", "er", "º"})


def find_time(reader: PhraseReader, at: int, end: int) -> tuple[str, int, int] | None:
    """The first words of time from a place on, as they were spoken, without preposition and article before them."""
    tokens = reader.tokens
    while at < end:
        stop = at
        is_time = False
        while stop < end and is_temporal_at(tokens, stop, end, reader.words.language):
            is_time = is_time or tokens[stop].has("time")
            number = read_number(tokens, stop, end, reader.words.language)
            stop = number[1] if number is not None else stop + 1
        while stop > at and is_loose(tokens, stop - 1):
            stop -= 1
        if stop > at and (is_time or is_clock(tokens[at:stop], reader.words.language)):
            first = at
            while (
                first < stop - 1
                and tokens[first].has("prep", "det", "clock")
                and not tokens[first].has("time", "time adj")
            ):
                first += 1
            return reader.cut(first, stop), first, stop
        at = max(at + 1, stop)
    return None


def is_loose(tokens: Sequence[HotToken], last: int) -> bool:
    """Whether the last word of a time only led on to what is none of it; "next year" belongs to it."""
    token = tokens[last]
    is_whole = token.has("unit") and last > 0 and tokens[last - 1].has("time adj")
    return token.has("time link", "det") and not token.has("time", "time adj") and not is_whole


def find_day(reader: PhraseReader, at: int) -> tuple[str, int, int] | None:
    """ "On the ninth", "le 22 à 9h30": a day of the month alone, behind its article."""
    tokens, end = reader.tokens, len(reader.tokens)
    while at < end and tokens[at].has("prep", "of") and not (tokens[at].has("det") or tokens[at].text in OF_DAYS):
        at += 1
    first = at + 1
    if first >= end or not (tokens[at].has("det") or tokens[at].text in OF_DAYS):
        return None
    number = read_number(tokens, first, end, reader.words.language)
    is_ordinal = tokens[first].has("time adj") and tokens[first].has("time link")
    stop = number[1] if number is not None else first + 1 if is_ordinal else at
    is_ordinal = is_ordinal or (stop < end and tokens[stop].text in ORDINALS)
    stop += stop < end and tokens[stop].text in ORDINALS
    # "The 22 people": what is counted follows.
    is_last = stop == end or is_ordinal or tokens[stop].is_mark or bool(tokens[stop].classes - {"unit"})
    is_day = is_ordinal or (number is not None and number[0].isdigit() and 0 < int(number[0]) <= LAST_DAY)
    return (reader.cut(first, stop), first, stop) if is_day and is_last else None


def is_clock(tokens: Sequence[HotToken], language: str) -> bool:
    """ "A las siete", "at 6.45"; 212 is the number of a locker."""
    if len(tokens) < 2 or not tokens[0].has("clock"):
        return False
    number = read_number(tokens, skip_dets(tokens, 1, len(tokens)), len(tokens), language)
    return number is not None and not (number[0].isdigit() and int(number[0]) > LAST_HOUR)


def skip_dets(tokens: Sequence[HotToken], at: int, end: int) -> int:
    while at < end and tokens[at].has("det", "time adj", "time link"):
        at += 1
    return at


def is_temporal_at(tokens: Sequence[HotToken], at: int, end: int, language: str) -> bool:
    token = tokens[at]
    if token.is_mark:
        return False
    if token.has("time", "time link", "clock") or read_number(tokens, at, end, language) is not None:
        return True
    if token.text.endswith(TITLE_DOT):
        # "Am 3. März", and not "am 5. Drillinge".
        return at + 1 < end and tokens[at + 1].has("time")
    # "9:30 every day".
    if token.has("unit") and at and tokens[at - 1].has("time adj"):
        return True
    return (
        token.has("det")
        and at + 1 < end
        and (tokens[at + 1].has("time", "time link") or read_number(tokens, at + 1, end, language) is not None)
    )


def find_duration(reader: PhraseReader) -> tuple[str, int, int] | None:
    """ "Desde hace dos años", "for about six years": digits and unit."""
    tokens = reader.tokens
    language = reader.words.language
    for at, token in enumerate(tokens):
        if not token.has("since"):
            continue
        for place in range(at + 1, min(at + 1 + MOST_BEFORE_UNIT, len(tokens))):
            found = read_amount(tokens, place, language)
            if found is not None:
                return found[0], at, found[1]
            if not tokens[place].has("approx", "det", "since", "adv", "prep", "there", "have 1", "have 3"):
                break
    return None


def read_amount(tokens: Sequence[HotToken], at: int, language: str) -> tuple[str, int] | None:
    """A number with its unit of time: "6 years". "A year" is one."""
    number = read_number(tokens, at, len(tokens), language)
    if number is None and tokens[at].has("one"):
        number = ("1", at + 1)
    if number is None or number[1] >= len(tokens) or not tokens[number[1]].has("unit"):
        return None
    unit = tokens[number[1]].text
    return f"{number[0]} {NOMINATIVES.get(unit, unit)}", number[1] + 1
