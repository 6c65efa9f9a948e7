"""What somebody says beside what they ask, and of whom those words are. Pure."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memory.claims.judgement.telling import Passage, rate_telling
from memory.claims.lexicon import MARK, load_claim_words
from memory.guard.annotation import annotate_text
from memory.language import intents
from memory.language.folding import fold_text

READ: Final = 600
CLAUSE: Final = re.compile(r"(?<=[,;:])\s|\s[–—-]\s")
SENTENCE: Final = re.compile(r"(?<=[.!?\n])\s")
SCALE: Final = 4.0
# Kinds of words: of the person, of people whom it does not concern, and of what is only imagined or said by others.
OF_SELF: Final = frozenset({"me", MARK + "i", MARK + "my", MARK + "self"})
OF_STRANGERS: Final = frozenset({"stranger", *(f"{MARK}noun {who}" for who in ("neighbor", "friend", "colleague"))})
IMAGINED: Final = frozenset({"someone says", "asked", "wish", "if i", "suppose"})
# What somebody else says may still be so: "the doctor said to go down to 10" is told as a change of the dose.
SUPPOSED: Final = frozenset({"wish", "if i", "suppose"})
# How likely a clause that opens like a question, in a sentence without its mark, must tell something to be none:
# Spanish "que" and "qué" are one word where nobody writes accents.
TOLD_LEAST: Final = 0.5
# Of how likely a statement tells the person's life, so that none is ever certain.
LEAST_TELLING: Final = 0.001


@dataclass(frozen=True, slots=True)
class ToldVoice:
    """Of whom the words of a statement are: their kinds, and how likely they tell the person's life, as a logit."""

    kinds: frozenset[str]
    telling: float


@lru_cache(maxsize=8192)
def hear_voice(text: str) -> ToldVoice:
    sentences = annotate_text(text, load_claim_words()).own_sentences
    chance = min(1 - LEAST_TELLING, max(LEAST_TELLING, rate_telling(Passage(tuple(sentences)))))
    kinds = frozenset(kind for sentence in sentences for kind in sentence.spans_by_kind)
    return ToldVoice(kinds, math.log(chance / (1 - chance)) / SCALE)


@lru_cache(maxsize=8192)
def cut_questions(text: str) -> str:
    """What a turn says beside what it asks: of "on 5 mg now, is a cough normal?" the first half."""
    kept = []
    for sentence in SENTENCE.split(text[:READ]):
        clauses = CLAUSE.split(sentence.strip())
        is_marked = sentence.rstrip().endswith("?")
        asking = (at for at in range(len(clauses)) if asks_something(clauses[at:], is_certain=at == 0 or is_marked))
        first = next(asking, len(clauses) - is_marked)
        kept += clauses[:first]
    return " ".join(kept).strip()


def asks_something(clauses: Sequence[str], *, is_certain: bool) -> bool:
    """Whether the first of these clauses, with which a sentence ends, opens a question."""
    if intents.OPENS_ASKING.search(fold_text(clauses[0])) is None:
        return False
    sentences = annotate_text(" ".join(clauses), load_claim_words()).own_sentences
    return is_certain or rate_telling(Passage(tuple(sentences))) < TOLD_LEAST
