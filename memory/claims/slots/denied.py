"""Values that begin with their denial: "wir haben keinen Hund", "j'ai pas de voiture"."""

import re
from dataclasses import replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.relations import ABOUT, REQUEST
from memory.claims.slots.matching import load_small_words, load_words
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
