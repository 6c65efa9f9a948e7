"""Identifiers, dates and amounts in a text, as values that can be compared. Pure."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from memory.language.calendar import MONTHS
from memory.language.cues import fold_text

DayOfYear = tuple[int, int]
"""Month and day."""

_CODE: Final = re.compile(r"(?<![\w])#?(?=[\w.:/+-]*\d)(?=[\w.:/+-]*(?:[A-Za-z_]|\d[.:/-]\d|#))[\w#][\w.:/+-]*\w")
_CLOCK_OR_SIZE: Final = re.compile(
    r"\d+(?::\d\d|(?:st|nd|rd|th|er|e|a|o|am|pm|h|kg|g|km|m|cm|mm|ml|l|eur|usd|px|gb|mb))?"
)
_ISO: Final = re.compile(r"\b\d{4}-(\d\d)-(\d\d)\b")
_DOTTED: Final = re.compile(r"\b(\d{1,2})\.(\d{1,2})\.(?:\d{2,4}\b|(?!\d))")
_DAY_AND_MONTH: Final = re.compile(r"\b(?=\d?0|0)(\d\d)\.(\d\d)\b(?![.\d])")
_SLASHED: Final = re.compile(r"\b(\d{1,2})/(\d{1,2})(?:/\d{2,4})?\b")
_MONTH: Final = "|".join(sorted((name for name in MONTHS if len(name) > 2), key=len, reverse=True))
_DAY_MONTH: Final = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|er|\.|º|°)?(?: (?:of|de|di|d'|del))? (?:ב|ל|מ)?({_MONTH})\b"
)
_MONTH_DAY: Final = re.compile(rf"\b({_MONTH}) (?:the )?(\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]?\d)")
_NUMBER: Final = re.compile(r"(?<![\w.,-])\d{1,3}(?:[,.' ]\d{3})+(?![\w])|(?<![\w.,:/-])\d+(?:[.,]\d{1,2})?(?![\w:/-])")

_UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen",
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete "
    "dieciocho diecinueve",
    "zero un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize",
    "null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn "
    "achtzehn neunzehn",
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici "
    "diciassette diciotto diciannove",
    "אפס אחת שתיים שלוש ארבע חמש שש שבע שמונה תשע עשר",
    "אפס אחד שניים שלושה ארבעה חמישה שישה שבעה שמונה תשעה עשרה",
)
_TENS: Final = (
    "twenty thirty forty fifty sixty seventy eighty ninety",
    "veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "vingt trente quarante cinquante soixante septante octante nonante",
    "zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig",
    "venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "עשרים שלושים ארבעים חמישים שישים שבעים שמונים תשעים",
)
_HUNDRED: Final = frozenset(["hundred", "cien", "ciento", "cent", "cents", "hundert", "cento", "מאה", "מאות"])
_THOUSAND: Final = frozenset(["thousand", "mil", "mille", "milles", "tausend", "mila", "אלף", "אלפים"])
_JOINED: Final = frozenset(["and", "y", "et", "und", "e", "ו"])

_WORTH: Final[dict[str, int]] = {
    **{word: worth for line in _UNITS for worth, word in enumerate(line.split())},
    **{word: 10 * worth for line in _TENS for worth, word in enumerate(line.split(), 2)},
    **{f"{start}cientos": 100 * worth for worth, start in enumerate(["dos", "tres", "cuatro"], 2)},
    "quinientos": 500, "seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900,
    "מאתיים": 200, "אלפיים": 2000,
}  # fmt: skip
_GERMAN: Final = re.compile(
    r"(?:(?P<thousands>\w*?)tausend)?(?:(?P<hundreds>\w*?)hundert)?(?:und)?(?:(?P<unit>\w+?)und)?(?P<rest>\w+)?"
)
_HEBREW_PARTICLES: Final = tuple("ובלהמכש")
LEAST_WRITTEN: Final = 13
"""Smaller numbers in words are rather articles and counts than amounts."""


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


def find_days(text: str) -> frozenset[DayOfYear]:
    """Days of the year a text names, in whatever form. A slashed date is read both ways."""
    bare = fold_text(text)
    found: set[DayOfYear] = {(int(month), int(day)) for month, day in _ISO.findall(bare)}
    found |= {(int(month), int(day)) for day, month in _DOTTED.findall(bare)}
    found |= {(int(month), int(day)) for day, month in _DAY_AND_MONTH.findall(bare)}
    for first, second in _SLASHED.findall(bare):
        found |= {(int(first), int(second)), (int(second), int(first))}
    for day, month in _DAY_MONTH.findall(bare):
        found.add((_month(month), int(day)))
    for month, day in _MONTH_DAY.findall(bare):
        found.add((_month(month), int(day)))
    return frozenset((month, day) for month, day in found if 1 <= month <= 12 and 1 <= day <= 31)


_CLOCK: Final = re.compile(r"\b\d{1,2}[:.h]\d\d\b|\b\d{1,2} ?(?:am|pm|uhr|h)\b")


@lru_cache(maxsize=16_384)
def has_date(bare: str) -> bool:
    """Whether a plain text names a day or a time of day in digits."""
    if not any(char.isdigit() for char in bare):
        return False
    return _CLOCK.search(bare) is not None or bool(find_days(bare))


def _month(name: str) -> int:
    return int(MONTHS[name].removeprefix("month:"))


def find_numbers(text: str) -> frozenset[float]:
    """Amounts, in digits or in words, apart from those of dates and identifiers."""
    bare = fold_text(text)
    for pattern in (_ISO, _DOTTED, _DAY_MONTH, _MONTH_DAY):
        bare = pattern.sub(" ", bare)
    found = set()
    for match in _NUMBER.finditer(bare):
        digits = match[0]
        if re.fullmatch(r"\d{1,3}(?:[,.' ]\d{3})+", digits):
            digits = re.sub(r"\D", "", digits)
        found.add(float(digits.replace(",", ".")))
    return frozenset(found | set(_written(bare)))


def _written(bare: str) -> Iterator[float]:
    """Numbers spelled out: a run of number words, joined by "and" or a hyphen."""
    total = last = 0
    is_open = False
    for word in [*re.findall(r"[^\W\d_]+", bare), ""]:
        worth = _worth(word)
        if worth is not None:
            last += worth
        elif word in _HUNDRED:
            last = max(1, last) * 100
        elif word in _THOUSAND:
            total, last = total + max(1, last) * 1000, 0
        elif is_open and word in _JOINED:
            continue
        else:
            if is_open and total + last >= LEAST_WRITTEN:
                yield float(total + last)
            total = last = 0
            is_open = False
            if (compound := _german(word)) >= LEAST_WRITTEN:
                yield float(compound)
            continue
        is_open = True


def _worth(word: str) -> int | None:
    """What a number word stands for. Hebrew writes "and", "in" and "for" onto it."""
    worth = _WORTH.get(word)
    return _WORTH.get(word[1:]) if worth is None and word[:1] in _HEBREW_PARTICLES else worth


def _german(word: str) -> int:
    """A German number is one word, its unit before its ten: `vierhundertachtzig`, `fünfundzwanzig`."""
    if "hundert" not in word and "und" not in word and "tausend" not in word:
        return 0
    match = _GERMAN.fullmatch(word)
    if match is None:
        return 0
    parts = {
        name: _WORTH.get("eins" if part == "ein" else part) if part else 0 for name, part in match.groupdict().items()
    }
    if any(worth is None for worth in parts.values()):
        return 0
    worths = {name: worth or 0 for name, worth in parts.items()}
    thousands = 1000 * max(1, worths["thousands"]) if "tausend" in word else 0
    hundreds = 100 * max(1, worths["hundreds"]) if "hundert" in word else 0
    return thousands + hundreds + worths["unit"] + worths["rest"]
