"""Writes what a turn tells into the one store of facts, and says what became of each triple.

A triple goes the way of every statement: through the judge of pairs, with evidence that counts once. What a person
takes back is retracted, what has merely changed is superseded, what has ended held until now.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, Final, Literal

from django.db import connection

from knowledge_graph.hotmem.replies import RepliedReading
from memory.access.confinement import current_scope
from memory.claims import Claim
from memory.claims.claim import SPEAKER
from memory.claims.frames import HotReading, HotTriple
from memory.claims.frames.remembering import open_requests
from memory.claims.voices.others import mask_inner_dots
from memory.facts import changes
from memory.facts.drafts import FactDraft
from memory.facts.evidence import FactOrigin, compute_confidence
from memory.facts.keys import fold_key
from memory.facts.nearest import FACT_COLUMNS
from memory.facts.profile.facts import CONFIDENCE
from memory.facts.profile.rules import choose_confidence, choose_field
from memory.facts.queries import use_looked_up
from memory.facts.recording import FactEffect, RecordedFact, look_up_drafts, mark_unembedded, record_fact
from memory.guard import find_order, find_unredacted_secret, has_mark
from memory.guard.annotation import SENTENCE_END
from memory.language.folding import fold_text
from memory.language.loader import read_entries
from memory.lifecycle import publishing
from memory.models import EndUser, Fact
from memory.models.facts import KEY_CHARS, STATEMENT_CHARS, EvidenceKind, FactState
from memory.tiers import Trust

HotStatus = Literal["stored", "reinforced", "skipped", "retracted", "superseded"]
STATUS_OF: Final[dict[FactEffect, HotStatus]] = {
    FactEffect.ADDED: "stored",
    FactEffect.SUPERSEDED: "stored",
    FactEffect.REVIEW: "stored",
    FactEffect.REINFORCED: "reinforced",
    FactEffect.MERGED: "reinforced",
    FactEffect.BLOCKED: "skipped",
    FactEffect.PASSED_OVER: "skipped",
}
REASON_OF: Final = {
    FactEffect.BLOCKED: "forgotten",
    FactEffect.PASSED_OVER: "nothing_new",
    FactEffect.REVIEW: "waits_for_review",
}
CORRECTED: Final = "corrected"
ENDED: Final = "has ended"
WAITS: Final = "waits_for_its_exchange"
LAST_WORD: Final = re.compile(r"[^\W\d_]+$")
CLAUSE_END: Final = re.compile(rf"[,:]\s|\s[-–—]\s|{SENTENCE_END.pattern}")
# In plain SQL, both at once: the mapper took 4 ms of a turn that takes something back.
HELD: Final = "user_id = %s AND state = 'active' AND subject_key = %s AND agent_id = %s AND project_id = %s"
FIND_HELD: Final = f"""
(SELECT true, {", ".join(FACT_COLUMNS)} FROM fact WHERE {HELD} AND object_key = %s AND %s <> ''
 ORDER BY last_seen DESC, id LIMIT 10)
UNION ALL
(SELECT false, {", ".join(FACT_COLUMNS)} FROM fact WHERE {HELD} AND relation = %s ORDER BY last_seen DESC, id LIMIT 10)
"""  # noqa: S608 -- names of our own
# In a longer one much is told beside the matter.
LONGEST_SENTENCE: Final = 160


@dataclass(frozen=True, slots=True)
class TripleOutcome:
    """What became of a triple; ``fact`` is the row behind it, where there is one."""

    triple: tuple[str, str, str]
    confidence: float
    status: HotStatus
    reason: str = ""
    fact: Fact | None = None


@dataclass(slots=True)
class TurnUpdate:
    """``told`` are the triples of the turn, ``retracted`` and ``superseded`` the facts that it ended."""

    told: list[TripleOutcome] = field(default_factory=list)
    retracted: list[Fact] = field(default_factory=list)
    superseded: list[Fact] = field(default_factory=list)

    def add_closed(self, facts: Sequence[Fact]) -> None:
        for fact in facts:
            known = self.retracted if fact.state == FactState.RETRACTED else self.superseded
            if fact.pk not in {one.pk for one in known}:
                known.append(fact)


@dataclass(frozen=True)
class SpokenTurn:
    """What a person said; prepared once for all triples of the turn."""

    text: str
    lang: str

    @cached_property
    def opened(self) -> str:
        """The text with blanks for words that ask to remember it, so that the places of triples still fit."""
        return open_requests(self.text, self.lang)

    @cached_property
    def masked(self) -> str:
        return mask_inner_dots(self.opened)

    def cut_around(self, span: tuple[int, int], marks: re.Pattern[str]) -> str:
        """The words around a place, from the mark before it to the mark behind it; empty where there is no place."""
        start, end = span
        if not end:
            return ""
        marked = [found.span() for found in marks.finditer(self.masked)]
        first = max((behind for _, behind in marked if behind <= start), default=0)
        last = min((before for before, _ in marked if before >= end - 1), default=len(self.opened))
        return self.opened[first:last].strip()


def record_reading(
    user: EndUser, replied: RepliedReading, text: str, origin: FactOrigin, *, now: datetime, actor: str
) -> TurnUpdate:
    """Record what a turn tells. In the user's scope, under the lock of its conversation; asks no other service."""
    update, reading = TurnUpdate(), replied.reading
    recorded: list[RecordedFact] = []
    is_first = origin.kind is EvidenceKind.HOT_TURN
    changes.lock_facts(user)
    drafted = list(draft_turn(replied, text, now))
    found = look_up_drafts(user, [draft for _, draft in drafted if draft is not None], origin.scope)
    for outcome, draft in drafted:
        if draft is None:
            update.told.append(outcome)
            continue
        # What a turn told before now is known; of an exchange its own reading may have told more.
        told_with = [one.fact for one in recorded if one.fact is not None] if is_first else None
        one = record_fact(user, draft, origin, now=now, actor=actor, told_with=told_with, found=found)
        recorded.append(one)
        update.told.append(describe_recorded(outcome, one, now))
        update.add_closed([fact for fact in one.closed if one.fact is None or fact.pk != one.fact.pk])
    mark_unembedded(user, recorded, now)
    with use_looked_up(found):
        for triple in reading.retracted:
            end_triple(user, triple, update, now=now, actor=actor)
    ended = RecordedFact(None, FactEffect.SUPERSEDED, [*update.retracted, *update.superseded])
    publishing.publish_facts(user, [*recorded, ended], None, now=now, actor=actor)
    return update


def draft_turn(replied: RepliedReading, text: str, now: datetime) -> Iterator[tuple[TripleOutcome, FactDraft | None]]:
    """Each thing that a turn tells, in order, with the fact to be recorded; None where it is not kept."""
    spoken = SpokenTurn(text, replied.reading.lang)
    for claim in replied.waiting:
        yield describe_claim(claim, WAITS), None
    for claim in replied.replies:
        harm = find_harm(claim.statement, HotTriple(claim.subject, claim.relation, claim.object))
        yield describe_claim(claim, harm), None if harm else draft_reply(claim, text, now)
    for triple in replied.reading.triples:
        statement, reason = choose_statement(spoken, triple)
        outcome = TripleOutcome(triple.key, triple.confidence, "skipped", reason)
        yield outcome, None if reason else draft_triple(triple, statement, replied.reading, now)


def describe_claim(claim: Claim, reason: str = "") -> TripleOutcome:
    """What a reply to the assistant told, as a triple; its own words are the object where it fills no slot."""
    triple = (claim.subject, claim.relation, claim.object or claim.statement)
    return TripleOutcome(triple, CONFIDENCE[choose_confidence(claim)], "skipped", reason)


def draft_reply(claim: Claim, text: str, now: datetime) -> FactDraft:
    """The fact of a reply, drafted as the later reading of the exchange drafts it, so that the two are one."""
    return FactDraft.from_claim(
        claim,
        claim.statement,
        occurred_at=now,
        confidence=CONFIDENCE[choose_confidence(claim)],
        category=choose_field(claim),
        turn=text,
        is_quick=True,
        trust=Trust.USER,
    )


def choose_statement(spoken: SpokenTurn, triple: HotTriple) -> tuple[str, str]:
    """The sentence that tells it, as of an exchange; its clause alone where that is long or its rest may not be kept.

    With why the words of its place may not be kept either, if so. Words alone are no statement: "Meine Chefin" was
    what a person read of "Meine Chefin heißt Gudrun Maas".
    """
    for marks, most in ((SENTENCE_END, LONGEST_SENTENCE), (CLAUSE_END, STATEMENT_CHARS)):
        told = spoken.cut_around(triple.span, marks)
        if 0 < len(told) <= most and not told.endswith("?") and not find_harm(told, triple):
            return told, ""
    words = find_own_words(spoken, triple)
    return words, find_harm(words, triple)


def find_own_words(spoken: SpokenTurn, triple: HotTriple) -> str:
    """The words in which the person told a triple; where their place is not known, the triple spelled out."""
    start, end = triple.span
    # A triple's place begins at its verb: "I like jazz" is what a person reads on their page, and not "like jazz".
    before = spoken.text[:start].rstrip()
    word = LAST_WORD.search(before)
    if end and word and triple.subject == SPEAKER and fold_text(word[0]) in read_entries(spoken.lang, "claims", "i"):
        start = word.start()
    return (spoken.text[start:end].strip() or " ".join(triple.key).replace("_", " "))[:STATEMENT_CHARS]


def find_harm(statement: str, triple: HotTriple) -> str:
    """Why a triple may not be kept: "secret" or "order"; empty where it may."""
    return find_harm_of_words(statement) or find_triple_harm(triple.key)


@lru_cache(maxsize=256)
def find_harm_of_words(words: str) -> str:
    """A sentence is asked about for each of its triples."""
    if find_unredacted_secret(words):
        return "secret"
    return "order" if find_order(words) else ""


def find_triple_harm(triple: tuple[str, str, str]) -> str:
    words = " ".join(triple)
    # What was taken out of it was the value: no fact is left.
    return "secret" if has_mark(words) else find_harm_of_words(words)


def draft_triple(triple: HotTriple, statement: str, reading: HotReading, now: datetime) -> FactDraft:
    replaced = next((one for one in reading.retracted if is_same_slot(one, triple)), None)
    return FactDraft(
        statement=statement,
        occurred_at=now,
        confidence=triple.confidence,
        subject=triple.subject[:KEY_CHARS],
        relation=triple.relation,
        object=triple.object[:KEY_CHARS],
        lang=reading.lang,
        tense="new" if replaced else "present",
        replaces=replaced.object if replaced else "",
        is_correction=replaced is not None and not replaced.is_over,
        is_quick=True,
        trust=Trust.USER,
    )


def is_same_slot(one: HotTriple, other: HotTriple) -> bool:
    return (fold_key(one.subject), one.relation) == (fold_key(other.subject), other.relation)


def describe_recorded(told: TripleOutcome, recorded: RecordedFact, now: datetime) -> TripleOutcome:
    status = STATUS_OF[recorded.effect]
    fact = recorded.fact
    reason = REASON_OF.get(recorded.effect, "")
    if fact is not None and fact.state in {FactState.SUPERSEDED, FactState.RETRACTED}:
        status, reason = "skipped", "known_to_have_ended"
    confidence = compute_confidence(fact, now) if fact is not None else told.confidence
    return TripleOutcome(told.triple, round(confidence, 3), status, reason, fact)


def end_triple(user: EndUser, triple: HotTriple, update: TurnUpdate, *, now: datetime, actor: str) -> None:
    """End the fact of a triple: taken back it never held, ended it held until now.

    A fact that the person entered by hand is left to them.
    """
    gone = {fact.pk for fact in (*update.retracted, *update.superseded)}
    told = [one.fact for one in update.told if one.fact is not None]
    fact = find_held(user, triple)
    if fact is None or fact.pk in gone or fact.pk in {one.pk for one in told}:
        return
    if fact.is_curated:
        update.told.append(TripleOutcome(triple.key, fact.base_confidence, "skipped", "kept_by_hand", fact))
        return
    successor = next(
        (one for one in told if (one.subject_key, one.relation) == (fact.subject_key, fact.relation)), None
    )
    if triple.is_over:
        changes.close_fact(
            fact, FactState.SUPERSEDED, now=now, actor=actor, reason=ENDED, until=now, successor=successor
        )
    else:
        changes.retract_fact(fact, now=now, actor=actor, reason=CORRECTED, successor=successor)
    update.add_closed([fact])


def find_held(user: EndUser, triple: HotTriple) -> Fact | None:
    """The fact that a person takes back: of that value, else the only one of the slot that shares a word with it.

    Under the lock of the facts.
    """
    value = fold_key(triple.object)
    scope = current_scope()
    # Of the scope it is said in: what is taken back in one project stays true of another.
    about: list[Any] = [user.pk, fold_key(triple.subject), scope.agent_id, scope.project_id]
    with connection.cursor() as cursor:
        cursor.execute(FIND_HELD, [*about, value, value, *about, triple.relation])
        rows = [(is_same, Fact.from_db(connection.alias, FACT_COLUMNS, row)) for is_same, *row in cursor.fetchall()]
    same = [fact for is_same, fact in rows if is_same]
    if same:
        return next((fact for fact in same if fact.relation == triple.relation), same[0])
    words = set(value.split())
    near = [fact for _, fact in rows if not words or words & set(fact.object_key.split())]
    return near[0] if len(near) == 1 else None
