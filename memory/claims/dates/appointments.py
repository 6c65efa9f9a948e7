"""Appointments that only a question names: "is my flight to Oslo on the 5th still cheap?"."""

from collections.abc import Iterable, Sequence

from memory.claims.claim import Claim
from memory.claims.clauses.building import write_sentence
from memory.claims.frames.triples import AskedEvent
from memory.claims.inner_dots import TITLE_DOT
from memory.claims.relations import ABOUT
from memory.guard.annotation import Sentence


def claim_appointments(asked: Sequence[AskedEvent], sentences: Iterable[tuple[Sentence, int]]) -> tuple[Claim, ...]:
    """What the questions take for granted, in their words; each sentence with its place in the text."""
    found = (claim_appointment(event, sentence, place) for sentence, place in sentences for event in asked)
    return tuple(claim for claim in found if claim is not None)


def claim_appointment(event: AskedEvent, sentence: Sentence, place: int) -> Claim | None:
    start, end = event.span[0] - place, event.span[1] - place
    if start < 0 or end > len(sentence.raw):
        return None
    said = " ".join(sentence.raw[start:end].replace(TITLE_DOT, ".").split())
    return Claim(event.noun, "time", event.time, write_sentence(said), event.span, is_sure=True)


def add_appointments(found: Sequence[Claim], asked: Sequence[Claim]) -> list[Claim]:
    """In the place of a claim of the whole question, and beside those that name a relation."""
    kept = [one for one in found if one.relation != ABOUT or not any(overlaps(one, other) for other in asked)]
    return [*kept, *(one for one in asked if not any(overlaps(one, other) for other in kept))]


def overlaps(one: Claim, other: Claim) -> bool:
    return one.span[0] < other.span[1] and other.span[0] < one.span[1]
