"""What a sentence tells in few words, mostly without a verb: appointments, the end of a couple or a work, a new work or
home."""

from dataclasses import replace

from memory.claims.arrivals import add_arrivals
from memory.claims.claim import Claim
from memory.claims.dates.agenda import split_appointments
from memory.claims.dismissals import add_dismissal
from memory.claims.readings import SentenceReading, TurnReading
from memory.claims.separations import add_separation
from memory.claims.taxonomy import ANIMALS


def read_few_words(claims: list[Claim], one: SentenceReading, reading: TurnReading) -> list[Claim]:
    """The claims of a sentence with those that clauses and slots do not find."""
    claims = name_breeds(drop_repeated(claims))
    if one.is_partial or reading.is_masked:
        return claims
    likely = reading.whole.languages
    claims = split_appointments(claims, one.sentence.raw, one.place, likely)
    claims = add_separation(claims, one.sentence, one.place, likely)
    claims = add_dismissal(claims, one.sentence, one.place, likely)
    return add_arrivals(claims, one.sentence, one.place, reading.whole.text, likely)


def name_breeds(claims: list[Claim]) -> list[Claim]:
    """ "Ma chienne Praline est une bouvier bernois": no animal has a trade."""
    animals = {claim.object for claim in claims if claim.relation in ANIMALS}
    return [
        replace(claim, relation="is") if claim.relation == "works_as" and claim.subject in animals else claim
        for claim in claims
    ]


def drop_repeated(claims: list[Claim]) -> list[Claim]:
    """Of "I'm Sam, 42, plumber from Hull" each claim's words hold those before: the first of each says enough."""
    told: dict[tuple[str, str, str, bool, str], Claim] = {}
    for at, claim in enumerate(claims):
        key = claim.subject, claim.relation, claim.object or str(at), claim.polarity, claim.tense
        told.setdefault(key, claim)
    return list(told.values())
