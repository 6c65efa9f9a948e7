"""What the reader of claims finds in a turn, as triples: for the languages that the hot path has no frames of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from knowledge_graph.hotmem.reading.taxonomy import CORE, FAVORITE, NOUNS
from knowledge_graph.hotmem.reading.triples import HotReading, HotTriple, Intent
from memory.claims import Claim, read_claims

DENIABLE: Final = frozenset({"dislikes"})


def read_claimed_turn(text: str, earlier: Sequence[str], language: str) -> HotReading:
    claims = [one for one in read_claims(text, earlier) if one.object and not one.hedged]
    kept = tuple(make_claimed(one, one.object) for one in claims if is_kept(one))
    ended = [end_claimed(one, one.object) for one in claims if one.tense == "over" and is_known(one)]
    replaced = [end_claimed(one, one.replaces) for one in claims if one.replaces and is_known(one)]
    return HotReading(language, find_claimed_intent(text, kept, [*ended, *replaced]), kept, (*ended, *replaced))


def is_known(claim: Claim) -> bool:
    return claim.relation in CORE | NOUNS or claim.relation.startswith(FAVORITE)


def is_kept(claim: Claim) -> bool:
    is_so = claim.polarity or claim.relation in DENIABLE
    return is_known(claim) and claim.tense != "over" and is_so


def make_claimed(claim: Claim, spoken: str) -> HotTriple:
    return HotTriple(claim.subject, claim.relation, spoken, claim.span)


def end_claimed(claim: Claim, spoken: str) -> HotTriple:
    """What a correction takes back never was so; what has ended or changed was so until now."""
    return replace(make_claimed(claim, spoken), is_over=not claim.is_correction)


def find_claimed_intent(text: str, kept: Sequence[HotTriple], retracted: Sequence[HotTriple]) -> Intent:
    if retracted:
        return "CORRECTION"
    if "?" in text:
        return "QUESTION_WITH_FACT" if kept else "PURE_QUESTION"
    if not kept:
        return "REACTION"
    return "FACT_STATEMENT" if len(kept) == 1 else "MULTIPLE_FACTS"
