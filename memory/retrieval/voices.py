"""Turns whose words about the person are somebody else's: a text to translate, a part played, a client's mail.

"I'm allergic to latex" in a text to translate answers "what am I allergic to?" better than anything the person says of
it in passing, and it is not theirs. Of a question about the person, such a turn stands below what they say themselves.
"""

from collections.abc import Sequence
from typing import Final

from memory.claims.claim import SPEAKER
from memory.claims.questions import read_question
from memory.claims.voices.own_words import READ, count_self, keep_own_words
from memory.language.analysis import extract_terms
from memory.language.exchanges import take_question
from memory.retrieval.pool import CandidateMemory
from memory.retrieval.query import Query
from memory.retrieval.ranking import RankedCandidate, move
from memory.retrieval.results import OTHER_VOICE

# The best that are looked at: an answer in a small store has five to eight places, and each takes a millisecond to read
# the first time.
LOOKED_AT: Final = 12
# Of the sum of a score: how far below the lowest of the person's own such a turn stands at least.
STEP: Final = 1.0
# Of the letters of a turn that shares no word with the question: with fewer of its own it is somebody else's.
OWN_SHARE: Final = 0.5


def lower_other_voices(query: Query, ranked: Sequence[RankedCandidate]) -> list[RankedCandidate]:
    """Those of the best whose words are somebody else's, each moved by a share under the reason's name.

    They keep their order among themselves.
    """
    if query.asks_assistant or not is_about_person(query):
        return []
    best = [one for one in sorted(ranked, key=lambda one: -one.total)[:LOOKED_AT] if is_turn(one.candidate.memory)]
    others = [one for one in best if speaks_otherwise(one.candidate.memory.text, query.words)]
    if not others:
        return []
    own = [one.total for one in best if one not in others and any(one.candidate.memory.holds)]
    drop = max(STEP, max(one.total for one in others) - min(own, default=0.0) + STEP) if own else STEP
    for one in others:
        move(one, one.total - drop, OTHER_VOICE)
    return others


def is_about_person(query: Query) -> bool:
    return query.is_about_me or SPEAKER in read_question(query.text).subjects


def is_turn(memory: CandidateMemory) -> bool:
    """Whether somebody but the assistant said it in a conversation. What the product publishes is the person's."""
    is_said = bool(memory.thread_id) and not memory.is_reply
    return is_said and not memory.is_statement and not memory.is_published


def speaks_otherwise(text: str, words: Sequence[tuple[str, ...]]) -> bool:
    """Whether the words of the question stand in it only where somebody else speaks; where it has none of them,
    whether most of it is somebody else's, or all in it that says "I"."""
    said = take_question(text)[:READ]
    own = keep_own_words(said)
    if len(own.split()) >= len(said.split()):
        return False
    held = find_held(words, said)
    if held:
        return not held & find_held(words, own)
    is_silent = len(own.split()) < len(said.split()) and not count_self(own) and count_self(said) > 0
    return is_silent or len(own) < OWN_SHARE * len(said)


def find_held(words: Sequence[tuple[str, ...]], text: str) -> set[int]:
    terms = set(extract_terms(text)) if text.strip() else set()
    return {place for place, forms in enumerate(words) if not terms.isdisjoint(forms)}
