"""What a sentence tells in few words, mostly without a verb: appointments, sums, a couple that comes together or parts,
who shares a home, how somebody goes to work, the end of a work, a new work or home."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.dates.agenda import split_appointments
from memory.claims.few_words.amounts import settle_amounts
from memory.claims.few_words.arrivals import add_arrivals
from memory.claims.few_words.birthday_days import add_birthday
from memory.claims.few_words.brief import BriefReader, BriefSentence
from memory.claims.few_words.commutes import add_commute
from memory.claims.few_words.couples import add_couple
from memory.claims.few_words.dismissals import add_departure, add_dismissal
from memory.claims.few_words.flatmates import add_flatmates
from memory.claims.few_words.losses import add_loss
from memory.claims.few_words.named_last import name_last_animals
from memory.claims.presupposed.kinds import find_pet
from memory.claims.readings import SentenceReading, TurnReading
from memory.claims.taxonomy import ANIMALS


def add_listed_appointments(claims: Sequence[Claim], one: BriefSentence) -> Sequence[Claim]:
    return split_appointments(claims, one.raw, one.place, one.likely)


# In this order: what an earlier one claims keeps a later one from reading the same words.
READERS: Final[tuple[BriefReader, ...]] = (
    settle_amounts,
    add_listed_appointments,
    add_couple,
    add_commute,
    add_flatmates,
    add_dismissal,
    add_departure,
    add_loss,
    add_arrivals,
)


def read_few_words(claims: list[Claim], one: SentenceReading, reading: TurnReading) -> list[Claim]:
    """The claims of a sentence with those that clauses and slots do not find."""
    claims = name_last_animals(name_breeds(drop_repeated(name_left_home(claims))), one.sentence)
    if one.is_partial:
        return claims
    brief = BriefSentence.of(one, reading)
    found = add_birthday(claims, brief)
    # Beside words in another voice only a birthday is sure to be the person's own.
    for read in () if reading.is_masked else READERS:
        found = read(found, brief)
    return list(found)


def name_left_home(claims: list[Claim]) -> list[Claim]:
    """ "Wir sind aus Baunatal nach Kassel in eine Wohnung gezogen": the new home is no second one."""
    left = {one.subject: one.object for one in claims if one.relation == "moved_from" and one.polarity}
    return [
        replace(one, replaces=left[one.subject])
        if one.relation == "lives_in" and one.tense == "new" and not one.replaces and one.subject in left
        else one
        for one in claims
    ]


def name_breeds(claims: list[Claim]) -> list[Claim]:
    """ "Ma chienne Praline est une bouvier bernois", "we have a dog, a labrador": no trade of animals, and no name."""
    animals = {claim.object for claim in claims if claim.relation in ANIMALS}
    named = {"works_as": "is", **dict.fromkeys(ANIMALS, "has")}
    return [
        replace(claim, relation=named[claim.relation])
        if (claim.relation == "works_as" and claim.subject in animals)
        or (claim.relation in ANIMALS and find_pet(claim.object, claim.lang or "en"))
        else claim
        for claim in claims
    ]


def drop_repeated(claims: list[Claim]) -> list[Claim]:
    """Of "I'm Sam, 42, plumber from Hull" each claim's words hold those before: the first of each says enough."""
    told: dict[tuple[str, str, str, bool, str], Claim] = {}
    for at, claim in enumerate(claims):
        key = claim.subject, claim.relation, claim.object or str(at), claim.polarity, claim.tense
        told.setdefault(key, claim)
    return list(told.values())
