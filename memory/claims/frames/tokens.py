"""A turn as words and marks, each word with its classes; what speech writes together is taken apart."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Final

from memory.claims.frames.words import HotWords
from memory.claims.inner_dots import NUMERIC_DATE
from memory.claims.taxonomy import PEOPLE
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_AND, is_hebrew
from memory.language.loader import read_entries, read_sections
from memory.language.names import capitalises_nouns

# Words of a turn that are read: what goes on longer is pasted.
MOST_TOKENS: Final = 160
CLOCK: Final = r"\d{1,2}(?:[:.]\d{2})?(?:am|pm|h\d{0,2})\b|\d{1,2}:\d{2}\b"
# A day before its month is no number of years: "werd am 4. Januar 23".
DATE: Final = rf"{NUMERIC_DATE}\b"
NUMBER: Final = rf"{CLOCK}|{DATE}" + r"|\d{1,2}\ue001|\d{1,9}(?:[.,:]\d{1,4}){0,3}"
MARKS: Final = r"[.!?…\n]+|[,;:()—–¿¡&@\"«»“”]|(?<=\s)-(?=\s)"
WORD: Final = r"[^\W_]{1,60}(?:-[^\W_]{1,40}){0,4}"
# "don't" is "do" and "n't", "wife's" is "wife" and "'s".
ENGLISH_TOKEN: Final = re.compile(
    rf"{NUMBER}|[^\W\d_]{{1,20}}?(?=n't\b)|n't\b|'(?:s|m|re|ve|ll|d)\b|{WORD}(?:'(?!(?:s|m|re|ve|ll|d|t)\b)[^\W_]{{1,30}})?|{MARKS}",
    re.IGNORECASE,
)
ELIDING_TOKEN: Final = re.compile(rf"{NUMBER}|aujourd'hui|'s\b|[^\W\d_]{{1,12}}'(?=\w)|{WORD}|{MARKS}", re.IGNORECASE)
# "ג'אז", "צה\"ל": marks within a Hebrew word.
HEBREW_TOKEN: Final = re.compile(rf"{NUMBER}|[^\W_]{{1,40}}(?:['\"־-][^\W_]{{1,40}}){{0,4}}|{MARKS}", re.IGNORECASE)
PATTERNS: Final = {"en": ENGLISH_TOKEN, HEBREW: HEBREW_TOKEN}
HOURS: Final = re.compile(rf"{CLOCK}|{DATE}")
TIME: Final = frozenset({"time"})
SPLIT: Final = "split "
GERMAN: Final = "de"
# "Ich wohne aber in Bonn": directly behind the verb it joins no clauses.
BESIDE_PARTICLE: Final = ("verb", "frame", "be 1", "be 3", "have 1", "have 3")
SETTLED: Final = frozenset({"moved", "settled"})


@dataclass(frozen=True, slots=True)
class HotToken:
    """``text`` is in lower case with its accents, ``plain`` without."""

    text: str
    plain: str
    start: int
    end: int
    is_capital: bool
    classes: frozenset[str]
    is_mark: bool = False
    # A word that is somebody's name here: "my husband Will".
    is_name: bool = False

    def has(self, *kinds: str) -> bool:
        return not self.classes.isdisjoint(kinds)


def read_hot_tokens(text: str, words: HotWords) -> list[HotToken]:
    """``text`` is already normalised; places in it are those of the tokens."""
    found: list[HotToken] = []
    pattern = PATTERNS.get(words.language, ELIDING_TOKEN)
    for match in pattern.finditer(text):
        found += split_piece(match[0], match.start(), words)
        if len(found) >= MOST_TOKENS:
            break
    found = free_names(drop_floating(found, words.language), words)
    return mark_genitives(found, words) if words.language == "en" else found


def free_names(tokens: list[HotToken], words: HotWords) -> list[HotToken]:
    """ "My husband Will", "a dog named Hope": behind these a capital is a name, and neither plans nor hopes anything.

    Not where every noun has a capital.
    """
    for at, (before, token) in enumerate(pairwise(tokens), 1):
        # "Zu einer neuen Zahnärztin": no adjective of which something is too much.
        if before.has("degree") and before.has("prep") and token.has("det", "my"):
            tokens[at - 1] = replace(before, classes=before.classes - {"degree"})
        # "Il mio vicino" is near nothing.
        if before.has("my") and token.has("prep") and token.plain in words.nouns:
            tokens[at] = replace(token, classes=token.classes - {"prep"})
        # "Mi hermana se llama mía".
        if before.has("named") and token.has("my") and (at + 1 == len(tokens) or tokens[at + 1].is_mark):
            tokens[at] = replace(token, classes=frozenset(), is_name=True)
    if capitalises_nouns(words.language):
        return tokens
    for at, (before, token) in enumerate(pairwise(tokens), 1):
        is_behind = before.has("called") or words.nouns.get(before.plain, "") in PEOPLE
        # "A bakery called The Crusty Cob".
        if is_behind and token.is_capital and token.classes and not token.has("det", "the"):
            tokens[at] = replace(token, classes=frozenset(), is_name=True)
    return tokens


def drop_floating(tokens: list[HotToken], language: str) -> list[HotToken]:
    """ "We've all moved to Ghent": who all are has been said before; "all moved in now" says none but the person."""
    return [
        token
        for at, token in enumerate(tokens)
        if not (token.has("floats") and is_floating(tokens, at))
        and not (language == GERMAN and at and token.has("but") and tokens[at - 1].has(*BESIDE_PARTICLE))
    ]


def is_floating(tokens: Sequence[HotToken], at: int) -> bool:
    behind = tokens[at + 1] if at + 1 < len(tokens) else None
    if behind is None or not behind.has("frame", "verb", "participle", "first"):
        return False
    if not at:
        return behind.text in SETTLED
    return tokens[at - 1].has("i", "they", "be 1", "be 3", "have 1", "have 3")


def mark_genitives(tokens: list[HotToken], words: HotWords) -> list[HotToken]:
    """ "My sister's name": before a noun of a relation the ending says whose, elsewhere it is "is"."""
    found: list[HotToken] = []
    for at, token in enumerate(tokens):
        behind = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.text != "'s" or not found:
            found.append(token)
        elif ends_name(found, behind):
            name = found[-1]
            found[-1] = replace(
                name, text=f"{name.text}'s", plain=f"{name.plain}'s", end=token.end, classes=frozenset()
            )
        elif behind is not None and (behind.plain in words.nouns or behind.has("favorite")):
            found.append(replace(token, classes=frozenset({"genitive"})))
        else:
            found.append(token)
    return found


def ends_name(before: Sequence[HotToken], behind: HotToken | None) -> bool:
    """ "At St. Mary's with the kids": behind a preposition and before nothing that is said of it."""
    if not (behind is None or behind.is_mark or behind.has("prep", "conj")):
        return False
    at = len(before) - 1
    while at >= 0 and before[at].is_capital:
        at -= 1
    return 0 <= at < len(before) - 1 and before[at].has("prep")


def split_piece(raw: str, start: int, words: HotWords) -> Iterator[HotToken]:
    parts = load_splits(words.language).get(raw.casefold()) or guess_parts(raw, words) or (raw,)
    if len(parts) == 1:
        yield make_token(parts[0], raw, start, start + len(raw), words)
        return
    cut = min(len(parts[0]), len(raw) - 1)
    yield make_token(parts[0], raw, start, start + cut, words)
    for part in parts[1:]:
        yield make_token(part, part, start + cut, start + len(raw), words)


def make_token(spoken: str, raw: str, start: int, end: int, words: HotWords) -> HotToken:
    text = spoken.casefold()
    is_mark = not any(char.isalnum() for char in text)
    is_capital = raw[:1].isupper() and raw != "I" and not raw.startswith("I'")
    classes = TIME if HOURS.fullmatch(text) else words.classify(text)
    return HotToken(text, fold_letters(text), start, end, is_capital, classes, is_mark)


@cache
def load_splits(language: str) -> dict[str, tuple[str, ...]]:
    """What is written together in speech: "im" is "i am", "chuis" is "je suis"."""
    found: dict[str, tuple[str, ...]] = {}
    for name, lines in read_sections(language, "frames").items():
        if name.startswith(SPLIT):
            spoken = name.removeprefix(SPLIT).casefold()
            # Not the other way round: "dá" is a verb, "da" two words.
            found |= {spoken: tuple(lines[0].split()), fold_letters(spoken): tuple(lines[0].split())}
    return found


def guess_parts(raw: str, words: HotWords) -> tuple[str, ...] | None:
    """ "jhabite" and "jtravaille", "chamo-me": the pronoun written onto a verb; "לאחותי": "to" onto "my sister"."""
    if is_hebrew(raw):
        return split_hebrew_kin(raw, words)
    verb, _, pronoun = raw.rpartition("-")
    if verb and "enclitic" in words.classify(pronoun.casefold()):
        return verb, pronoun
    if words.language != "fr" or raw[:1].casefold() != "j" or words.classify(raw.casefold()):
        return None
    rest = raw[1:].casefold()
    return ("j'", rest) if words.classify(rest) & {"verb", "frame"} else None


def split_hebrew_kin(raw: str, words: HotWords) -> tuple[str, ...] | None:
    """ "לאחותי", and "ולאחותי" with "and" before it."""
    joint = raw[:1] if raw.startswith(HEBREW_AND) else ""
    rest = raw.removeprefix(joint)
    prefix = next((one for one in read_entries(words.language, "frames", "prefix") if rest.startswith(one)), "")
    kin = load_splits(words.language).get(rest.removeprefix(prefix)) if prefix or joint else None
    return (*filter(None, (joint, prefix)), *kin) if kin else None
