"""What the person works with: "I'm on Arch", "my Django app", "en el curro seguimos con python 3.9"."""

from collections.abc import Iterator
from typing import Final

from memory.claims.claim import Claim
from memory.claims.presupposed.kinds import fold_apart, load_phrases
from memory.claims.presupposed.phrases import OwnNoun, SpokenSentence
from memory.claims.presupposed.telling import claim_words
from memory.claims.presupposed.things import find_model_end

SYSTEMS: Final = frozenset({"system", "tool"})
USES: Final = "uses"
# Words between "I'm on" and the name: "still", "the".
MOST_BETWEEN: Final = 2
# Words behind a noun among which stands what it is made with: "mi app de Django".
REACH: Final = 4


def tell_systems(sentence: SpokenSentence, place: int) -> Iterator[Claim]:
    """Of a clause that says by itself that the person uses one."""
    found = load_phrases(sentence.language, "on a system").search(fold_apart(sentence.raw))
    if found is None:
        return
    start = next((at for at, one in enumerate(sentence.tokens) if one.end > found.start()), 0)
    begun = next((at for at, one in enumerate(sentence.tokens) if one.start >= found.end()), len(sentence.tokens))
    for at in range(begun, min(begun + MOST_BETWEEN + 1, len(sentence.tokens))):
        size, kinds = sentence.table.match(sentence.tokens, at, len(sentence.tokens))
        if size and not SYSTEMS.isdisjoint(kinds):
            yield claim_system(sentence, OwnNoun(kinds, start, at, at + size, at + size), place)
            return
        if sentence.is_end(at) or sentence.says(at, "my"):
            return


def tell_made_with(sentence: SpokenSentence, noun: OwnNoun, place: int) -> Iterator[Claim]:
    """ "My Django app", "mon site WordPress": the app itself says nothing of the person."""
    inside = (*range(noun.start + 1, noun.first), *range(noun.last, min(noun.last + REACH, len(sentence.tokens))))
    for at in inside:
        if sentence.is_end(at):
            return
        size, kinds = sentence.table.match(sentence.tokens, at, len(sentence.tokens))
        if size and not SYSTEMS.isdisjoint(kinds):
            made = OwnNoun(kinds, noun.start, at, at + size, max(noun.end, at + size))
            yield claim_system(sentence, made, place)
            return
        if sentence.says(at, "verb", "frame", "conj", "not"):
            return


def claim_system(sentence: SpokenSentence, noun: OwnNoun, place: int) -> Claim:
    last = find_model_end(sentence, noun)
    return claim_words(sentence, USES, sentence.cut(noun.first, last), (noun.start, max(last, noun.end)), place)
