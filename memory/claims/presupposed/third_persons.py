"""What a question says of somebody beside it: "for my son who's allergic to nuts", "a mio figlio celiaco"."""

from collections.abc import Iterator
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.presupposed.kinds import CONDITION, DRUG
from memory.claims.presupposed.phrases import OWNER_OF, OwnNoun, SpokenSentence
from memory.claims.presupposed.telling import claim_words
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import load_words
from memory.claims.slots.resolution import read_slots
from memory.claims.slots.states import STATES

LASTING: Final = frozenset(
    {"allergic_to", "intolerant_to", "has_condition", "diet", "takes", "lives_in", "works_at", "works_as", "likes"}
    | {"dislikes", "studies", "school", "speaks", "born_in", "religion", "plays", "hobby"}
)
THEIRS: Final = {CONDITION: "has_condition", DRUG: "takes", "event": ABOUT}
LONGEST_STATE: Final = 3
MOST_WORDS: Final = 16


def tell_third(sentence: SpokenSentence, noun: OwnNoun, subject: str, end: int, place: int) -> Iterator[Claim]:
    """``end`` is where the words end that name somebody, who is called ``subject``."""
    yield from tell_states(sentence, noun, subject, end, place)
    yield from tell_theirs(sentence, noun, subject, place)
    begun = find_clause(sentence, end)
    if begun is None:
        return
    stop = next((at for at in range(begun, len(sentence.tokens)) if sentence.is_end(at)), len(sentence.tokens))
    if not 1 < stop - begun <= MOST_WORDS:
        return
    # As a sentence of its own: "my son is allergic to nuts".
    said = f"{sentence.cut(noun.start, noun.end)} {sentence.cut(begun, stop)}"
    for slot in read_slots(said, frozenset({sentence.language}), ()):
        if slot.subject != SPEAKER and slot.relation in LASTING and not (slot.is_over or slot.is_denied):
            yield claim_words(sentence, slot.relation, slot.object, (noun.start, stop), place, subject)


def find_clause(sentence: SpokenSentence, end: int) -> int | None:
    """Where a clause goes on about whoever was named, behind "who" or ", she"."""
    at = end + (end < len(sentence.tokens) and sentence.tokens[end].text in {",", "("})
    is_apart = at > end
    if at + 1 >= len(sentence.tokens):
        return None
    if sentence.says(at, "rel") and (
        is_apart or sentence.says(at + 1, "have 3", "be 3", "verb", "frame", "not", "clitic")
    ):
        return at + 1
    return at + 1 if is_apart and sentence.says(at, "he", "she") and not sentence.says(at + 1, "wh") else None


def tell_states(sentence: SpokenSentence, noun: OwnNoun, subject: str, end: int, place: int) -> Iterator[Claim]:
    """ "My diabetic husband", "a mio figlio celiaco"."""
    beside = [*range(noun.start + 1, noun.first), *range(end, min(end + 1, len(sentence.tokens)))]
    for relation, section in STATES:
        known = load_words(sentence.language, section)
        for at in beside:
            if sentence.tokens[at].plain in known:
                span = (noun.start, max(end, at + 1))
                yield claim_words(sentence, relation, sentence.cut(at, at + 1), span, place, subject)
                return


def tell_theirs(sentence: SpokenSentence, noun: OwnNoun, subject: str, place: int) -> Iterator[Claim]:
    """ "My dad's Parkinson's", "el asma de mi hijo", "die Neurodermitis meiner Tochter"."""
    spans = (
        [(noun.end + 1, noun.start, 0)] if sentence.says(noun.end, "genitive") or is_clipped(sentence, noun.end) else []
    )
    before = noun.start - sentence.says(noun.start - 1, "det")
    is_owned = sentence.language == "de" or sentence.says(before - 1, "of")
    last = before if sentence.language == "de" else before - 1
    spans += [(at, at, noun.end) for at in range(max(0, last - LONGEST_STATE), last)] if is_owned else []
    for at, start, end in spans:
        size, kinds = sentence.table.match(sentence.tokens, at, len(sentence.tokens))
        if size and kinds[0] in THEIRS and (not end or at + size == last):
            span = (min(start, noun.start), max(at + size, end))
            yield claim_words(sentence, THEIRS[kinds[0]], sentence.cut(at, at + size), span, place, subject)
            return


def is_clipped(sentence: SpokenSentence, at: int) -> bool:
    return at < len(sentence.tokens) and sentence.tokens[at].text == OWNER_OF
