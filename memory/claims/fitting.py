"""Whether the object of a claim has the form that its relation asks for, and what is claimed where it has not."""

from dataclasses import replace

from memory.claims.claim import Claim
from memory.claims.relations import ABOUT, PLACES, fits_relation


def fit_claim(claim: Claim) -> Claim | None:
    """ "My desk at work is 4.12" tells something, though no workplace; "my email to the team" nothing."""
    if claim.tense == "over" or fits_relation(claim.relation, claim.object):
        return claim
    if claim.relation in PLACES or (claim.relation == "phone_number" and any(char.isdigit() for char in claim.object)):
        return replace(claim, relation=ABOUT, object="")
    return None
