"""Keeps each meaning once among the results: a second memory that says the same wastes a place.

Pure. Two say the same when they have the same words, whatever their marks, capitals and articles, or tell the same
facts where the lower adds no word to the better; and never when they were said by two people.
"""

from collections.abc import Sequence
from functools import lru_cache
from uuid import UUID

from memory.language.analysis import extract_positioned_terms
from memory.language.exchanges import ASSISTANT_LINE, USER_LINE
from memory.language.folding import WORD, fold_text
from memory.retrieval.ranking import RankedCandidate

# Longer texts are compared as they stand: reading them costs more than a place is worth.
MOST_READ = 1_000
# Words of a reply that only takes note: "Noted, thank you!"
SHORTEST_REPLY = 4
# Of all words these alone tell nothing apart; "he", "not", "after" and a number do.
ARTICLES = frozenset(
    {"a", "an", "the", "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer"}
    | {"el", "la", "los", "las", "un", "una", "unos", "unas", "le", "les", "il", "lo", "gli", "o", "os", "um", "uma"}
)

# With those whose meaning it stands for.
DistinctCandidate = tuple[RankedCandidate, tuple[UUID, ...]]


def keep_distinct(ordered: Sequence[RankedCandidate], limit: int) -> list[DistinctCandidate]:
    """The best of each meaning, at most so many, each with those it stands for."""
    kept: list[tuple[RankedCandidate, list[UUID]]] = []
    for one in ordered:
        same = next((others for best, others in kept if is_duplicate(one, best)), None)
        if same is not None:
            same.append(one.candidate.memory.id)
        elif len(kept) == limit:
            break
        else:
            kept.append((one, []))
    return [(one, tuple(others)) for one, others in kept]


def is_duplicate(lower: RankedCandidate, better: RankedCandidate) -> bool:
    one, other = lower.candidate.memory, better.candidate.memory
    if one.speaker and other.speaker and one.speaker != other.speaker:
        return False
    if one.text == other.text:
        return True
    if max(len(one.text), len(other.text)) > MOST_READ:
        return False
    words = read_words(one.text)
    if words == read_words(other.text):
        return bool(words)
    # "I keep two goats" in the bank beside the turn that told it: the judge of pairs has said that it is one fact.
    # Stems last: to read them takes ten times what the words do, .7 of the .8 ms that a search spent here.
    is_same_fact = bool(lower.facts) and lower.facts == better.facts
    return is_same_fact and read_stems(one.text) <= read_stems(other.text)


@lru_cache(maxsize=4_096)
def read_words(text: str) -> tuple[str, ...]:
    """As they are written, in order, without articles."""
    return tuple(word for word in WORD.findall(fold_text(strip_roles(text))) if word not in ARTICLES)


@lru_cache(maxsize=4_096)
def read_stems(text: str) -> frozenset[str]:
    """Of the words that say something."""
    return frozenset(form for forms in extract_positioned_terms(strip_roles(text)) for form in forms)


def strip_roles(text: str) -> str:
    """What the person said of an exchange whose reply only takes note."""
    if not text.startswith(USER_LINE):
        return text
    said, mark, reply = text.removeprefix(USER_LINE).partition(ASSISTANT_LINE)
    return said if not mark or len(reply.split()) < SHORTEST_REPLY else f"{said}{reply}"
