"""Decides what a new statement does to what is known of a person.

The judge of pairs compares it with the facts of its slot and its neighbours. The same: one more piece of evidence. It
cannot hold beside another: the one said later holds, the other until then. Doubt goes to a person. All of it happens
in one transaction, under a lock of the person's facts, and reading the same turn again changes nothing.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db import connection

from memory.access.confinement import RowScope
from memory.access.deferred_writes import insert_later, update_later
from memory.claims.claim import SPEAKER
from memory.claims.constraints import ENDED, name_category
from memory.claims.dates.endings import find_end
from memory.claims.dates.starting import find_start
from memory.facts import changes
from memory.facts.confidence import STEP_SAID_AGAIN
from memory.facts.drafts import FactDraft
from memory.facts.evidence import FactOrigin, begin_evidence, find_facts_of, reinforce_fact
from memory.facts.judgement import JudgedFacts, judge_candidates, name_slot
from memory.facts.keys import digest_fact, fold_key
from memory.facts.queries import FoundSlots, find_slots, use_looked_up
from memory.facts.repeating import find_known, find_told
from memory.language.analysis import extract_terms
from memory.models import EndUser, Fact, FactReview
from memory.models.facts import EvidenceKind, ReviewKind
from memory.signals import review_due
from memory.tiers import Indexing

REWORDED: Final = ("statement", "lang", "vector", "model", "indexing")
NEW: Final = "new"
# Of whose object the other's subject says as much.
TAKES, DOSE = "takes", "takes_dose"
WORKS_AT: Final = "works_at"
SUPERIORS: Final = ("boss", "reports_to")
IMPLIED: Final = {DOSE: TAKES}
FIND_TOMBSTONE: Final = "SELECT 1 FROM fact_tombstone WHERE user_id = %s AND digest = %s AND forgotten_at >= %s LIMIT 1"


class FactEffect(enum.StrEnum):
    ADDED = "added"
    REINFORCED = "reinforced"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    REVIEW = "review"
    # The person had it forgotten after it was said.
    BLOCKED = "blocked"
    # A remark that changes nothing of what is known.
    PASSED_OVER = "passed_over"


@dataclass(slots=True)
class RecordedFact:
    """What a statement did. ``closed`` are the facts it ended; ``fact`` is None where nothing was recorded."""

    fact: Fact | None
    effect: FactEffect
    closed: list[Fact] = field(default_factory=list)
    review: FactReview | None = None
    is_new_evidence: bool = True
    # What a remark was kept beside.
    about: Fact | None = None
    # The words of a known fact before it took those of the statement.
    reworded_from: str = ""


def record_fact(
    user: EndUser,
    draft: FactDraft,
    origin: FactOrigin,
    *,
    now: datetime,
    actor: str,
    told_with: Sequence[Fact] | None = None,
    found: FoundSlots | None = None,
) -> RecordedFact:
    """Record one statement. In the user's scope; asks no other service.

    ``told_with``: the facts of the same origin, of a caller that holds the lock; ``found``: what `look_up_drafts` read.
    """
    found = found or FoundSlots()
    if told_with is None:
        changes.lock_facts(user)
    told_with = find_facts_of(user, origin) if told_with is None else told_with
    with use_looked_up(found):
        return record_draft(user, draft, origin, found, told_with, now=now, actor=actor)


def record_draft(
    user: EndUser,
    draft: FactDraft,
    origin: FactOrigin,
    found: FoundSlots,
    told_with: Sequence[Fact],
    *,
    now: datetime,
    actor: str,
) -> RecordedFact:
    """Record a statement: as evidence of a fact that says the same, or as a new one with what it ends."""
    keys = list_keys(draft)
    if known := find_known(user, draft, keys, told_with) or find_told(user, draft, keys, told_with, found):
        return RecordedFact(known, FactEffect.REINFORCED, is_new_evidence=False)
    # What stands in the bank is there for everybody to see, forgotten or not.
    if origin.kind is not EvidenceKind.BANK and is_forgotten(user, draft, keys, found):
        return RecordedFact(None, FactEffect.BLOCKED)
    # Of one breath two facts hold together, unless the person corrects themselves in it.
    is_corrected = draft.is_correction or bool(draft.replaces)
    beside = {fact.pk for fact in told_with if not is_corrected or fact.statement == draft.statement}
    judged = judge_candidates(user, draft, keys, beside, origin)
    if draft.is_remark and not ends_something(judged, draft) and judged.about is None:
        return RecordedFact(None, FactEffect.PASSED_OVER)
    if judged.same:
        best = max(judged.same, key=lambda pair: (pair[1] or 0.0, pair[0].last_seen, pair[0].pk))[0]
        found.fresh.discard(best.pk)
        is_first = all(fact.pk != best.pk for fact in told_with)
        recorded = support_fact(best, draft, origin, judged, is_first=is_first, now=now, actor=actor)
    else:
        fact = insert_fact(user, draft, keys, origin, now=now, actor=actor)
        found.fresh.add(fact.pk)
        recorded = settle_conflicts(fact, draft, judged, now=now, actor=actor)
    forget_looked_up(found, recorded, draft)
    return recorded


def look_up_drafts(user: EndUser, drafts: Sequence[FactDraft], scope: RowScope) -> FoundSlots:
    """What is known of the slots of quick drafts, for all of a turn. In the user's scope, the facts locked."""
    quick = [draft for draft in drafts if draft.is_quick]
    return find_slots(user, [name_slot(draft, list_keys(draft)) for draft in quick], scope)


def list_keys(draft: FactDraft) -> tuple[str, str, str]:
    return fold_key(draft.subject), draft.relation, fold_key(draft.object)


def forget_looked_up(found: FoundSlots, recorded: RecordedFact, draft: FactDraft) -> None:
    """Forget what a statement has changed of what was looked up, so that the next statements read it anew."""
    is_of_doses = draft.relation in {TAKES, DOSE}
    found.has_reviews = found.has_reviews or recorded.review is not None
    if recorded.review is not None or (recorded.closed and (found.has_reviews or is_of_doses)):
        # It may have moved facts of any slot.
        found.drop_all()
        return
    for fact in [*recorded.closed, *([recorded.fact] if recorded.fact is not None else [])]:
        found.drop_moved(fact)
    if recorded.fact is not None and recorded.reworded_from:
        # Both sentences tell of other facts now.
        found.reworded[recorded.fact.pk] = recorded.reworded_from
        found.drop_sentences(recorded.reworded_from, recorded.fact.statement)
    elif recorded.fact is not None and recorded.fact.pk in found.fresh:
        found.drop_sentences(recorded.fact.statement)


def mark_unembedded(user: EndUser, recorded: Sequence[RecordedFact], now: datetime) -> None:
    """That quick drafts left facts without a vector: once for all of a turn, or of an import."""
    if any(one.fact is not None and one.fact.indexing == Indexing.PENDING for one in recorded):
        changes.mark_facts_due(user, now)


def ends_something(judged: JudgedFacts, draft: FactDraft) -> bool:
    return any(fact.last_seen <= draft.occurred_at for fact, _ in judged.contradicting)


def is_forgotten(user: EndUser, draft: FactDraft, keys: tuple[str, str, str], found: FoundSlots) -> bool:
    if (known := found.forgotten.get(name_slot(draft, keys))) is not None:
        return known
    digest = digest_fact(*keys, draft.statement)
    with connection.cursor() as cursor:
        cursor.execute(FIND_TOMBSTONE, [user.pk, digest, draft.occurred_at])
        return cursor.fetchone() is not None


def support_fact(
    fact: Fact, draft: FactDraft, origin: FactOrigin, judged: JudgedFacts, *, is_first: bool, now: datetime, actor: str
) -> RecordedFact:
    """Count a repeated statement as evidence. Said with more words, it becomes the wording.

    ``is_first``: nothing of this origin speaks for the fact yet.
    """
    is_merged, before = fold_key(fact.statement) != fold_key(draft.statement), fact.statement
    is_new = reinforce_fact(fact, origin, STEP_SAID_AGAIN, draft.occurred_at, now, is_first=is_first)
    if is_new and draft.occurred_at >= fact.last_seen and (end := find_end(draft.statement, draft.occurred_at)):
        fact.valid_to = end
        update_later(fact, ("valid_to",))
    if is_new and (start := find_draft_start(draft)) and start < (fact.valid_from or fact.first_seen):
        fact.valid_from = start
        update_later(fact, ("valid_from",))
    if is_merged and is_new and says_more(draft.statement, fact.statement):
        reword_fact(fact, draft, now=now, actor=actor)
    closed = (
        close_contradicted(fact, draft, judged, now=now, actor=actor) if draft.occurred_at >= fact.last_seen else []
    )
    effect = FactEffect.SUPERSEDED if closed else FactEffect.MERGED if is_merged else FactEffect.REINFORCED
    reworded_from = before if fact.statement != before else ""
    return RecordedFact(fact, effect, closed, is_new_evidence=is_new, reworded_from=reworded_from)


def says_more(new: str, old: str) -> bool:
    """Whether a wording holds every word of the other that counts, and more."""
    told, known = set(extract_terms(new)), set(extract_terms(old))
    return known < told


def reword_fact(fact: Fact, draft: FactDraft, *, now: datetime, actor: str) -> None:
    before = {"statement": fact.statement}
    fact.statement, fact.lang = draft.statement, draft.lang
    set_vector(fact, draft)
    update_later(fact, REWORDED)
    changes.record_fact_event(
        fact, "reworded", now=now, actor=actor, before=before, after={"statement": fact.statement}
    )


def set_vector(fact: Fact, draft: FactDraft) -> None:
    fact.vector = None if draft.vector is None else draft.vector.tolist()
    fact.model = draft.model if draft.vector is not None else ""
    fact.indexing = Indexing.PENDING if draft.vector is None else Indexing.READY


def insert_fact(
    user: EndUser, draft: FactDraft, keys: tuple[str, str, str], origin: FactOrigin, *, now: datetime, actor: str
) -> Fact:
    """A new fact of a draft with its first evidence."""
    fact = Fact(
        user=user,
        agent_id=origin.scope.agent_id,
        project_id=origin.scope.project_id,
        subject=draft.subject,
        subject_key=keys[0],
        relation=draft.relation,
        object=draft.object,
        object_key=keys[2],
        statement=draft.statement,
        category=name_category(draft.statement, draft.relation, draft.category, draft.tense, draft.object),
        lang=draft.lang,
        polarity=draft.polarity,
        tense=draft.tense,
        base_confidence=draft.confidence,
        evidence_at=draft.occurred_at,
        valid_from=find_draft_start(draft) or draft.occurred_at,
        # "In the garage till Tuesday": the night after that day ends it.
        valid_to=None if draft.tense == ENDED else find_end(draft.statement, draft.occurred_at),
        first_seen=draft.occurred_at,
        last_seen=draft.occurred_at,
        thread_id=origin.thread_id,
        trust=draft.trust,
        principal=actor,
        created_at=now,
        updated_at=now,
    )
    set_vector(fact, draft)
    insert_later(fact)
    if draft.vector is None and not draft.is_quick:
        changes.mark_facts_due(user, now)
    begin_evidence(fact, origin, draft.confidence, draft.occurred_at)
    changes.record_fact_event(
        fact, "added", now=now, actor=actor, after={"state": fact.state, "confidence": draft.confidence}
    )
    return fact


def find_draft_start(draft: FactDraft) -> datetime | None:
    """Since when it holds by its own words. What takes whose place is told by when each was said."""
    if draft.tense == ENDED or not draft.polarity:
        return None
    return find_start(draft.statement, draft.relation, draft.occurred_at, is_new=draft.tense == NEW)


def settle_conflicts(fact: Fact, draft: FactDraft, judged: JudgedFacts, *, now: datetime, actor: str) -> RecordedFact:
    """End what the new fact contradicts, or the new fact where it is older than what contradicts it."""
    newer = [other for other, _ in judged.contradicting if other.last_seen > draft.occurred_at]
    if newer:
        # It was said before what is known, as in an import: it came first and has ended since.
        first = min(newer, key=lambda other: (other.first_seen, other.pk))
        first = find_first_after(first, draft.occurred_at)
        changes.supersede_fact(fact, first, now=now, actor=actor, reason="said before what is known")
        return RecordedFact(fact, FactEffect.SUPERSEDED, [fact])
    closed = close_contradicted(fact, draft, judged, now=now, actor=actor)
    review = open_review(fact, judged, closed, now=now)
    effect = FactEffect.SUPERSEDED if closed else FactEffect.REVIEW if review else FactEffect.ADDED
    return RecordedFact(fact, effect, closed, review, about=judged.about)


def find_first_after(fact: Fact, said_at: datetime) -> Fact:
    """What took the slot first after that time: the fact, or one that led to it and has ended by now.

    Hull, said before Leeds became York, held until Leeds; ended by York it would hold beside Leeds for a while.
    """
    seen = {fact.pk}
    slot = Fact.objects.for_user(fact.user_id).filter(relation=fact.relation, subject_key=fact.subject_key)
    while (
        earlier := slot.filter(superseded_by=fact.pk, first_seen__gt=said_at)
        .exclude(pk__in=seen)
        .order_by("first_seen")
        .first()
    ) is not None:
        seen.add(earlier.pk)
        fact = earlier
    return fact


def close_contradicted(fact: Fact, draft: FactDraft, judged: JudgedFacts, *, now: datetime, actor: str) -> list[Fact]:
    """End the earlier facts that cannot hold beside this one; those a person vouches for wait for them."""
    closed = []
    for other, _ in judged.contradicting:
        if other.pk == fact.pk or other.last_seen > draft.occurred_at or needs_review(other, draft):
            continue
        if draft.is_correction:
            changes.retract_fact(other, now=now, actor=actor, reason="corrected", successor=fact)
        else:
            changes.supersede_fact(other, fact, now=now, actor=actor)
        closed.append(other)
        reword_implied(other, fact, draft, now=now, actor=actor)
        closed += end_dose(other, fact, draft, now=now, actor=actor)
        closed += end_superior(other, fact, draft, now=now, actor=actor)
    return closed


def end_dose(ended: Fact, successor: Fact, draft: FactDraft, *, now: datetime, actor: str) -> list[Fact]:
    """With a medicine that is stopped its dose ends, whatever took its place: "I take sertraline 50 mg" was told on by
    the dose alone. Not while somebody else takes it."""
    is_over = draft.relation == TAKES and draft.tense == ENDED
    is_same = ended.object_key in fold_key(draft.object) and not is_over
    if ended.relation != TAKES or draft.relation == DOSE or is_same:
        return []
    active = Fact.objects.for_user(ended.user_id).active()
    if active.filter(relation=TAKES, object_key=ended.object_key).exclude(pk__in=[ended.pk, successor.pk]).exists():
        return []
    doses = active.filter(relation=DOSE, subject_key=ended.object_key, last_seen__lte=draft.occurred_at)
    told = [dose for dose in doses if not needs_review(dose, draft)]
    for dose in told:
        changes.supersede_fact(dose, successor, now=now, actor=actor)
    return told


def end_superior(ended: Fact, successor: Fact, draft: FactDraft, *, now: datetime, actor: str) -> list[Fact]:
    """Whoever was somebody's boss where they no longer work is so no longer: nobody tells it."""
    is_left = ended.relation == WORKS_AT and draft.relation == WORKS_AT
    if not is_left or draft.is_correction or (draft.tense != ENDED and fold_key(draft.object) == ended.object_key):
        return []
    active = Fact.objects.for_user(ended.user_id).active()
    bosses = active.filter(relation__in=SUPERIORS, subject_key=ended.subject_key, last_seen__lte=draft.occurred_at)
    # Who was named after the new work began, or by the same sentence, is of that.
    told = [one for one in bosses if not needs_review(one, draft) and one.statement != draft.statement]
    for boss in told:
        changes.supersede_fact(boss, successor, now=now, actor=actor)
    return told


def reword_implied(ended: Fact, successor: Fact, draft: FactDraft, *, now: datetime, actor: str) -> None:
    """Let what the new words imply be told in them: that somebody takes a medicine stood in the bank with the dose
    before, for as long as they took it."""
    implied = IMPLIED.get(successor.relation)
    if implied is None or ended.bank_item_id is None or ended.relation != successor.relation:
        return
    beside = Fact.objects.for_user(ended.user_id).active().filter(bank_item_id=ended.bank_item_id, is_curated=False)
    told = beside.filter(relation=implied, object_key=successor.subject_key, statement=ended.statement)
    # Of somebody else's medicine the new words tell less of whose it is.
    for fact in told.filter(subject_key=SPEAKER):
        reword_fact(fact, draft, now=now, actor=actor)
        fact.bank_item_id = None
        fact.save(update_fields=["bank_item_id"])


def needs_review(fact: Fact, draft: FactDraft) -> bool:
    """A less trusted voice may not end what the person said, nor a remark what they wrote into the bank by hand."""
    return fact.is_curated or draft.trust < fact.trust


def open_review(fact: Fact, judged: JudgedFacts, closed: list[Fact], *, now: datetime) -> FactReview | None:
    """One pair for a person to decide: the nearest of what contradicts and was not ended, or likely does, else of what
    is unclear."""
    done = {other.pk for other in closed}
    against = judged.contradicting or judged.doubted
    left = [(other, cosine, ReviewKind.CONTRADICTION) for other, cosine in against if other.pk not in done]
    left = left or [(other, cosine, ReviewKind.UNSURE) for other, cosine in judged.unsure]
    if not left:
        return None
    other, cosine, kind = max(left, key=lambda pair: (pair[1] or 0.0, pair[0].pk))
    # Of two facts in one sentence a person need decide but once.
    told = FactReview.objects.filter(user_id=fact.user_id, other=other, fact__statement=fact.statement).first()
    if told is not None:
        return told
    review, is_new = FactReview.objects.get_or_create(
        user_id=fact.user_id, fact=fact, other=other, defaults={"kind": kind, "cosine": cosine, "created_at": now}
    )
    if is_new:
        review_due.send(FactReview, user_id=fact.user_id, review_id=review.pk)
    return review
