"""Times of day in a text, in digits or in words, as values that can be compared. Pure."""

import re
from typing import Final

from memory.language.cues import fold_text

HALF_DAY: Final = 720
"""A quarter to seven is meant in the morning or in the evening: times are compared on a face of twelve hours."""

_HOURS: Final[dict[str, int]] = {
    name: hour
    for names in (
        "twelve one two three four five six seven eight nine ten eleven",
        "doce una dos tres cuatro cinco seis siete ocho nueve diez once",
        "douze une deux trois quatre cinq six sept huit neuf dix onze",
        "zwolf eins zwei drei vier funf sechs sieben acht neun zehn elf",
        "dodici una due tre quattro cinque sei sette otto nove dieci undici",
        "עשרה אחת שתיים שלוש ארבע חמש שש שבע שמונה תשע עשר אחתעשרה",
    )
    for hour, name in enumerate(names.split())
}
_HOURS.pop("עשרה")
_HOUR: Final = rf"(?<![\d.,:])(?P<hour>\d{{1,2}}|{'|'.join(_HOURS)})"
_DIGITS: Final = re.compile(
    r"(?<![\d.:,])(\d{1,2})(?:[:h]([0-5]\d)|[:.]([0-5]\d) ?(?:uhr|am|pm|a\.m|p\.m|h)\b)(?![\d:])"
)
_BARE: Final = re.compile(r"(?<![\d.:,])(\d{1,2}) ?(?:am|pm|a\.m\.|p\.m\.|uhr(?! \d)|o'clock|h)\b")
_QUARTERS: Final = (
    (30, rf"\bhalf past {_HOUR}\b"),
    (15, rf"\bquarter (?:past|after) {_HOUR}\b"),
    (-15, rf"\bquarter (?:to|of|before) {_HOUR}\b"),
    (0, rf"\b{_HOUR} o'clock\b"),
    (-30, rf"\bhalb {_HOUR}\b"),
    (15, rf"\bviertel nach {_HOUR}\b"),
    (-15, rf"\b(?:viertel vor|dreiviertel) {_HOUR}\b"),
    (0, rf"\b{_HOUR} uhr\b"),
    (30, rf"\b(?:las?|\w*l[ea]) {_HOUR} (?:y media|e mezzo|e mezza)\b"),
    (15, rf"\b(?:las?|\w*l[ea]) {_HOUR} (?:y cuarto|e un quarto)\b"),
    (-15, rf"\b(?:las?|\w*l[ea]) {_HOUR} (?:menos cuarto|meno un quarto)\b"),
    (30, rf"\b{_HOUR} heures? et demie\b"),
    (15, rf"\b{_HOUR} heures? et quart\b"),
    (-15, rf"\b{_HOUR} heures? moins le quart\b"),
    (0, rf"\b{_HOUR} heures?\b(?! (?:et|moins))"),
    (30, rf"(?<![א-ת])[בל]?{_HOUR} וחצי\b"),
    (15, rf"(?<![א-ת])[בל]?{_HOUR} ורבע\b"),
    (-15, rf"(?<![א-ת])רבע ל{_HOUR}\b"),
    (0, rf"(?<![א-ת])בשעה {_HOUR}\b(?! ו)"),
)
_SPOKEN: Final = tuple((minutes, re.compile(pattern)) for minutes, pattern in _QUARTERS)
_MAY_SPEAK: Final = re.compile(
    r"half|quarter|o'clock|halb|viertel|uhr|media|cuarto|mezz|quarto|heure|וחצי|ורבע|רבע|בשעה"
)


def find_times(text: str) -> frozenset[int]:
    """Minutes since midnight or noon of every time of day that a text names."""
    bare = fold_text(text)
    found = set()
    if any(char.isdigit() for char in bare):
        found |= {_minutes(int(hour), int(one or two)) for hour, one, two in _DIGITS.findall(bare)}
        found |= {_minutes(int(hour), 0) for hour in _BARE.findall(bare)}
    if _MAY_SPEAK.search(bare):
        for minutes, pattern in _SPOKEN:
            for match in pattern.finditer(bare):
                hour = match["hour"]
                found.add(_minutes(int(hour) if hour.isdecimal() else _HOURS[hour], minutes))
    return frozenset(found)


def _minutes(hour: int, minutes: int) -> int:
    return (60 * hour + minutes) % HALF_DAY
