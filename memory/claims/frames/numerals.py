"""Numbers of a turn as digits: "thirty four", "vierunddreißig", "quatre-vingt-dix", "nineteen ninety"."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.frames.tokens import HotToken
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW
from memory.language.loader import read_entries, read_sections

NUMBERS: Final = "numbers"
TENS: Final = range(20, 100, 10)
HUNDRED: Final = 100
THOUSAND: Final = 1000
# Words of a number: "mil novecientos ochenta y cuatro".
MOST_WORDS: Final = 10


@dataclass(slots=True)
class NumberSum:
    """A number as it is read word by word: "mil novecientos ochenta y cuatro"."""

    language: str
    total: int = 0
    # What has been added since the last thousand, and the last value.
    part: int = 0
    last: int = 0
    is_year: bool = False

    def take(self, value: int) -> bool:
        """Whether a value goes on with the number."""
        if not self.last:
            self.part = value
        elif value == THOUSAND and self.part < THOUSAND:
            self.total, self.part = max(1, self.part) * THOUSAND, 0
        elif value == HUNDRED and self.part < 100:
            self.part = max(1, self.part) * HUNDRED
        elif self.language == "en" and 13 <= self.part < 100 and value >= 10 and self.last >= 13 and not self.is_year:
            if self.last >= 20 and self.last % 10 == 0 and value < 10:
                return False
            self.part, self.is_year = self.part * 100 + value, True
        elif self.language == "fr" and self.part % 100 == 4 and value == 20:
            self.part += 76
        elif fits_behind(self.last, value, self.language, self.part):
            self.part += value
        else:
            return False
        if value == THOUSAND and not self.last:
            self.total, self.part = THOUSAND, 0
        self.last = value
        return True


def read_number(tokens: Sequence[HotToken], at: int, end: int, language: str) -> tuple[str, int] | None:
    """The digits of the number that begins at a place, and where it ends."""
    if at >= end:
        return None
    if tokens[at].text.isdigit():
        return tokens[at].text, at + 1
    found = read_spoken([token.plain for token in tokens[at : min(end, at + MOST_WORDS)]], language)
    # "Un" and "eine" are articles.
    if found is None or (found == (1, 1) and tokens[at].has("det")):
        return None
    return str(found[0]), at + found[1]


def counts_us(tokens: Sequence[HotToken], end: int) -> bool:
    """ "Wir sind drei", "there's five of us": how many we are, where no years stand behind the number, nor "both"."""
    has_years = end < len(tokens) and tokens[end].has("age unit")
    return any(token.has("we") for token in tokens) and not (has_years or any(token.has("both") for token in tokens))


def read_spoken(words: Sequence[str], language: str) -> tuple[int, int] | None:
    """What the folded words begin with is worth as a number, and how many of them it takes."""
    if words and words[0].isdigit():
        return int(words[0]), 1
    values, joints = load_values(language), load_joints(language)
    number = NumberSum(language)
    count = 0
    for place, word in enumerate(words):
        value = values[word] if word in values else read_hyphened(word, language)
        if value is not None and number.take(value):
            count = place + 1
        elif value is not None or word not in joints or not place or number.last < 20:
            break
    return (number.total + number.part, count) if count else None


@cache
def load_joints(language: str) -> frozenset[str]:
    return frozenset(read_entries(language, NUMBERS, "and"))


def fits_behind(last: int, value: int, language: str, part: int) -> bool:
    if language == "fr" and part % 100 in {60, 80} and value < 20:
        return True
    if language == HEBREW and value == 10 and last < 10:
        # "שתים עשרה".
        return True
    return value < last and (last >= 20 or last in {HUNDRED, THOUSAND})


@cache
def load_values(language: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for section in read_sections(language, NUMBERS):
        value, _, roles = section.partition(":")
        if (
            value.isdecimal()
            and (int(value) != 3 or "count" not in roles or language == HEBREW)
            and not ("count" in roles and language == "en")
        ):
            found.update({fold_letters(word): int(value) for word in read_entries(language, NUMBERS, section)})
    found |= dict.fromkeys(read_entries(language, NUMBERS, "hundred"), 100)
    found |= dict.fromkeys(read_entries(language, NUMBERS, "thousand"), 1000)
    return found | compose_values(language, found)


def compose_values(language: str, simple: dict[str, int]) -> dict[str, int]:
    """The numbers up to ninety-nine that are written as one word."""
    units = {word: value for word, value in simple.items() if 0 < value < 10}
    tens = {word: value for word, value in simple.items() if value in TENS}
    found: dict[str, int] = {}
    if language == "de":
        units["ein"] = 1
        found = {f"{one}und{ten}": value + more for ten, value in tens.items() for one, more in units.items()}
        found |= {f"{one}hundert": more * 100 for one, more in units.items()}
        found |= {f"neunzehnhundert{word}": 1900 + value for word, value in (found | tens).items() if value < 100}
        found |= {f"zweitausend{word}": 2000 + value for word, value in simple.items() if 0 < value < 30}
    elif language == "it":
        for ten, value in tens.items():
            for one, more in units.items():
                found[(ten[:-1] if one[0] in "uo" else ten) + one] = value + more
                if one == "uno":
                    found[ten[:-1] + "un"] = value + 1
            found[f"{ten[:-1]}'"] = value
        below = {word: value for word, value in (simple | found).items() if 0 < value < 100}
        found |= {f"millenovecento{word}": 1900 + value for word, value in below.items()}
        # Two vowels become one: "millenovecentottanta".
        found |= {f"millenovecent{word}": 1900 + value for word, value in below.items() if word[0] == "o"}
        found |= {f"duemila{word}": 2000 + value for word, value in below.items() if value < 30}
    elif language == "es":
        found = {f"veinti{one}": 20 + more for one, more in units.items()}
        found |= {"veintiun": 21}
    return found


def read_hyphened(word: str, language: str) -> int | None:
    """ "Quarante-deux", "thirty-four", "soixante-dix"."""
    if "-" not in word:
        return None
    values = load_values(language)
    total = 0
    for part in word.split("-"):
        value = values.get(part)
        if value is None:
            if part in {"et", "and", "vingts"}:
                total = 80 if part == "vingts" and total == 4 else total
                continue
            return None
        total = 80 if total == 4 and value == 20 else total + value
    return total
