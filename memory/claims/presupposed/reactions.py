"""What somebody close cannot eat, of a request for something without it: "no egg, my nephew's allergic"."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.clauses.building import write_sentence
from memory.claims.presupposed.kinds import SUBJECT, fold_apart, load_phrases
from memory.claims.presupposed.phrases import OwnNoun, SpokenSentence
from memory.guard.spelling import fold_letters
from memory.language.loader import read_entries

ALLERGY: Final = "allergic_to"
# Characters of a request up to which both of its halves are one.
LONGEST: Final = 200
SHORTEST_WORD: Final = 3


def tell_reaction(text: str, sentence: SpokenSentence, noun: OwnNoun, subject: str, place: int) -> Iterator[Claim]:
    """``text`` is the whole turn: what is left out may stand in the sentence before."""
    end = sentence.tokens[noun.end - 1].end
    behind = fold_apart(sentence.raw[end:])
    reacts = load_phrases(sentence.language, "bare reaction").search(behind)
    if reacts is None or len(text) > LONGEST or names_cause(sentence, end + reacts.end()):
        return
    before = text[: place + sentence.tokens[noun.start].start]
    found = load_without(sentence.language).search(fold_apart(before))
    if found is None:
        return
    spoken, stop = before[slice(*found.span(1))], place + end + reacts.end()
    said = " ".join(text[:stop].split())
    yield Claim(
        subject.casefold(),
        ALLERGY,
        spoken.casefold(),
        write_sentence(said),
        (0, stop),
        lang=sentence.language,
        is_sure=True,
    )


def names_cause(sentence: SpokenSentence, place: int) -> bool:
    """ "Allergic to nuts" says itself what to."""
    behind = next((one for one in sentence.tokens if one.start >= place), None)
    return behind is not None and behind.has("prep")


@cache
def load_without(language: str) -> re.Pattern[str]:
    words = "|".join(re.escape(fold_letters(one)) for one in read_entries(language, SUBJECT, "without"))
    return re.compile(rf"(?<!\w)(?:{words or '(?!)'})\s([^\W\d_]{{{SHORTEST_WORD},30}})")
