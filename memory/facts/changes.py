"""The steps a fact can take, each with its event. All run in the user's scope, under the lock of `recording`."""

import json
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Q

from memory.access.deferred_writes import update_later, write_later
from memory.access.locks import lock_for_transaction
from memory.access.outbox import Outbox
from memory.facts.confidence import CONFIRMED
from memory.facts.keys import OPEN_RELATIONS, digest_fact
from memory.facts.queries import current_look_up
from memory.models import EndUser, Fact, FactEvent, FactEvidence, FactReview, FactsDue, FactTombstone
from memory.models.facts import FactState, ReviewDecision
from memory.signals import fact_superseded, facts_due, facts_forgotten

DUE = Outbox(FactsDue, "since")

REASON_CHARS = 300
# In plain SQL, as is what else a turn of the hot path writes for every fact: the mapper took half of its time.
ADD_EVENT: Final = """
INSERT INTO fact_event (user_id, fact_id, kind, reason, before, after, actor, at)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
"""
# What a decided pair had cast doubt on is believed as before, unless something else moved it since.
END_DOUBTS: Final = """
latest AS (
  SELECT DISTINCT ON (fact_id) fact_id, before, after FROM fact_event
  WHERE user_id = %s AND kind = 'doubted' AND fact_id IN (SELECT id FROM concerned) ORDER BY fact_id, id DESC
),
believed AS (
  UPDATE fact SET base_confidence = (before->>'confidence')::float8, updated_at = %s FROM latest
  WHERE user_id = %s AND id = fact_id AND state = 'active' AND base_confidence = (after->>'confidence')::float8
  RETURNING id, before, after
)
INSERT INTO fact_event (user_id, fact_id, kind, reason, before, after, actor, at)
SELECT %s, id, 'settled', '', after, before, %s, %s FROM believed
"""
END_DOUBTS_OF: Final = f"WITH concerned AS (SELECT unnest(%s::uuid[]) AS id),{END_DOUBTS}"
SETTLE_REVIEWS: Final = f"""
WITH settled AS (
  UPDATE fact_review SET decision = '{ReviewDecision.SUPERSEDE}', decided_at = %s, actor = %s
  WHERE user_id = %s AND decision = '' AND (fact_id = ANY(%s) OR other_id = ANY(%s)) RETURNING fact_id, other_id
),
concerned AS (SELECT fact_id AS id FROM settled UNION SELECT other_id FROM settled),{END_DOUBTS}
"""  # noqa: S608 -- names of our own
# Of what a forgotten fact held nothing is left, in its history either.
BLANK: dict[str, Any] = {
    "subject": "",
    "subject_key": "",
    "relation": "",
    "object": "",
    "object_key": "",
    "statement": "",
    "category": "",
    "vector": None,
    "thread_id": "",
}

# As ruled: both are then below what is told unasked, and above what is in no answer.
DOUBT: Final = 0.5
# What is believed of a faded fact that somebody brings back.
RESTORED: Final = 0.5
# What closing sets on a fact.
CLOSED: Final = ("state", "archived_at", "updated_at", "valid_to", "merged_into", "superseded_by", "revision")
# What a merge sets on the fact that stays, and its event keeps from before: times, a number, an id, no words.
TAKEN_OVER: Final = (
    "first_seen", "valid_from", "last_seen", "evidence_at", "base_confidence", "bank_item_id"
)  # fmt: skip


def lock_facts(user: EndUser) -> None:
    """One writer of a person's facts at a time: what a statement replaces must not change while it is judged."""
    lock_for_transaction("facts", user)


def mark_facts_due(user: EndUser, now: datetime) -> None:
    """That this person has facts without a vector. In the transaction that writes them."""
    DUE.mark_later(user, now, lambda: facts_due.send(EndUser, user_id=user.pk))


def record_fact_event(
    fact: Fact,
    kind: str,
    *,
    now: datetime,
    actor: str,
    reason: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    moved = json.dumps(before or {}), json.dumps(after or {})
    write_later(ADD_EVENT, [fact.user_id, fact.pk, kind, reason[:REASON_CHARS], *moved, actor, now])


def close_fact(
    fact: Fact,
    state: FactState,
    *,
    now: datetime,
    actor: str,
    reason: str,
    until: datetime | None = None,
    successor: Fact | None = None,
) -> None:
    """End a fact: it stays readable with its evidence, and no answer calls it current.

    ``until`` is when it ceased to hold; a retracted fact never held.
    """
    before = {"state": fact.state}
    fact.state, fact.archived_at, fact.updated_at = state, now, now
    fact.valid_to = until
    if successor is not None:
        if state is FactState.MERGED:
            fact.merged_into = successor.pk
        else:
            fact.superseded_by = successor.pk
    fact.revision += 1
    update_later(fact, CLOSED)
    after = {"state": fact.state, **({"by": str(successor.pk)} if successor is not None else {})}
    record_fact_event(fact, state.value, now=now, actor=actor, reason=reason, before=before, after=after)
    settle_reviews(fact, now=now, actor=actor)
    if successor is not None and state is not FactState.MERGED:
        fact_superseded.send(Fact, user_id=fact.user_id, fact_id=fact.pk, successor_id=successor.pk)


def fade_facts(user: EndUser, fact_ids: Sequence[UUID], *, now: datetime, actor: str, reason: str) -> None:
    """End current facts that time has worn, all at once: one by one a thousand took four thousand statements."""
    facts = Fact.objects.for_user(user).active().filter(pk__in=fact_ids)
    facts.update(state=FactState.DEPRECATED, archived_at=now, updated_at=now, valid_to=None, revision=F("revision") + 1)
    FactEvent.objects.bulk_create(
        FactEvent(
            user=user,
            fact_id=fact_id,
            kind=FactState.DEPRECATED.value,
            reason=reason[:REASON_CHARS],
            before={"state": FactState.ACTIVE.value},
            after={"state": FactState.DEPRECATED.value},
            actor=actor,
            at=now,
        )
        for fact_id in fact_ids
    )
    settle_reviews_of(user.pk, fact_ids, now=now, actor=actor)


def settle_reviews(fact: Fact, *, now: datetime, actor: str) -> None:
    """Close the reviews of a fact that has ended: a pair of which one no longer holds needs no decision."""
    found = current_look_up()
    if found is None or found.has_reviews:
        settle_reviews_of(fact.user_id, [fact.pk], now=now, actor=actor)


def settle_reviews_of(user_id: int, fact_ids: Sequence[UUID], *, now: datetime, actor: str) -> None:
    """Close the reviews of facts that have ended, and lift the doubt that each cast on the other of its pair."""
    ended = list(fact_ids)
    write_later(SETTLE_REVIEWS, [now, actor, user_id, ended, ended, *list_doubt_values(user_id, now, actor)])


def doubt_facts(facts: Sequence[Fact], *, now: datetime, actor: str) -> None:
    """Lower facts that neither time nor speaker decides between, but those a person vouches for."""
    for fact in facts:
        if fact.is_confirmed or fact.is_curated:
            continue
        before = {"confidence": fact.base_confidence}
        fact.base_confidence *= DOUBT
        fact.updated_at = now
        fact.save(update_fields=["base_confidence", "updated_at"])
        reason, after = "another of the same time says otherwise", {"confidence": fact.base_confidence}
        record_fact_event(fact, "doubted", now=now, actor=actor, reason=reason, before=before, after=after)


def end_doubts(user_id: int, fact_ids: Collection[UUID], *, now: datetime, actor: str) -> None:
    """The pair was decided: what holds is believed as before, unless something else moved it since."""
    write_later(END_DOUBTS_OF, [list(fact_ids), *list_doubt_values(user_id, now, actor)])


def list_doubt_values(user_id: int, now: datetime, actor: str) -> list[Any]:
    return [user_id, now, user_id, user_id, actor, now]


def supersede_fact(fact: Fact, successor: Fact, *, now: datetime, actor: str, reason: str = "") -> None:
    """End a fact because a later statement took its place. It held until that was said."""
    until = max(successor.valid_from or successor.first_seen, fact.valid_from or fact.first_seen)
    close_fact(
        fact,
        FactState.SUPERSEDED,
        now=now,
        actor=actor,
        reason=reason or "a later statement",
        until=until,
        successor=successor,
    )


def retract_fact(
    fact: Fact, *, now: datetime, actor: str, reason: str = "rejected", successor: Fact | None = None
) -> None:
    """End a fact that never held: the person corrected or rejected it."""
    close_fact(fact, FactState.RETRACTED, now=now, actor=actor, reason=reason, successor=successor)


def end_fact(fact: Fact, *, now: datetime, actor: str) -> None:
    """End a fact whose validity has passed, with nothing in its place."""
    close_fact(fact, FactState.SUPERSEDED, now=now, actor=actor, reason="its validity has ended", until=fact.valid_to)


def merge_facts(winner: Fact, loser: Fact, *, now: datetime, actor: str, reason: str = "says the same") -> None:
    """The winner takes the loser's evidence; the loser stays, pointing at it, so that `splitting` can take it back."""
    known = FactEvidence.objects.filter(user_id=winner.user_id, fact=winner).values("kind", "ref_id")
    taken = {(row["kind"], row["ref_id"]) for row in known}
    rows = FactEvidence.objects.filter(user_id=loser.user_id, fact=loser)
    moved = [row.pk for row in rows if (row.kind, row.ref_id) not in taken]
    rows.filter(pk__in=moved).update(fact=winner)
    before = {name: None if (value := getattr(winner, name)) is None else str(value) for name in TAKEN_OVER}
    winner.evidence_count = FactEvidence.objects.filter(user_id=winner.user_id, fact=winner).count()
    winner.first_seen = min(winner.first_seen, loser.first_seen)
    winner.valid_from = min(winner.valid_from or winner.first_seen, loser.valid_from or loser.first_seen)
    winner.last_seen = max(winner.last_seen, loser.last_seen)
    winner.evidence_at = max(winner.evidence_at, loser.evidence_at)
    winner.base_confidence = max(winner.base_confidence, loser.base_confidence)
    winner.bank_item_id = winner.bank_item_id or loser.bank_item_id
    winner.updated_at = now
    winner.revision += 1
    winner.save()
    after = {"merged": str(loser.pk), "evidence": moved}
    record_fact_event(winner, "merged", now=now, actor=actor, reason=reason, before=before, after=after)
    close_fact(loser, FactState.MERGED, now=now, actor=actor, reason=reason, successor=winner)


def confirm_fact(fact: Fact, *, now: datetime, actor: str) -> None:
    """A person says that it is so: believed outright, and time takes nothing away."""
    before = {
        "confidence": fact.base_confidence,
        "state": fact.state,
        "evidence_at": fact.evidence_at.isoformat(),
    }
    fact.is_confirmed, fact.base_confidence, fact.evidence_at = True, CONFIRMED, now
    fact.last_seen, fact.updated_at = max(fact.last_seen, now), now
    fact.save(update_fields=["is_confirmed", "base_confidence", "evidence_at", "last_seen", "updated_at"])
    record_fact_event(fact, "confirmed", now=now, actor=actor, before=before, after={"confidence": CONFIRMED})


def withdraw_confirmation(fact: Fact, confidence: float, evidence_at: datetime, *, now: datetime, actor: str) -> None:
    """Take a person's confirmation back: the fact is as sure again as it was before."""
    before = {"confidence": fact.base_confidence}
    fact.is_confirmed, fact.base_confidence, fact.evidence_at, fact.updated_at = False, confidence, evidence_at, now
    fact.save(update_fields=["is_confirmed", "base_confidence", "evidence_at", "updated_at"])
    after = {"confidence": confidence}
    record_fact_event(fact, "doubted", now=now, actor=actor, reason="taken back", before=before, after=after)


def find_twin(fact: Fact) -> Fact | None:
    """Another active fact that says the same: of the same slot and value, or without a slot of the same words."""
    same = Fact.objects.for_user(fact.user_id).active().of_scope(fact).exclude(pk=fact.pk).filter(
        subject_key=fact.subject_key, relation=fact.relation, object_key=fact.object_key, polarity=fact.polarity
    )  # fmt: skip
    if fact.relation in OPEN_RELATIONS:
        same = same.filter(statement=fact.statement)
    return same.order_by("first_seen", "pk").first()


def restore_fact(fact: Fact, *, now: datetime, actor: str, reason: str = "taken back") -> None:
    """Undo: a superseded or retracted fact holds again. Does nothing to what took its place.

    Where the same fact has been stated again since, that one holds already and this one stays closed.
    """
    closed = {FactState.SUPERSEDED, FactState.RETRACTED, FactState.DEPRECATED}
    if fact.state not in closed or find_twin(fact) is not None:
        return
    before = {"state": fact.state, "valid_to": fact.valid_to.isoformat() if fact.valid_to else None}
    if fact.superseded_by is not None:
        before["by"] = str(fact.superseded_by)
    if fact.state == FactState.DEPRECATED:
        # Somebody says that it still holds: it wears off from today, or the next night would let it fade again.
        fact.evidence_at, fact.base_confidence = now, max(fact.base_confidence, RESTORED)
    fact.state, fact.valid_to, fact.superseded_by, fact.archived_at = FactState.ACTIVE, None, None, None
    fact.updated_at = now
    fact.revision += 1
    fact.save(
        update_fields=[
            "state", "valid_to", "superseded_by", "archived_at", "updated_at", "revision", "evidence_at",
            "base_confidence",
        ]
    )  # fmt: skip
    record_fact_event(fact, "restored", now=now, actor=actor, reason=reason, before=before, after={"state": "active"})
    reopen_reviews(fact)


def reopen_reviews(fact: Fact) -> None:
    """Let pairs wait again whose decision is taken back, if both of their facts hold."""
    decided = FactReview.objects.filter(Q(fact=fact) | Q(other=fact), user_id=fact.user_id)
    ended = decided.filter(decision__in=[ReviewDecision.SUPERSEDE, ReviewDecision.REJECT])
    both = ended.filter(fact__state=FactState.ACTIVE, other__state=FactState.ACTIVE)
    FactReview.objects.filter(pk__in=list(both.values_list("pk", flat=True)), user_id=fact.user_id).update(
        decision="", decided_at=None, actor=""
    )


def reopen_review(review: FactReview) -> None:
    """Let one pair wait again, whatever was decided, if both of its facts hold."""
    both = FactReview.objects.filter(fact__state=FactState.ACTIVE, other__state=FactState.ACTIVE)
    both.filter(user=review.user, pk=review.pk).update(decision="", decided_at=None, actor="")


def forget_facts(user: EndUser, facts: Sequence[Fact], *, now: datetime, actor: str) -> None:
    """Forget for good: words, evidence and history go, and earlier evidence does not bring them back."""
    facts_forgotten.send(EndUser, user=user, facts=facts)
    # What stays ended is not said to have ended by something of which nothing is left.
    Fact.objects.for_user(user).filter(superseded_by__in=[fact.pk for fact in facts]).update(superseded_by=None)
    for fact in facts:
        digest = digest_fact(fact.subject_key, fact.relation, fact.object_key, fact.statement)
        FactTombstone.objects.update_or_create(user=user, digest=digest, defaults={"forgotten_at": now})
        FactEvidence.objects.filter(user=user, fact=fact).delete()
        FactEvent.objects.filter(user=user, fact=fact).delete()
        FactReview.objects.filter(Q(fact=fact) | Q(other=fact), user=user).delete()
        for name, value in BLANK.items():
            setattr(fact, name, value)
        fact.state, fact.archived_at, fact.updated_at = FactState.FORGOTTEN, now, now
        fact.bank_item_id, fact.evidence_count = None, 0
        fact.revision += 1
        fact.save()
        record_fact_event(fact, "forgotten", now=now, actor=actor)
