"""With whom somebody shares a home, by their names: "wir wohnen zu dritt in einer WG mit Ole und Marie"."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from memory.claims.claim import Claim
from memory.claims.clauses.general import PLANNED, stands_apart
from memory.claims.dates.agenda import WORD, list_frame_words
from memory.claims.few_words.brief import BriefSentence
from memory.claims.few_words.names import names_another
from memory.claims.relations import ABOUT
from memory.claims.slots.matching import load_phrases, load_words
from memory.claims.slots.nouns import find_known_noun
from memory.guard.spelling import fold_letters
from memory.language.hebrew import HEBREW, HEBREW_AND
from memory.language.names import capitalises_nouns, load_given_names

ROOMMATE: Final = "roommate"
# What the readers of clauses make of the same words: "I live with" is no illness.
REPLACED: Final = frozenset({ABOUT, "has_condition", "dating"})


def add_flatmates(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    """The claims of a sentence with those who share the person's home."""
    if one.ends_asking or any(claim.relation == ROOMMATE for claim in claims):
        return claims
    if stands_apart(one.sentence, 0, len(one.sentence.words), *PLANNED):
        return claims
    for language in one.languages:
        if names := list(find_flatmates(one.raw, language)):
            kept = [claim for claim in claims if claim.relation not in REPLACED]
            return kept + [one.make_claim(ROOMMATE, name, language) for name in names]
    return claims


def find_flatmates(raw: str, language: str) -> Iterator[str]:
    """The names behind "with" behind a shared home, of a sentence that tells of nobody else before."""
    shared = load_phrases(language, "shares home").search(raw)
    if shared is None or names_another(raw[: shared.start()], language):
        return
    others = list_frame_words(language, "he", "she", "they") - list_frame_words(language, "i")
    if not others.isdisjoint(fold_letters(one[0]) for one in WORD.finditer(raw, 0, shared.start())):
        return
    words = list(WORD.finditer(raw, shared.end()))
    beside = load_words(language, "beside whom")
    at = next((at for at, word in enumerate(words) if fold_letters(word[0]) in beside), len(words))
    yield from list_names(words[at + 1 :], language)


def list_names(words: Sequence[re.Match[str]], language: str) -> Iterator[str]:
    """Names joined by "and": up to the first word that is none."""
    # "Com a Rita e o Pedro": Portuguese gives names an article.
    light = load_words(language, "joint") | list_frame_words(language, "conj", "the")
    for word in words:
        readings = (word[0], word[0].removeprefix(HEBREW_AND)) if language == HEBREW else (word[0],)
        if named := next((one for one in readings if is_name(one, language)), ""):
            yield named.casefold()
        elif fold_letters(word[0]) not in light:
            return


def is_name(spoken: str, language: str) -> bool:
    """A given name, or elsewhere than in German a capital: "in a house share with Kit"."""
    if fold_letters(spoken) in load_given_names():
        return True
    is_sure = language != HEBREW and not capitalises_nouns(language)
    return is_sure and spoken.istitle() and find_known_noun([spoken], language) is None
