"""Where somebody is from, and under which sign they were born: "I'm Filipino", "raised in Peckham", "soy piscis"."""

import re
from dataclasses import replace
from typing import Final

from memory.claims.claim import SPEAKER, Claim
from memory.claims.frames.places import is_known_place
from memory.claims.frames.words import load_hot_words
from memory.claims.relations import free_claim
from memory.claims.slots.matching import load_words
from memory.claims.slots.spoken import cut_before, list_before, load_being
from memory.claims.taxonomy import PEOPLE
from memory.guard.spelling import fold_letters
from memory.language.folding import fold_name
from memory.language.hebrew import HEBREW
from memory.language.names import load_possible_names

WORD: Final = re.compile(r"[^\W_]+")
# Relations as which "I'm Filipino", "my wife is Thai", "soy peruana" and "tengo nacionalidad española" are read.
BEING: Final = frozenset({"is", "has", "name", "works_as", "married_to", "from"})
MOST_BETWEEN: Final = 3
YEAR: Final = re.compile(r"(?:18|19|20)\d\d")


def settle_origin(claim: Claim) -> Claim:
    """Of 455 plain messages two called somebody Filipino or married to one, and three were born in a year."""
    if claim.relation == "born_in":
        return settle_birth(claim)
    if claim.relation not in BEING or not claim.object:
        return claim
    words = [fold_letters(word) for word in WORD.findall(claim.object)]
    language = claim.lang or "en"
    if words and words[-1] in load_words(language, "star sign word") and claim.subject == SPEAKER:
        # "Sono di Leone" is a place as often.
        return claim if claim.relation == "from" else replace(claim, relation="star_sign", object=words[-1])
    if not words or " ".join(words) not in load_words(language, "nationality word"):
        return claim
    if claim.relation == "married_to":
        # Whose nationality it is stands before it: "my wife is Thai", but not "my friend is married to a Thai".
        before = list_before(claim)
        if not before or before[-1] not in load_being(language, "be 3"):
            return claim
        nouns = load_hot_words(language).nouns
        whose = next((word for word in reversed(before) if nouns.get(word) in PEOPLE), "")
        return replace(claim, subject=whose, relation="nationality") if whose else free_claim(claim)
    return replace(claim, relation="nationality")


def settle_birth(claim: Claim) -> Claim:
    """A year is no place, and where somebody grew up is not where they were born."""
    if YEAR.fullmatch(claim.object):
        return free_claim(claim)
    before = list_before(claim)[-MOST_BETWEEN:]
    # "In Celle aufgewachsen", but not "born in Lagos, raised in Peckham".
    end = claim.statement.casefold().find(claim.object) + len(claim.object)
    behind = re.match(r" ([^\W\d_]+)", fold_letters(claim.statement[end:]))
    if load_words(claim.lang or "en", "grew up").isdisjoint([*before, behind[1] if behind else ""]):
        return claim
    return replace(claim, relation="from", object=drop_preposition(claim))


def drop_preposition(claim: Claim) -> str:
    first, _, rest = claim.object.partition(" ")
    return rest if rest and first in load_words(claim.lang or "en", "in place") else claim.object


def is_place_of_wedding(claim: Claim) -> bool:
    """ "Ci siamo sposati a Matera", "התחתנו בקפריסין": nobody is married to a town."""
    if claim.relation != "married_to" or not claim.object:
        return False
    is_name = fold_name(claim.object.split()[0]) in load_possible_names()
    if is_known_place(claim.object.split()[-1]) and not is_name:
        return True
    # "Mariée à Inès".
    language = claim.lang or "en"
    places = load_words(language, "in place") - load_words(language, "married to whom")
    before = WORD.findall(fold_letters(f"{cut_before(claim)} {claim.object.split()[0]}"))[-2:]
    # Hebrew writes the preposition onto the place.
    is_prefixed = language == HEBREW and claim.object.startswith(tuple(places))
    return is_prefixed or not places.isdisjoint(before)
