"""A fact in words: what it says of whom, how sure that is and why, and when it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from memory.claims.claim import SPEAKER
from memory.claims.relations import ABOUT, REQUEST
from memory.facts.confidence import is_lasting
from memory.facts.evidence import compute_confidence
from memory.facts.subjects import SubjectKind
from memory.models import Fact
from memory.models.facts import EvidenceKind, FactState, ReviewDecision, ReviewKind

STATE_NAMES: Final = {
    FactState.ACTIVE: "Current",
    FactState.DEPRECATED: "Faded",
    FactState.MERGED: "Merged",
    FactState.SUPERSEDED: "Superseded",
    FactState.RETRACTED: "Rejected",
    FactState.FORGOTTEN: "Forgotten",
}
EVIDENCE_NAMES: Final = {
    EvidenceKind.EXCHANGE: "Said in a conversation",
    EvidenceKind.IMPORT: "Imported",
    EvidenceKind.PERSON: "Stated by hand",
    EvidenceKind.BANK: "Written in the memory bank",
    EvidenceKind.MODEL: "Read by a language model",
    EvidenceKind.HOT_TURN: "Said in a conversation",
    EvidenceKind.EPISODE: "Read from an episode",
}
KIND_NAMES: Final = {SubjectKind.PERSON: "person", SubjectKind.ANIMAL: "animal", SubjectKind.THING: ""}
REVIEW_NAMES: Final = {
    ReviewKind.CONTRADICTION: "Both cannot be true",
    ReviewKind.DUPLICATE: "They may say the same",
    ReviewKind.UNSURE: "Unclear how they fit together",
}
DECISION_NAMES: Final = {
    ReviewDecision.SUPERSEDE: "The newer one is current; the earlier one was so until then.",
    ReviewDecision.MERGE: "They are one fact now, with the evidence of both.",
    ReviewDecision.KEEP_BOTH: "Both stay current.",
    ReviewDecision.REJECT: "The newer one was rejected; the earlier one stays current.",
}
# Relations that say no more than the statement.
UNTOLD: Final = frozenset({"", ABOUT, REQUEST})


@dataclass(frozen=True, slots=True)
class FactLine:
    """``why`` tells what the confidence rests on; ``since`` and ``until`` are days, empty where there is none."""

    fact: Fact
    subject: str
    relation: str
    value: str
    confidence: float
    why: str
    wear: str
    since: str
    until: str
    state: str
    successor: Fact | None

    @property
    def is_current(self) -> bool:
        return self.fact.state == FactState.ACTIVE

    @property
    def can_return(self) -> bool:
        return self.fact.state not in {FactState.ACTIVE, FactState.FORGOTTEN}


def build_fact_lines(facts: Sequence[Fact], successors: Mapping[UUID, Fact], now: datetime) -> list[FactLine]:
    return [build_fact_line(fact, successors.get(fact.pk), now) for fact in facts]


def build_fact_line(fact: Fact, successor: Fact | None, now: datetime) -> FactLine:
    # What never was so has no time in which it held.
    held = fact.state != FactState.RETRACTED
    return FactLine(
        fact=fact,
        subject=name_subject(fact.subject),
        relation=describe_relation(fact),
        value="" if fact.relation in UNTOLD else find_wording(fact.object, fact.statement),
        confidence=compute_confidence(fact, now),
        why=count_evidence(fact.evidence_count),
        # Of what has ended nobody asks how fast it wears off, and its bank item is archived.
        wear=describe_wear(fact) if fact.state == FactState.ACTIVE else "",
        since=format_day(fact.valid_from) if fact.valid_from and held else "",
        until=format_day(fact.valid_to) if fact.valid_to and held else "",
        state=STATE_NAMES[FactState(fact.state)],
        successor=successor,
    )


def describe_relation(fact: Fact) -> str:
    """ "lives in", "not allergic to", "no longer works at"."""
    if fact.relation in UNTOLD:
        return ""
    denied = "no longer " if fact.tense == "over" else "" if fact.polarity else "not "
    return denied + fact.relation.replace("_", " ")


def name_subject(subject: str) -> str:
    """Subjects are kept as they were read, mostly without capitals."""
    return "You" if subject.lower() in {"", SPEAKER} else subject[:1].upper() + subject[1:]


def find_wording(value: str, statement: str) -> str:
    """A value as the person wrote it, where the statement has it in other capitals."""
    lowered = statement.lower()
    # A few letters grow longer in lower case, and places would no longer agree.
    place = lowered.find(value.lower()) if len(lowered) == len(statement) else -1
    return statement[place : place + len(value)] if place >= 0 else value


def count_evidence(count: int) -> str:
    return "no evidence left" if count == 0 else "1 piece of evidence" if count == 1 else f"{count} pieces of evidence"


def describe_wear(fact: Fact) -> str:
    """Whether time takes something from the confidence, and why not."""
    if fact.is_confirmed:
        return "confirmed by a person, does not wear off"
    if fact.bank_item_id is not None:
        return "stands in the memory bank, does not wear off"
    if is_lasting(fact.relation, fact.category, is_confirmed=False, is_published=False):
        return "of a kind that does not wear off"
    return "wears off, about a tenth in ten days"


def format_day(moment: datetime) -> str:
    day = moment.astimezone(UTC)
    return f"{day.day} {day:%B %Y}"
