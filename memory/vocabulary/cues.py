"""What a message says of its own kind: complains, agrees, asks again, plans. Pure; words in each language's
`labels.txt`, what somebody does with a turn by the classifier that the hot path reads."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from memory.claims.frames.triples import Intent
from memory.claims.topics import LANGUAGE, find_spoken, read_small_words
from memory.claims.turns import read_turn
from memory.guard.annotation import find_entries
from memory.guard.lexicon import WORD, Lexicon, read_subject_entries
from memory.guard.spelling import normalise_text
from memory.vocabulary.matching import LEAST_VOTES, READ_CHARS, SHARE, SUBJECT
from memory.vocabulary.terms import ControlledVocabulary, Term, TermKind

STRONG_FEELING: Final = "strong feeling"
SHOUTED: Final = re.compile(r"!{2,}|\b[A-ZÀ-Þ]{4,}\b")
# A cue is evidence in the text, an intent what kind of sentence it is: the one outweighs the other.
CUE_WEIGHT: Final = 2.0
INTENT_WEIGHT: Final = 1.5
TOPIC_WEIGHT: Final = 1.0


@dataclass(frozen=True, slots=True)
class MessageCues:
    cues: frozenset[str]
    intent: Intent
    relations: frozenset[str]


@cache
def load_cues() -> Lexicon:
    return Lexicon(read_small_words(), read_subject_entries(SUBJECT))


@lru_cache(maxsize=4096)
def read_cues(text: str) -> MessageCues:
    read = text[:READ_CHARS]
    entries = find_entries(tuple(WORD.findall(normalise_text(read).casefold())), load_cues())
    spoken = find_spoken(entries, SHARE, LEAST_VOTES)
    cues = {kind for kind, language, _ in entries if kind != LANGUAGE and (spoken is None or language in spoken)}
    if SHOUTED.search(read):
        cues.add(STRONG_FEELING)
    reading = read_turn(read)
    return MessageCues(frozenset(cues), reading.intent, frozenset(one.relation for one in reading.triples))


def rate_term(term: Term, said: MessageCues, topics: frozenset[str]) -> float:
    """What speaks for one category or kind of message; 0 for nothing."""
    return (
        CUE_WEIGHT * any(cue in said.cues for cue in term.cues)
        + CUE_WEIGHT * any(relation in said.relations for relation in term.relations)
        + INTENT_WEIGHT * (said.intent in term.intents)
        + TOPIC_WEIGHT * any(topic in topics for topic in term.topics)
    )


def choose_term(vocabulary: ControlledVocabulary, kind: TermKind, said: MessageCues, topics: frozenset[str]) -> str:
    """The term most speaks for, of equal ones the first; the one for everything else where nothing does."""
    rated = [(rate_term(term, said, topics), term.name) for term in vocabulary.by_kind[kind]]
    best = max((rate for rate, _ in rated), default=0.0)
    return next(name for rate, name in rated if rate == best) if best > 0 else vocabulary.find_fallback(kind)
