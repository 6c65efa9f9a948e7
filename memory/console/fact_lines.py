"""A fact in words: what it says of whom, how sure that is and why, and when it holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Final
from uuid import UUID

from django.utils.formats import date_format
from django.utils.translation import get_language, ngettext, pgettext

from memory.facts.confidence import is_lasting
from memory.facts.evidence import compute_confidence
from memory.facts.keys import OPEN_RELATIONS
from memory.facts.subjects import SubjectKind
from memory.models import Fact
from memory.models.facts import EvidenceKind, FactState, ReviewDecision, ReviewKind
from memory.web.relation_wordings import name_subject, word_relation
from memory.web.wordings import translate as _

STATE_NAMES: Final = {
    FactState.ACTIVE: _("Current"),
    FactState.DEPRECATED: _("Faded"),
    FactState.MERGED: _("Merged"),
    FactState.SUPERSEDED: _("Superseded"),
    FactState.RETRACTED: _("Rejected"),
    FactState.FORGOTTEN: _("Forgotten"),
}
# Of what is superseded by nothing, and has only an end.
ENDED: Final = _("Ended")
EVIDENCE_NAMES: Final = {
    EvidenceKind.EXCHANGE: _("Said in a conversation"),
    EvidenceKind.IMPORT: _("Imported"),
    EvidenceKind.PERSON: _("Stated by hand"),
    EvidenceKind.BANK: _("Written in the memory bank"),
    EvidenceKind.MODEL: _("Read by a language model"),
    EvidenceKind.HOT_TURN: _("Said in a conversation"),
    EvidenceKind.EPISODE: _("Read from an episode"),
}
KIND_NAMES: Final = {SubjectKind.PERSON: _("person"), SubjectKind.ANIMAL: _("animal"), SubjectKind.THING: ""}
REVIEW_NAMES: Final = {
    ReviewKind.CONTRADICTION: _("Both cannot be true"),
    ReviewKind.DUPLICATE: _("They may say the same"),
    ReviewKind.UNSURE: _("Unclear how they fit together"),
}
DECISION_NAMES: Final = {
    ReviewDecision.SUPERSEDE: _("The newer one is current; the earlier one was true until then."),
    ReviewDecision.MERGE: _("They are one fact now, with the evidence of both."),
    ReviewDecision.KEEP_BOTH: _("Both stay current."),
    ReviewDecision.REJECT: _("The newer one was rejected; the earlier one stays current."),
}


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
    def holds_by_days(self) -> bool:
        """There is no more to tell of when it holds than days."""
        ended = self.fact.state in {FactState.RETRACTED, FactState.MERGED}
        return not ended and not (self.until and self.successor)

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
        value="" if fact.relation in OPEN_RELATIONS else find_wording(fact.object, fact.statement),
        confidence=compute_confidence(fact, now),
        why=count_evidence(fact.evidence_count),
        # Of what has ended nobody asks how fast it wears off, and its bank item is archived.
        wear=describe_wear(fact) if fact.state == FactState.ACTIVE else "",
        since=format_day(fact.valid_from) if fact.valid_from and held else "",
        until=format_day(fact.valid_to) if fact.valid_to and held else "",
        state=name_state(fact),
        successor=successor,
    )


def name_state(fact: Fact) -> str:
    has_only_ended = fact.state == FactState.SUPERSEDED and fact.superseded_by is None
    return ENDED if has_only_ended else STATE_NAMES[FactState(fact.state)]


def describe_relation(fact: Fact) -> str:
    """ "lives in", "not allergic to", "no longer works at"."""
    return word_relation(fact.relation, is_denied=not fact.polarity, is_over=fact.tense == "over")


def find_wording(value: str, statement: str) -> str:
    """A value as the person wrote it, where the statement has it in other capitals."""
    lowered = statement.lower()
    # A few letters grow longer in lower case, and places would no longer agree.
    place = lowered.find(value.lower()) if len(lowered) == len(statement) else -1
    return statement[place : place + len(value)] if place >= 0 else value


def count_evidence(count: int) -> str:
    if count == 0:
        return _("no evidence left")
    return ngettext("{count} piece of evidence", "{count} pieces of evidence", count).format(count=count)


def describe_wear(fact: Fact) -> str:
    """Whether time takes something from the confidence, and why not."""
    if fact.is_confirmed:
        return _("confirmed by a person, does not fade")
    if fact.bank_item_id is not None:
        return _("in the memory bank, does not fade")
    if is_lasting(fact.relation, fact.category, is_confirmed=False, is_published=False):
        return _("of a kind that does not fade")
    return _("fades by about a tenth in ten days")


def format_day(moment: datetime) -> str:
    # A fact holds from a day on and not from a moment on, so the day is the same for everybody.
    return word_day(moment.astimezone(UTC).date(), get_language())


@lru_cache(maxsize=1_000)
def word_day(day: date, language: str | None) -> str:
    """In the language that is active. Facts of one day are many: 300 took 12 ms to write their days."""
    return date_format(day, pgettext("a day, its month in full", "j F Y"))
