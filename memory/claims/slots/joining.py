"""What somebody joined or changed over to: a gym where the words say so, else whatever it is."""

import re
from dataclasses import replace
from functools import cache
from typing import Final

from memory.claims.claim import Claim
from memory.claims.relations import free_claim
from memory.claims.slots.matching import load_phrases, load_words
from memory.guard.spelling import fold_letters
from memory.language.loader import collect_entries

WORD: Final = re.compile(r"[^\W_]+")
# "A gym, PureGym", "un gimnasio que se llama VivaGym": the name stands close behind.
NAMED_BEHIND: Final = re.compile(r"[^A-ZÀ-Þ]{1,20}([A-ZÀ-Þ][\w'&-]*(?: [A-ZÀ-Þ][\w'&-]*){0,2})")


MEMBER_OF: Final = "member_of"
# What one changes over to, by how it is worded: a carrier has the words of an employer, a gym and a town.
CHANGED: Final = frozenset({"gym", "works_at", "lives_in"})


def settle_joined(claim: Claim) -> Claim:
    """ "Joined The Gym Group" is no work, "switched to oat milk" and "passé chez Free" no gym."""
    if names_club(claim):
        return replace(claim, relation=MEMBER_OF, is_sure=True)
    if claim.relation == "works_at" and says_joined(claim) and names_gym(claim.object, claim):
        claim = replace(claim, relation="gym")
    if claim.relation in CHANGED and says_changed(claim) and claim.object in load_carriers():
        return replace(claim, relation="provider")
    if claim.relation == "gym" and (is_mere_gym(claim) or says_changed(claim)):
        return settle_gym(claim)
    return claim


def names_club(claim: Claim) -> bool:
    """ "I've joined a choir", "I've given up the choir": where nobody works, and what nobody has."""
    is_left = claim.relation in {"has", "drinks"} and not claim.polarity
    is_told = is_left or (claim.relation == "works_at" and claim.polarity and says_joined(claim))
    last = WORD.findall(fold_letters(claim.object))[-1:]
    return is_told and not load_words(claim.lang or "en", "club").isdisjoint(last)


def settle_gym(claim: Claim) -> Claim:
    at = claim.statement.casefold().find(claim.object)
    if is_mere_gym(claim):
        named = NAMED_BEHIND.match(claim.statement, at + len(claim.object))
        return replace(claim, object=named[1].casefold()) if at >= 0 and named is not None else free_claim(claim)
    is_name = at >= 0 and claim.statement[at : at + 1].isupper()
    is_told = names_gym(claim.statement, claim) or (is_name and says_joined(claim))
    return claim if is_told else free_claim(claim)


def is_mere_gym(claim: Claim) -> bool:
    """ "I joined a gym" does not say which."""
    words = [fold_letters(word) for word in WORD.findall(claim.object)]
    return bool(words) and load_words(claim.lang or "en", "gym word").issuperset(words)


def names_gym(spoken: str, claim: Claim) -> bool:
    """ "PureGym" says that it is one as well."""
    folded = fold_letters(spoken)
    return any(word in folded for word in load_words(claim.lang or "en", "gym word"))


def says_joined(claim: Claim) -> bool:
    return load_phrases(claim.lang or "en", "joins").search(claim.statement) is not None


def says_changed(claim: Claim) -> bool:
    """ "Switched to", "signed up for": what people change to is a carrier or a milk more often than a gym."""
    return load_phrases(claim.lang or "en", "changes over").search(claim.statement) is not None


@cache
def load_carriers() -> frozenset[str]:
    """Providers of mobile phones, of all countries: somebody abroad has one of there."""
    return frozenset(collect_entries("slots", "carrier"))
