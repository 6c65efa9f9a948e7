"""Values whose denial stands before or behind them: "wir haben keinen Hund", "la cardioaspirina no"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.clauses.cutting import ClauseTokens
from memory.claims.lexicon import MARK
from memory.claims.relations import ABOUT, REQUEST
from memory.claims.slots.matching import SlotMatch, load_small_words, load_words
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters

WORD: Final = re.compile(r"[^\W_]+")
# Whose values are in the person's own words.
WORDED: Final = frozenset({ABOUT, REQUEST, "style", "goal", "time"})


def settle_denied(claim: Claim) -> Claim:
    """The claim of what stands behind the denial, which it denies: "no car" was had for a car of that name."""
    words = list(WORD.finditer(claim.object))
    language = claim.lang or "en"
    if claim.relation in WORDED or not words or fold_letters(words[0][0]) not in load_words(language, "denial"):
        return claim
    # "No longer any car", "pas de voiture".
    rest = [one for one in words[1:] if fold_letters(one[0]) not in load_small_words(language)]
    return replace(claim, object=claim.object[rest[0].start() :], polarity=False) if rest else claim


def deny_behind(slots: Sequence[SlotMatch], sentence: Sentence, tokens: ClauseTokens) -> list[SlotMatch]:
    """With what a bare "no" behind it denies: "prendo il Coumadin, la cardioaspirina no", "Käse ja, Eier nicht"."""
    if sentence.is_question:
        return list(slots)
    ends = {segment[-1][1] for segment in tokens.segments}
    denied = {at for at, after in sentence.spans(MARK + "not") if after in ends and at + 1 == after}
    return [
        replace(slot, is_denied=True) if tokens.count_before(slot.object_span[1]) in denied else slot for slot in slots
    ]
