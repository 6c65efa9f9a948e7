"""What the person works with: "I'm on Arch", "my Django app", "typing this on a Fairphone 5"."""

from collections.abc import Iterator
from typing import Final

from memory.claims.claim import Claim
from memory.claims.presupposed.kinds import fold_apart, load_makes, load_phrases
from memory.claims.presupposed.phrases import OwnNoun, SpokenSentence
from memory.claims.presupposed.telling import claim_words
from memory.claims.presupposed.things import find_model_end

SYSTEMS: Final = frozenset({"system", "tool"})
DEVICES: Final = frozenset({"device"})
USES, HAS = "uses", "has"
# Words between "I'm on" and the name: "still", "the".
MOST_BETWEEN: Final = 2
# Words behind a noun among which stands what it is made with: "mi app de Django".
REACH: Final = 4


def tell_systems(sentence: SpokenSentence, place: int) -> Iterator[Claim]:
    """Of a clause that says by itself that the person uses one, or writes on one."""
    used, writes = find_said(sentence, "on a system", SYSTEMS), find_said(sentence, "typing on", DEVICES)
    if used is not None:
        yield claim_system(sentence, used, place)
    if writes is not None and is_make(sentence, writes):
        yield claim_system(sentence, writes, place, HAS)


def find_said(sentence: SpokenSentence, section: str, wanted: frozenset[str]) -> OwnNoun | None:
    """The noun of such a kind that stands right behind the words of a section."""
    found = load_phrases(sentence.language, section).search(fold_apart(sentence.raw))
    if found is None:
        return None
    start = next((at for at, one in enumerate(sentence.tokens) if one.end > found.start()), 0)
    begun = next((at for at, one in enumerate(sentence.tokens) if one.start >= found.end()), len(sentence.tokens))
    for at in range(begun, min(begun + MOST_BETWEEN + 1, len(sentence.tokens))):
        size, kinds = sentence.table.match(sentence.tokens, at, len(sentence.tokens))
        if size and not wanted.isdisjoint(kinds):
            return OwnNoun(kinds, start, at, at + size, at + size)
        if sentence.is_end(at) or sentence.says(at, "my"):
            return None
    return None


def is_make(sentence: SpokenSentence, noun: OwnNoun) -> bool:
    """A phone or computer by its make: "from the laptop" says nothing of whose it is."""
    return " ".join(one.plain for one in sentence.tokens[noun.first : noun.last]) in load_makes()


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


def claim_system(sentence: SpokenSentence, noun: OwnNoun, place: int, relation: str = USES) -> Claim:
    last = find_model_end(sentence, noun)
    return claim_words(sentence, relation, sentence.cut(noun.first, last), (noun.start, max(last, noun.end)), place)
