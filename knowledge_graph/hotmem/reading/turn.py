"""Reads one turn."""

from collections.abc import Sequence
from dataclasses import replace

from knowledge_graph.hotmem.reading.triples import DroppedTriple, HotReading, HotTriple, Intent
from memory.claims import Claim, read_claims
from memory.language.loader import list_codes

# Relations of claims that the hot path has none for.
OTHER = frozenset(
    {"about", "asked_to_remember", "style", "goal", "learning", "project", "struggles_with", "interest", "values"}
    | {"skill", "takes", "routine", "pays", "diet"}
)


def read_turn(text: str, earlier: Sequence[str] = (), lang: str | None = None) -> HotReading:
    """``earlier`` are turns of the same person, oldest first; they resolve pronouns and are not read again."""
    claims = read_claims(text, earlier)
    kept = tuple(make_triple(claim, claim.object) for claim in claims if is_kept(claim))
    ended = [end_triple(claim, claim.object) for claim in claims if claim.tense == "over" and claim.object]
    replaced = [end_triple(claim, claim.replaces) for claim in claims if claim.replaces]
    dropped = tuple(DroppedTriple("hedged", claim.statement) for claim in claims if claim.hedged)
    code = lang or next((claim.lang for claim in claims if claim.lang in list_codes()), "en")
    return HotReading(
        code, find_intent(text, kept, is_correction=bool(ended or replaced)), kept, (*ended, *replaced), dropped
    )


def is_kept(claim: Claim) -> bool:
    is_so = claim.polarity or claim.relation == "dislikes"
    return bool(claim.object) and claim.relation not in OTHER and not claim.hedged and claim.tense != "over" and is_so


def make_triple(claim: Claim, spoken: str) -> HotTriple:
    return HotTriple(claim.subject, claim.relation, spoken, claim.span)


def end_triple(claim: Claim, spoken: str) -> HotTriple:
    """What a correction takes back never was so; what has ended or changed was so until now."""
    return replace(make_triple(claim, spoken), is_over=not claim.is_correction)


def find_intent(text: str, kept: Sequence[HotTriple], *, is_correction: bool) -> Intent:
    if is_correction:
        return "CORRECTION"
    if "?" in text:
        return "QUESTION_WITH_FACT" if kept else "PURE_QUESTION"
    if not kept:
        return "REACTION"
    return "FACT_STATEMENT" if len(kept) == 1 else "MULTIPLE_FACTS"
