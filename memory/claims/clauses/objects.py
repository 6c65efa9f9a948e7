"""Where the object of a claim ends, and its time."""

from typing import Final

from memory.claims.lexicon import MARK
from memory.guard.annotation import Sentence
from memory.language.loader import collect_entries

ARTICLES: Final = frozenset(word for kind in ("the", "my", "article") for word in collect_entries("claims", kind))
# An object is a phrase; what goes on longer is a clause of its own.
MOST_WORDS: Final = 8


def find_object(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    """The words of the object from a place on: behind articles, up to a mark, a joint or a word of time."""
    while start < end and sentence.words[start] in ARTICLES and start + 1 < end:
        start += 1
    if sentence.has_at(start, MARK + "joint"):
        # "I don't have a car so walking distance only".
        return start, start
    stops = [at for at, _ in sentence.spans(MARK + "time") if at > start]
    stops += [at for at in sentence.breaks if at > start and not is_within_clock(sentence, at)]
    # "From Cork and I'm 34", "aus Ulm und 34": what is joined tells something else.
    stops += [at for at, after in sentence.spans(MARK + "joint") if at > start and begins_another(sentence, after)]
    return start, min([end, start + MOST_WORDS, *stops])


def is_within_clock(sentence: Sentence, place: int) -> bool:
    """ "At 5:30": the mark between two numbers ends nothing."""
    words = sentence.words[max(0, place - 2) : place + 2]
    at = words.index(":") if ":" in words else 0
    return 0 < at < len(words) - 1 and words[at - 1].isdigit() and words[at + 1].isdigit()


def begins_another(sentence: Sentence, place: int) -> bool:
    is_number = place < len(sentence.words) and sentence.words[place].isdigit()
    return is_number or sentence.has_at(place, MARK + "i", MARK + "i am")


def find_object_before(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    """The same for an object that stands before its phrase: "penicillin brings me out in hives"."""
    while start < end and sentence.words[start] in ARTICLES and start + 1 < end:
        start += 1
    return max(start, end - MOST_WORDS), end


def find_time(sentence: Sentence, start: int, end: int) -> tuple[int, int] | None:
    """Since when, or when: from a word of time that a year, a number or a calendar word follows."""
    for at, after in sentence.spans(MARK + "time"):
        if start <= at and after < end and (sentence.words[after][0].isdigit() or sentence.has(MARK + "calendar")):
            return at, min(end, after + 3)
    return None
