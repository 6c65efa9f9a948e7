"""Values whose denial stands before or behind them: "wir haben keinen Hund", "la cardioaspirina no"."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.clauses.cutting import ClauseTokens
from memory.claims.frames.words import load_hot_words
from memory.claims.lexicon import MARK
from memory.claims.relations import ABOUT, REQUEST
from memory.claims.slots.matching import SlotMatch, load_small_words, load_words
from memory.claims.slots.nouns import find_known_noun, is_person_or_animal
from memory.claims.slots.states import ALLERGIES
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters

WORD: Final = re.compile(r"[^\W_]+")
# Whose values are in the person's own words.
WORDED: Final = frozenset({ABOUT, REQUEST, "style", "goal", "time"})
# What is read of a denial that names nothing.
HAVING_NOTHING: Final = frozenset({"has", "is", "owns"})
# Words that may stand before what somebody has not.
OF_LACKING: Final = frozenset({"not", "lack", "have 1", "i", "to me", "det"})
HAVING: Final = frozenset({"lack", "have 1"})
LEAST_LACKED: Final = 2
# Of "Geschwister habe ich keine".
WORDS_OF_INVERSION: Final = 4


def settle_denied(claim: Claim) -> Claim:
    """The claim of what stands behind the denial, which it denies: "no car" was had for a car of that name."""
    words = list(WORD.finditer(claim.object))
    language = claim.lang or "en"
    if claim.relation in ALLERGIES and fold_letters(claim.object) in load_words(language, "bears all"):
        # "Ich bin gegen nichts allergisch", "I'm not allergic to anything".
        return replace(claim, object="", polarity=False)
    if claim.relation in WORDED or not words or fold_letters(words[0][0]) not in load_words(language, "denial"):
        return claim
    # "No longer any car", "pas de voiture".
    rest = [one for one in words[1:] if fold_letters(one[0]) not in load_small_words(language)]
    return replace(claim, object=claim.object[rest[0].start() :], polarity=False) if rest else claim


def name_lacked(claim: Claim) -> Claim:
    """ "Non ho figli", "I have no kids": what somebody has not, by its noun, where nothing else is said."""
    if not is_lack_unread(claim):
        return claim
    language = claim.lang or "en"
    spoken = [word.casefold() for word in WORD.findall(claim.statement)]
    if len(spoken) == WORDS_OF_INVERSION and fold_letters(spoken[-1]) in load_words(language, "denial"):
        # "Geschwister habe ich keine".
        spoken = [*spoken[1:], spoken[0]]
    small = load_small_words(language)
    while len(spoken) > LEAST_LACKED and fold_letters(spoken[-1]) in small:
        spoken.pop()
    *before, noun = spoken or [""]
    known = find_known_noun([fold_letters(noun)], language)
    if known is None or not tells_lack(list(map(fold_letters, before)), language):
        return claim
    is_sure = claim.is_sure or is_person_or_animal(known[1])
    return replace(claim, relation="has", object=noun, polarity=False, is_sure=is_sure)


def is_lack_unread(claim: Claim) -> bool:
    """Whether a denial of the person's own was read as of nothing that is named, or as what is eaten."""
    if claim.subject != SPEAKER or claim.tense != "present":
        return False
    if claim.relation == ABOUT or (claim.relation in HAVING_NOTHING and not claim.object):
        return True
    return claim.relation in {"has", "diet"} and not claim.polarity


def tells_lack(before: Sequence[str], language: str) -> bool:
    """Whether folded words say only that somebody has none of what follows: "we have no", "אין לי"."""
    kinds = [load_hot_words(language).classify(word) for word in before]
    said, small = f" {' '.join(before)} ", load_small_words(language)
    is_denied = any("not" in kind for kind in kinds) or any(
        f" {one} " in said for one in load_words(language, "denial")
    )
    is_bare = all(word in small or kind & OF_LACKING for word, kind in zip(before, kinds, strict=True))
    return is_denied and is_bare and any(kind & HAVING for kind in kinds)


def deny_behind(slots: Sequence[SlotMatch], sentence: Sentence, tokens: ClauseTokens) -> list[SlotMatch]:
    """With what a bare "no" behind it denies: "prendo il Coumadin, la cardioaspirina no", "Käse ja, Eier nicht"."""
    if sentence.is_question:
        return list(slots)
    ends = {segment[-1][1] for segment in tokens.segments}
    denied = {at for at, after in sentence.spans(MARK + "not") if after in ends and at + 1 == after}
    return [
        replace(slot, is_denied=True) if tokens.count_before(slot.object_span[1]) in denied else slot for slot in slots
    ]
