"""Whether what somebody takes is a medicine: "I take the 38 bus" limits no dinner."""

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from memory.claims.claim import Claim
from memory.claims.health.named_doses import DOSE
from memory.claims.health.prescriptions import VITAMIN
from memory.claims.slots.matching import find_drug, load_small_words, load_words
from memory.claims.topics import KIND, find_topic_words
from memory.guard.spelling import fold_letters
from memory.language.loader import list_codes

MEDICATION: Final = f"{KIND}medication"
WORD: Final = re.compile(r"[^\W_]+")
# Names of one or two words, without an article, are a medicine's as often as not: "nehme Eliquis".
MOST_OF_NAME: Final = 2


def find_medicine(claim: Claim) -> str:
    """What of the words is the medicine; nothing where they are of something else.

    Known by a dose, by a word of medicine or by how drugs end; else a bare name of something that no topic knows.
    """
    words = claim.object.split()
    if VITAMIN.fullmatch(claim.object):
        return claim.object
    if drug := find_drug(claim.object):
        return drug
    is_told = DOSE.search(claim.statement) is not None or MEDICATION in find_topic_words(claim.statement).spans
    return claim.object if is_told or is_bare_name(claim, words) else ""


def is_bare_name(claim: Claim, words: Sequence[str]) -> bool:
    """ "Nehme Eliquis", "tomo Enalapril por la mañana"; neither "the tram" nor "two sugars"."""
    small = load_small_words(claim.lang)
    name = [*takewhile(lambda word: fold_letters(word) not in small, words)]
    if not 0 < len(name) <= MOST_OF_NAME or any(word.isdigit() for word in name):
        return False
    return not find_topic_words(" ".join(name)).topics and not follows_article(claim, fold_letters(name[0]))


def follows_article(claim: Claim, first: str) -> bool:
    """Whether an article or an owner stands before it: "the tram", "on my own"."""
    said = WORD.findall(fold_letters(claim.statement))
    before = said[said.index(first) - 1] if first in said and said.index(first) else ""
    return claim.lang in list_codes() and any(before in load_words(claim.lang, kind) for kind in ("article", "my"))
