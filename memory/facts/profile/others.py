"""What somebody else than the person says of themselves: "I live in Rome", said by Bob, is a fact about Bob. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims import Claim
from memory.claims.claim import SPEAKER
from memory.facts.keys import OPEN_RELATIONS, fold_key
from memory.facts.profile.facts import ProfileFact
from memory.facts.profile.rules import find_facts_by_rules

# Who speaks is known by the name the client gives.
NAME: Final = "name"


def find_facts_of_other(
    speaker: str, message: str, previous: Sequence[str] = (), *, asked: str = "", lead: str = ""
) -> list[ProfileFact]:
    """By rules alone. What they tell of others is left out: their sister is not the person's."""
    if fold_key(speaker) in {"", SPEAKER}:
        return []
    found = find_facts_by_rules(message, previous, asked=asked, lead=lead)
    told = [
        replace(fact, claims=name_subject(speaker, fact), statement=f"{speaker}: {fact.statement}") for fact in found
    ]
    return [fact for fact in told if fact.claims]


def name_subject(speaker: str, fact: ProfileFact) -> tuple[Claim, ...]:
    """The claims about who speaks, as claims about somebody of that name."""
    own = (claim for claim in fact.claims if claim.subject == SPEAKER and not claim.is_request)
    # What names no relation is held against whatever sounds like it, also of the person.
    named = (claim for claim in own if claim.relation not in {*OPEN_RELATIONS, NAME})
    return tuple(replace(claim, subject=fold_key(speaker)) for claim in named)
