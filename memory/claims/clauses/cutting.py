"""Cuts a sentence into clauses, as places of its words."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Final

from memory.claims.lexicon import MARK
from memory.guard.annotation import BREAKS, TOKEN, Sentence

# Marks that part clauses; a bracket or a quotation mark goes on with what stands before it.
PARTING: Final = frozenset(",;—–:")
HEBREW_AND_I: Final = re.compile(r"ו(?:אני|אנחנו)")
# A sentence of a person has a few clauses; what goes on longer is a list, read up to here.
MOST_CLAUSES: Final = 24

Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ClauseTokens:
    """Where each word of a sentence stands in its text, and the clauses as ranges of words."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]
    segments: tuple[tuple[Place, ...], ...]

    def count_before(self, place: int) -> int:
        """How many words begin before a place of the text."""
        return bisect_left(self.starts, place)

    def find_word(self, place: int) -> int:
        """The word that begins at a place of the text, or last before it."""
        return bisect_right(self.starts, place) - 1


@dataclass(frozen=True, slots=True)
class ClauseOpening:
    """``start`` is where the statement begins, ``end`` where what it tells begins."""

    category: str
    relation: str
    subject: str
    start: int
    end: int
    # Whether it names its subject, so that it may begin a statement of its own.
    is_explicit: bool = True
    is_left: bool = False
    is_free: bool = False
    # Where the phrase of its relation begins, which may hold words that mean something else elsewhere.
    phrase: int = -1
    # `family` or `colleagues` where it is about one of them.
    people: str = ""


def cut_clauses(sentence: Sentence) -> ClauseTokens:
    """Segments between marks, each cut at its joints: "I'm Ana and I live in Leeds"."""
    starts: list[int] = []
    ends: list[int] = []
    cuts: list[int] = []
    for match in TOKEN.finditer(sentence.raw):
        mark = match[0]
        if mark[0] in BREAKS or mark[0].isspace():
            if (mark[0] in PARTING or mark[0].isspace()) and starts:
                cuts.append(len(starts))
            continue
        starts.append(match.start())
        ends.append(match.end())
        if mark == ":":
            cuts.append(len(starts))
    segments = []
    last = 0
    for cut in [*dict.fromkeys(cuts), len(starts)][:MOST_CLAUSES]:
        if cut > last:
            segments.append(tuple(_cut_at_joints(sentence, last, cut)))
            last = cut
    return ClauseTokens(tuple(starts), tuple(ends), tuple(segments))


def _cut_at_joints(sentence: Sentence, start: int, end: int) -> list[Place]:
    joints = {first for first, _ in sentence.spans(MARK + "joint")}
    # "Io e Chiara abbiamo", "yo y mi mujer": of a subject of two nothing is cut off.
    joints -= {start + 1} if sentence.has_at(start, MARK + "i") else set()
    at = [
        place for place in range(start + 1, end - 1) if place in joints or HEBREW_AND_I.fullmatch(sentence.words[place])
    ][:MOST_CLAUSES]
    return [(a, b) for a, b in zip([start, *at], [*at, end], strict=True) if b > a]


def find_heads(sentence: Sentence, start: int, end: int) -> int:
    """Where a clause says its own thing, behind joints, greetings and "by the way"."""
    place = start
    asks = sentence.spans(MARK + "remember")
    # "no" and "non" open an answer as often as a denial, and the second must not be lost.
    denials = {at for at, _ in sentence.spans(MARK + "not", "not")} - {at for at, _ in asks}
    steps = sorted([*sentence.spans("lead", "greeting", "adverb"), *asks], key=lambda span: (span[0], -span[1]))
    # "יש לנו כלבה": what leads elsewhere begins "we have".
    having = {first for first, after in sentence.spans(MARK + "have") if after - first > 1}
    steps = [span for span in steps if span[0] not in having]
    changes = {first for first, _ in sentence.spans(MARK + "change")}
    moved = True
    while moved and place < end and place not in changes:
        moved = False
        if sentence.has_at(place, MARK + "joint") and not sentence.has_at(place, MARK + "my", MARK + "i"):
            place, moved = place + 1, True
        for first, last in steps:
            if first == place and last <= end and first not in denials and not _is_subject(sentence, first, last):
                place, moved = skip_that(sentence, last) if (first, last) in asks else last, True
                break
    place = skip_that(sentence, place)
    return place if place < end else start


def skip_that(sentence: Sentence, place: int) -> int:
    """Behind "remember that", "merk dir, dass": what follows is the statement."""
    return place + 1 if place < len(sentence.words) and sentence.has_at(place, MARK + "that") else place


def _is_subject(sentence: Sentence, first: int, last: int) -> bool:
    return any(start >= first and end <= last for start, end in sentence.spans(MARK + "i", "me"))
