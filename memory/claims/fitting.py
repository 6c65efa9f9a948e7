"""Whether the object of a claim has the form that its relation asks for, and what is claimed where it has not."""

import re
from dataclasses import replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.relations import ABOUT, PLACES, fits_relation
from memory.claims.taxonomy import PEOPLE
from memory.language.folding import fold_name, fold_text
from memory.language.names import load_given_names

NAMED: Final = PEOPLE | {"married_to"}
CLIPPED_IS: Final = re.compile(r"['\u2019]s ")


def fit_claim(claim: Claim) -> Claim | None:
    """ "My desk at work is 4.12" tells something, though no workplace; "my email to the team" nothing."""
    if claim.relation in NAMED and is_of_theirs(claim.statement, claim.object):
        return None
    if claim.tense == "over" or fits_relation(claim.relation, claim.object):
        return claim
    if claim.relation in PLACES or (claim.relation == "phone_number" and any(char.isdigit() for char in claim.object)):
        return replace(claim, relation=ABOUT, object="")
    return None


def is_of_theirs(statement: str, spoken: str) -> bool:
    """ "My husband's car broke down" names no husband; "my husband's Dan" does."""
    found = CLIPPED_IS.search(statement)
    words = statement[found.end() :].split() if found else []
    if not words or not fold_text(" ".join(words)).startswith(fold_text(spoken)):
        return False
    # "My wife's ann" is all of its sentence.
    return len(words) > 1 and not (words[0][0].isupper() or fold_name(words[0]) in load_given_names())
