"""What somebody took in the place of what they had, by its make: a car for a car, a phone for a phone."""

from dataclasses import replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.questions import KINDS
from memory.claims.relations import free_claim
from memory.claims.slots.resolution import SWAPPED
from memory.language.folding import normalise_text
from memory.language.kinds import list_kinds

PROVIDER: Final = "provider"
# What somebody changes to that they play: "I switched from bass to drums".
DONE: Final = frozenset({"instrument"})
RELATIONS: Final = {kind: relation for relation, kind in KINDS.items()}


def name_swapped(claim: Claim) -> Claim:
    """ "Troquei o Onix por um Corolla" tells of a car by either make, "I swapped my shift" of nothing."""
    if claim.relation == PROVIDER:
        done = list_kinds(normalise_text(claim.object)) & DONE
        return replace(claim, relation="plays", tense="new") if done else claim
    if claim.relation != SWAPPED:
        return claim
    kinds = list_kinds(normalise_text(claim.object)) or list_kinds(normalise_text(claim.replaces))
    relation = next((RELATIONS[kind] for kind in sorted(kinds) if kind in RELATIONS), "")
    return replace(claim, relation=relation, tense="new") if relation else free_claim(claim)
