"""A person words a fact anew, or says when it holds: what told the old words is set apart where they were wrong.

A conversation that told "My dentist is Dr. Peleg." tells nothing of Dr. Amsalem, however the fact was corrected. So the
old words stay as a fact of their own that never held, with the evidence that told them and the corrected one in its
place: searches and contexts then mark that conversation as after a correction in passing.
"""

from copy import copy
from datetime import datetime
from typing import Final
from uuid import uuid4

from memory.claims import read_claims
from memory.claims.claim import SPEAKER
from memory.claims.constraints import name_category
from memory.facts.changes import find_twin, mark_facts_due, merge_facts, record_fact_event, retract_fact
from memory.facts.evidence import FactOrigin, add_evidence
from memory.facts.judgement import describe_fact
from memory.facts.keys import OPEN_RELATIONS, fold_key
from memory.facts.pairs import PairStatement, judge_pair, read_statement
from memory.facts.pairs.statement import build_pair_statement
from memory.language.analysis import extract_terms
from memory.models import Fact, FactEvidence
from memory.models.facts import KEY_CHARS, STATEMENT_CHARS, EvidenceKind, FactState
from memory.tiers import Indexing

CORRECTED: Final = "corrected"
TAKEN_BACK: Final = "taken back"


def revise_fact(
    fact: Fact,
    statement: str | None = None,
    *,
    now: datetime,
    actor: str,
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    is_endless: bool = False,
    reason: str = "",
) -> None:
    """A person words it anew, or says when it holds; ``is_endless`` takes an end away.

    A new wording is read anew, and embedded later.
    """
    days = {"valid_from": str(fact.valid_from), "valid_to": str(fact.valid_to)}
    before = {"statement": fact.statement, **days, "is_curated": fact.is_curated}
    told = copy(fact)
    if statement is not None and statement != fact.statement:
        reword_fact(fact, statement)
    twin = find_twin(fact) if fact.state == FactState.ACTIVE else None
    if contradicts_wording(told, fact):
        set_words_apart(told, twin or fact, now=now, actor=actor)
    if twin is not None:
        # As it would be if the person had said so at once. Its own wording stays what it was.
        fact.refresh_from_db()
        merge_facts(twin, fact, now=now, actor=actor, reason="reworded to say the same")
        return
    fact.valid_from = valid_from or fact.valid_from
    fact.valid_to = None if is_endless else valid_to or fact.valid_to
    fact.updated_at = now
    fact.revision += 1
    fact.save()
    if fact.statement != told.statement:
        take_words_back(fact, now=now, actor=actor)
    mark_facts_due(fact.user, now)
    after = {"statement": fact.statement, "valid_from": str(fact.valid_from), "valid_to": str(fact.valid_to)}
    record_fact_event(fact, "revised", now=now, actor=actor, reason=reason, before=before, after=after)


def reword_fact(fact: Fact, statement: str) -> None:
    read = read_anew(fact, statement)
    fact.statement = statement[:STATEMENT_CHARS]
    fact.subject, fact.relation, fact.object = read.subject or SPEAKER, read.relation, read.object[:KEY_CHARS]
    fact.subject_key, fact.object_key = fold_key(fact.subject), fold_key(fact.object)
    fact.polarity, fact.tense, fact.lang = read.polarity, read.tense, read.lang
    fact.category = name_category(fact.statement, fact.relation, fact.category, fact.tense, fact.object)
    fact.vector, fact.model, fact.indexing = None, "", Indexing.PENDING


def read_anew(fact: Fact, statement: str) -> PairStatement:
    """What the new words say in the place of the fact: the same where they tell it still, beside whatever else.

    Of "I live in Leeds and have a dog, Rex" only the home changes with "I live in York and have a dog, Rex".
    """
    if fact.relation not in OPEN_RELATIONS:
        for claim in read_claims(statement):
            told = build_pair_statement(claim, statement)
            if describe_slot(told) == describe_slot(describe_fact(fact)):
                return told
    return read_statement(statement)


def describe_slot(told: PairStatement) -> tuple[str, str, str, bool, bool]:
    return (
        fold_key(told.subject or SPEAKER), told.relation, fold_key(told.object), told.polarity, told.tense == "over"
    )  # fmt: skip


def contradicts_wording(told: Fact, fact: Fact) -> bool:
    """Whether the old words say otherwise than the new ones, and not the same in others, or a part of it."""
    if told.statement == fact.statement:
        return False
    before, after = describe_fact(told), describe_fact(fact)
    if told.relation not in OPEN_RELATIONS and describe_slot(before) == describe_slot(after):
        return False
    is_turned = (told.polarity, told.tense) != (fact.polarity, fact.tense)
    says_as_much = set(extract_terms(told.statement)) <= set(extract_terms(fact.statement))
    return is_turned or not (says_as_much or judge_pair(before, after) == "merge")


def set_words_apart(told: Fact, corrected: Fact, *, now: datetime, actor: str) -> None:
    """Keep the old words, and the memories that told them, as what never was so.

    The bank item says what the fact says by now, and what was stated by hand is told by no memory: both stay.
    """
    rows = FactEvidence.objects.filter(user_id=told.user_id, fact_id=told.pk, memory_id__isnull=False)
    moved = list(rows.exclude(memory_id=told.bank_item_id).values_list("pk", flat=True))
    if not moved:
        return
    # Read anew, with its vector: the table still holds the old words.
    apart = Fact.objects.for_user(told.user_id).get(pk=told.pk)
    apart.pk, apart.bank_item_id, apart.is_curated, apart.is_confirmed = uuid4(), None, False, False
    # Never active in the table: there the fact itself holds the place until it is saved.
    apart.state, apart.evidence_count, apart.created_at = FactState.RETRACTED, len(moved), now
    apart.save(force_insert=True)
    FactEvidence.objects.filter(user_id=told.user_id, pk__in=moved).update(fact_id=apart.pk)
    retract_fact(apart, now=now, actor=actor, reason=CORRECTED, successor=corrected)
    keep_evidence(corrected if corrected.pk == told.pk else told, now=now)


def keep_evidence(fact: Fact, *, now: datetime) -> None:
    """A fact that nothing told but the old words rests on the person who corrected it."""
    rows = FactEvidence.objects.filter(user_id=fact.user_id, fact_id=fact.pk)
    if not rows.exists():
        add_evidence(fact, FactOrigin(EvidenceKind.PERSON, uuid4()), 0.0, now)
    fact.evidence_count = rows.count()
    Fact.objects.for_user(fact.user_id).filter(pk=fact.pk).update(evidence_count=fact.evidence_count)


def take_words_back(fact: Fact, *, now: datetime, actor: str) -> None:
    """Worded as before a correction, as by an undo, it is told again by what told it then."""
    apart = Fact.objects.for_user(fact.user_id).filter(state=FactState.RETRACTED, superseded_by=fact.pk)
    for earlier in apart.filter(statement=fact.statement).defer("vector"):
        merge_facts(fact, earlier, now=now, actor=actor, reason=TAKEN_BACK)
