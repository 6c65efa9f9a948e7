"""Which clauses of a sentence make one statement: those that open it, and what is added to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from memory.claims.clauses.cutting import ClauseOpening, ClauseTokens, find_heads
from memory.claims.clauses.openings import find_opening
from memory.claims.lexicon import MARK
from memory.claims.subjects import NOUNS
from memory.guard.annotation import AnnotatedText, Sentence, Span
from memory.language.loader import list_codes, read_entries

# Words behind the last comma of a question that make it one of its own: "..., right?" asks about the statement.
SHORTEST_TAIL: Final = 3
# A noun with its owner and adjectives, standing alone between two marks.
LONGEST_ASIDE: Final = 4
WISHED: Final = ("would", MARK + "plan")


@dataclass(frozen=True, slots=True)
class ClauseGroup:
    """Clauses that make one statement: those that open it, and what is added to them."""

    start: int
    end: int
    openings: tuple[ClauseOpening, ...]


def group_clauses(
    sentence: Sentence, tokens: ClauseTokens, whole: AnnotatedText, mentions: frozenset[str]
) -> list[ClauseGroup]:
    segments = list(tokens.segments)
    if sentence.is_question:
        if len(segments) < 2 or is_tag(sentence, segments[-1][0][0], segments[-1][-1][1]):
            return []
        segments.pop()
    drops = bool(whole.languages and whole.languages & load_dropping_languages())
    is_greeting = any(one.has("greeting") for one in whole.own_sentences[:2])
    groups: list[ClauseGroup] = []
    is_open = False
    for segment in join_asides(sentence, segments):
        for start, end in segment:
            head = find_heads(sentence, start, end)
            opening = find_opening(sentence, start, end, head, mentions, drops_subjects=drops, is_greeting=is_greeting)
            # A name ends where the next clause begins: "ich heiße Torben und wohne in Oldenburg".
            is_behind_name = is_open and groups[-1].openings[0].relation == "name"
            if opening is None or not (opening.is_explicit or not is_open or is_behind_name):
                is_anew = start == segment[0][0] and starts_anew(sentence, start, end)
                if is_open and not (is_anew or is_wished(sentence, start, end)):
                    last = groups[-1]
                    more = (opening,) if opening is not None else ()
                    groups[-1] = ClauseGroup(last.start, end, (*last.openings, *more))
                else:
                    is_open = opening is not None
                    if opening is not None:
                        groups.append(ClauseGroup(start, end, (opening,)))
                continue
            groups.append(ClauseGroup(start, end, (opening,)))
            is_open = True
    return groups


def is_tag(sentence: Sentence, start: int, end: int) -> bool:
    """Whether the end of a question asks about the statement before it: "I'm allergic to nuts, right?"."""
    return end - start < SHORTEST_TAIL and sentence.has_at(start, MARK + "tag")


def join_asides(sentence: Sentence, segments: Sequence[tuple[Span, ...]]) -> list[tuple[Span, ...]]:
    """A noun that stands alone before a mark belongs to what follows: "My dad, who's eighty-one, still runs"."""
    found: list[tuple[Span, ...]] = []
    held: int | None = None
    for segment in segments:
        start, end = segment[0][0], segment[-1][1]
        if held is None and len(segment) == 1 and is_bare_noun(sentence, start, end):
            held = start
            found.append(segment)
        elif held is not None:
            found[-1] = ((held, end),)
            held = None
        else:
            found.append(segment)
    return found


def is_bare_noun(sentence: Sentence, start: int, end: int) -> bool:
    head = find_heads(sentence, start, end)
    if end - head > LONGEST_ASIDE or not sentence.has_at(head, MARK + "my", MARK + "the"):
        return False
    return any(head < at and after in {end - 1, end} for at, after in sentence.spans(NOUNS))


def is_wished(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a clause tells what somebody would like or has in mind: "I have two dogs and would love a third"."""
    return any(start <= at < end for at, _ in sentence.spans(*WISHED))


def find_wish(sentence: Sentence, tokens: ClauseTokens) -> int:
    """Where the first clause of a wish begins that stands behind another; the end of the sentence where none does."""
    clauses = [clause for segment in tokens.segments for clause in segment]
    return next((start for start, end in clauses[1:] if is_wished(sentence, start, end)), len(sentence.words))


def starts_anew(sentence: Sentence, start: int, end: int) -> bool:
    """Whether what follows a statement is no part of it: a request, or what the person asks for."""
    return any(start <= at < end for at, _ in sentence.spans("request", "you", "cut", MARK + "remember"))


@cache
def load_dropping_languages() -> frozenset[str]:
    """Languages whose verbs need no pronoun: "vivo en" names its subject."""
    return frozenset(code for code in list_codes() if read_entries(code, "claims", "drop"))
