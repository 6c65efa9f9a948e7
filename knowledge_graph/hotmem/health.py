"""What a turn tells of medicines and allergies, by the relations that exchanges are read with.

The closed set of the hot path has none for "I take ramipril 5 mg", and "allergic to penicillin" is a quality to it; a
person would be told two facts of one, and of the medicine none until the exchange is read.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from memory.claims.claim import Claim
from memory.claims.frames import HotReading, HotTriple
from memory.claims.health.cues import OF_HEALTH, may_tell_of_health
from memory.claims.reader import read_claims
from memory.claims.sentences import READ
from memory.guard.spelling import fold_letters

# What frames say of an allergy.
GENERIC: Final = frozenset({"is"})
TELLING: Final = frozenset({"FACT_STATEMENT", "MULTIPLE_FACTS", "QUESTION_WITH_FACT", "CORRECTION"})


def add_health(reading: HotReading, text: str, earlier: Sequence[str]) -> HotReading:
    """The reading with its medicines and allergies. One that tells only something else, or in words that none of them
    is told by, is not read again."""
    told = [*reading.triples, *reading.retracted]
    may_tell = reading.intent in TELLING and not reading.is_hedged
    if not may_tell or (told and not any(one.relation in GENERIC for one in told)):
        return reading
    # "Sorry, 10" tells of what was told before.
    if not may_tell_of_health("\n".join(one[:READ] for one in (text, *earlier))):
        return reading
    claims = [one for one in read_claims(text, earlier) if one.relation in OF_HEALTH and one.object and not one.hedged]
    if not claims:
        return reading
    begun = [make_triple(one) for one in claims if one.polarity and one.tense != "over"]
    ended = [make_triple(one, is_over=True) for one in claims if not one.polarity or one.tense == "over"]
    return replace(
        reading,
        triples=(*(one for one in reading.triples if not says_same(one, claims)), *begun),
        retracted=(*(one for one in reading.retracted if not says_same(one, claims)), *ended),
    )


def make_triple(claim: Claim, *, is_over: bool = False) -> HotTriple:
    return HotTriple(claim.subject, claim.relation, claim.object, claim.span, is_over=is_over)


def says_same(triple: HotTriple, claims: Sequence[Claim]) -> bool:
    """ "Is allergic to penicillin" of whom a claim says that they are allergic to penicillin."""
    words = set(fold_letters(triple.object).split())
    same = (one for one in claims if one.subject == triple.subject and triple.relation in GENERIC)
    return any(words.issuperset(fold_letters(one.object).split()) for one in same)
