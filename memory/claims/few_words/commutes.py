"""How somebody goes to work: "I cycle to work", "zur Arbeit fahre ich jetzt mit dem Rad", "j'y vais en vélo"."""

from collections.abc import Sequence
from typing import Final

from memory.claims.claim import Claim
from memory.claims.clauses.general import PLANNED
from memory.claims.dates.agenda import WORD, list_frame_words
from memory.claims.few_words.brief import BriefSentence
from memory.claims.few_words.names import names_another
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import load_phrases, load_words
from memory.guard.annotation import Sentence
from memory.guard.spelling import fold_letters

ROUTINE: Final = "routine"
# What the readers of clauses make of the same words: "voy al trabajo en bici" names no employer.
REPLACED: Final = frozenset({ABOUT, ROUTINE, "hobby", "works_at", "works_as", "car", "takes", "owns"})
# What is told besides.
LONGEST: Final = 14


def add_commute(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence with how the person goes to work."""
    if one.ends_asking or any(claim.relation not in REPLACED for claim in claims):
        return claims
    for language in one.languages:
        if (means := find_means(one.raw, language)) and not is_planned(one.sentence, language):
            return [one.make_claim(ROUTINE, means, language)]
    return claims


def is_planned(sentence: Sentence, language: str) -> bool:
    """ "I want to cycle to work"; "je vais au travail à vélo" is no plan, though "je vais" begins one."""
    spans = (span for kind in PLANNED for span in sentence.spans(kind))
    travels = load_words(language, "travels")
    return any(travels.isdisjoint(map(fold_letters, sentence.words[at:end])) for at, end in spans)


def find_means(raw: str, language: str) -> str:
    """By what somebody goes, where the words say that it is to work or every day; else empty."""
    words = [fold_letters(one[0]) for one in WORD.finditer(raw)]
    is_of_others = not list_frame_words(language, "he", "she", "they").isdisjoint(words)
    is_denied = not (load_words(language, "denial") | load_words(language, "ended")).isdisjoint(words)
    if len(words) > LONGEST or is_of_others or is_denied or names_another(raw, language):
        return ""
    to_work, daily = (load_phrases(language, one).search(raw) for one in ("to work", "every day"))
    travels = load_phrases(language, "travels").search(raw)
    by_itself = load_phrases(language, "travels as").search(raw)
    means = load_phrases(language, "travels by").search(raw)
    if by_itself is not None and to_work is not None and means is None:
        return by_itself[0].casefold()
    is_ride = means is not None and travels is not None and (to_work is not None or daily is not None)
    return means[0].casefold() if means is not None and is_ride else ""
