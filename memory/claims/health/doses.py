"""Doses without their unit: "tomo enalapril 20", "insulin, 14 units at night", and "sorry, 10" that changes one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.frames.numerals import read_spoken
from memory.claims.health.prescriptions import find_joined_drug, load_takers
from memory.claims.slots.matching import SlotMatch, load_words, overlaps
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

TAKES_DOSE: Final = "takes_dose"
PIECE: Final = re.compile(r"\d{1,5}(?:[.,]\d{1,3})?|[^\W\d_]+(?:[\"-][^\W\d_]+)*")
MARKED: Final = re.compile(r"[;:.!?()\n]")
DIGITS: Final = re.compile(r"\d")
# Words of a sentence that are looked at, and of one that is nothing but a new dose.
MOST_WORDS: Final = 40
MOST_OF_CHANGE: Final = 9
MOST_OF_NUMBER: Final = 4
# Letters from which a word of a move is its verb.
LEAST_VERB: Final = 2
# From here to there a number is a year.
YEARS: Final = range(1900, 2101)
# A dose becomes no hundred times what it was.
MOST_TIMES: Final = 10.0
# As much as what a frame of a verb reads has.
TOLD: Final = 90


@dataclass(frozen=True, slots=True)
class Number:
    """``words`` are the pieces it takes, its unit among them; ``unit`` as it was said."""

    value: str
    unit: str
    words: int

    @property
    def dose(self) -> str:
        return f"{self.value} {self.unit}".strip()


def find_plain_doses(raw: str, language: str) -> Iterator[SlotMatch]:
    """The dose of a medicine that stands right behind it, or before it with an "of", and counts nothing else."""
    pieces = list(PIECE.finditer(raw))[:MOST_WORDS]
    drugs = [find_joined_drug(piece[0]) for piece in pieces]
    for at, drug in enumerate(drugs):
        if not drug:
            continue
        start = at + 1 + skip_of(pieces, at + 1, language)
        number = read_number(pieces, start, language)
        if number is None or counts_on(raw, pieces, start + number.words, language):
            start, number = read_before(pieces, at, language)
        if number is None or MARKED.search(raw, *sorted((pieces[at].end(), pieces[start].start()))):
            continue
        span = (pieces[start].start(), pieces[start + number.words - 1].end())
        yield SlotMatch(TAKES_DOSE, drug, number.dose, *span, object_span=span)


def skip_of(pieces: Sequence[re.Match[str]], at: int, language: str) -> int:
    """1 where an "of" stands there: "enalapril de diez"."""
    return int(at < len(pieces) and fold_letters(pieces[at][0]) in load_ofs(language))


def load_ofs(language: str) -> frozenset[str]:
    return load_words(language, "of", "frames")


def read_before(pieces: Sequence[re.Match[str]], drug: int, language: str) -> tuple[int, Number | None]:
    """ "20 di Lantus", "14 units of insulin"."""
    end = drug - 1 if drug and fold_letters(pieces[drug - 1][0]) in load_ofs(language) else drug
    for start in range(max(0, end - MOST_OF_NUMBER), end):
        number = read_number(pieces, start, language)
        if number is not None and start + number.words == end and (end < drug or number.unit):
            return start, number
    return drug, None


def read_number(pieces: Sequence[re.Match[str]], at: int, language: str) -> Number | None:
    """In digits or in words, with a half and a unit behind it."""
    if at >= len(pieces):
        return None
    words = [fold_letters(piece[0]) for piece in pieces[at:]]
    if DIGITS.match(words[0]):
        value, count = words[0].replace(",", "."), 1
    else:
        halved = next((one for one in load_halves(language) if words[0].endswith(one) and words[0] != one), "")
        found = read_spoken([words[0].removesuffix(halved) if halved else words[0], *words[1:]], language)
        if found is None or found[0] <= 1:
            return None
        value, count = (f"{found[0]}.5", 1) if halved else (str(found[0]), found[1])
    for half in load_halves(language):
        parts = half.split()
        if "." not in value and words[count : count + len(parts)] == parts:
            value, count = f"{value}.5", count + len(parts)
    is_unit = count < len(words) and words[count] in load_words(language, "dose unit")
    unit = pieces[at + count][0].casefold() if is_unit else ""
    return Number(value, unit, count + is_unit)


@cache
def load_halves(language: str) -> tuple[str, ...]:
    return tuple(fold_letters(one) for one in read_entries(language, "slots", "dose half"))


def counts_on(raw: str, pieces: Sequence[re.Match[str]], after: int, language: str) -> bool:
    """Whether a number is of what follows it, "2 tablets", "3 times a day", or a year."""
    before = pieces[after - 1]
    if before[0].isdigit() and int(before[0]) in YEARS:
        return True
    if after >= len(pieces) or raw[before.end() : pieces[after].start()].strip():
        return False
    if fold_letters(before[0]) in load_words(language, "dose unit"):
        return False
    behind = fold_letters(pieces[after][0])
    if read_spoken([behind, *(fold_letters(piece[0]) for piece in pieces[after + 1 : after + 3])], language):
        # "Metformine 500 deux fois par jour".
        return False
    kinds = ("stop", "adverb", "article")
    light = any(behind in load_words(language, kind) for kind in kinds) or behind in load_daytimes(language)
    # "Hat mein L-Thyroxin auf 100 erhöht".
    return not light and behind not in load_move_words(language)


def find_named_move(raw: str, language: str) -> tuple[Number, str, tuple[int, int]] | None:
    """The number to which the dose of the one medicine that a sentence names has moved, by a verb of such a move
    wherever it stands, or by a "now" with nothing between the two: "mi hanno aumentato l'Eutirox a 75", "Metformin ist
    jetzt 1000 zweimal täglich"."""
    pieces = list(PIECE.finditer(raw))[:MOST_WORDS]
    drugs = [(at, drug) for at, piece in enumerate(pieces) if (drug := find_joined_drug(piece[0]))]
    words = [fold_letters(piece[0]) for piece in pieces]
    if len({drug for _, drug in drugs}) != 1 or not load_words(language, "denial").isdisjoint(words):
        return None
    found = [(at, number) for at, number in list_numbers(raw, pieces, language) if at > drugs[0][0]]
    if len(found) != 1:
        return None
    at, number = found[0]
    beside = load_words(language, "dose beside") | load_words(language, "now", "frames")
    is_bare = beside.issuperset(words[drugs[-1][0] + 1 : at])
    is_now = is_bare and not load_words(language, "now", "frames").isdisjoint(words)
    if not is_now and load_move_words(language).isdisjoint(words) and not is_moved_to(words[:at], language):
        return None
    return number, drugs[0][1], (pieces[at].start(), pieces[at + number.words - 1].end())


def is_of_speaker(raw: str, language: str) -> bool:
    """Whether a sentence is about who speaks: "the doctor put my ramipril up", "me ha subido el enalapril"."""
    words = {fold_letters(piece[0]) for piece in list(PIECE.finditer(raw))[:MOST_WORDS]}
    owned = load_words(language, "my") - load_words(language, "their")
    # "M'a augmenté": what is joined to the next word has its apostrophe in the list, and none here.
    to_me = {word.removesuffix("'") for word in load_words(language, "to me", "frames")}
    return not words.isdisjoint(owned | load_words(language, "i") | to_me)


def is_moved_to(words: Sequence[str], language: str) -> bool:
    """ "Est passé à": a move whose verb says nothing by itself."""
    spoken = f" {' '.join(words)}"
    moves = (fold_letters(one) for one in read_entries(language, "slots", "dose moves"))
    return any(one.endswith(" #") and spoken.endswith(f" {one.removesuffix(' #')}") for one in moves)


def find_told_move(raw: str, language: str) -> SlotMatch | None:
    """The new dose of a sentence that says both of what and in which unit: "mon citalopram est passé à 10 mg"."""
    found = find_named_move(raw, language)
    if found is None or not found[0].unit:
        return None
    number, drug, span = found
    return SlotMatch(TAKES_DOSE, drug, number.dose, *span, object_span=span, weight=TOLD)


def list_numbers(raw: str, pieces: Sequence[re.Match[str]], language: str) -> list[tuple[int, Number]]:
    """The numbers that count nothing else, with their places."""
    found, at = list[tuple[int, Number]](), 0
    while at < len(pieces):
        number = read_number(pieces, at, language)
        if number is not None and not counts_on(raw, pieces, at + number.words, language):
            found.append((at, number))
        at += number.words if number is not None else 1
    return found


@cache
def load_move_words(language: str) -> frozenset[str]:
    """The verbs of the phrases by which a dose moves, in whatever order they stand: "erhöht", "aumentato"."""
    spoken = {fold_letters(word) for one in read_entries(language, "slots", "dose moves") for word in one.split()}
    kinds = ("dose beside", "stop", "adverb", "article", "i", "me", "with i", "my")
    light = frozenset().union(*(load_words(language, kind) for kind in kinds)) | load_daytimes(language)
    return (
        frozenset(word for word in spoken if word.isalpha() and len(word) > LEAST_VERB) - light - load_takers(language)
    )


def load_daytimes(language: str) -> frozenset[str]:
    return load_words(language, "time", "frames") | load_words(language, "prep", "frames")


def read_changed_dose(raw: str, language: str) -> tuple[Number, tuple[int, int]] | None:
    """The number of a sentence that is nothing but a new value: "sorry, 10", "desde hoy catorce"."""
    pieces = list(PIECE.finditer(raw))
    if not pieces or len(pieces) > MOST_OF_CHANGE:
        return None
    beside, found, at = load_words(language, "dose beside") | load_move_words(language), [], 0
    while at < len(pieces):
        number = read_number(pieces, at, language)
        if number is not None:
            found.append((number, (pieces[at].start(), pieces[at + number.words - 1].end())))
            at += number.words
        elif fold_letters(pieces[at][0]) in beside:
            at += 1
        else:
            return None
    return found[0] if len(found) == 1 else None


def put_known(slots: Sequence[SlotMatch], known: Sequence[SlotMatch]) -> list[SlotMatch]:
    """ "It's two and a half now" of a known medicine is nobody's age."""
    return [*(one for one in slots if not any(overlaps(one.object_span, told.object_span) for told in known)), *known]


def count_numbers(raw: str, language: str) -> int:
    pieces = list(PIECE.finditer(raw))[:MOST_WORDS]
    at = count = 0
    while at < len(pieces):
        number = read_number(pieces, at, language)
        count += number is not None
        at += number.words if number is not None else 1
    return count


def may_follow(old: str, new: Number) -> bool:
    """Whether a number may be what a dose has become."""
    before = PIECE.search(old)
    if before is None or not DIGITS.match(before[0]):
        return False
    was, now = float(before[0].replace(",", ".")), float(new.value)
    return was != now and was > 0 < now and 1 / MOST_TIMES <= now / was <= MOST_TIMES
