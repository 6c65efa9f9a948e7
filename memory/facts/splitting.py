"""Takes back that two facts were merged: each has its own evidence again, and they are not merged a second time."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from memory.facts.changes import TAKEN_OVER, find_twin, record_fact_event
from memory.models import Fact, FactEvent, FactEvidence, FactReview
from memory.models.facts import FactState, ReviewDecision, ReviewKind

READERS: Final[Mapping[str, Callable[[str], Any]]] = {"base_confidence": float, "bank_item_id": UUID}


def split_fact(fact: Fact, *, now: datetime, actor: str) -> None:
    """A merged fact holds again beside the other, with the evidence it had. In the user's scope, under the lock.

    What the other has learned since stays with it. Where the same is known again by now, nothing happens.
    """
    merged_into = [fact.merged_into] if fact.merged_into else []
    winner = Fact.objects.for_user(fact.user_id).filter(pk__in=merged_into).first()
    if winner is None or find_twin(fact) is not None:
        return
    event = find_merge(winner, fact)
    give_back_evidence(fact, event)
    reset_winner(winner, fact, event, now=now, actor=actor)
    before = {"state": fact.state}
    fact.state, fact.merged_into, fact.archived_at, fact.valid_to = FactState.ACTIVE, None, None, None
    fact.updated_at = now
    fact.revision += 1
    fact.save(update_fields=["state", "merged_into", "archived_at", "valid_to", "updated_at", "revision"])
    record_fact_event(fact, "restored", now=now, actor=actor, reason="taken back", before=before, after={})
    keep_apart(fact, winner, now=now, actor=actor)


def find_merge(winner: Fact, fact: Fact) -> FactEvent | None:
    events = FactEvent.objects.filter(user_id=fact.user_id, fact=winner, kind="merged", after__merged=str(fact.pk))
    return events.order_by("-pk").first()


def give_back_evidence(fact: Fact, event: FactEvent | None) -> None:
    """Bring back the evidence that a merge took from a fact, also where the other fact was merged since."""
    moved = event.after.get("evidence", []) if event is not None else []
    rows = FactEvidence.objects.filter(user_id=fact.user_id, pk__in=moved)
    reached = set(rows.values_list("fact_id", flat=True))
    rows.update(fact=fact)
    for fact_id in {*reached, fact.pk}:
        left = FactEvidence.objects.filter(user_id=fact.user_id, fact_id=fact_id).count()
        Fact.objects.for_user(fact.user_id).filter(pk=fact_id).update(evidence_count=left)
    fact.refresh_from_db(fields=["evidence_count"])


def reset_winner(winner: Fact, fact: Fact, event: FactEvent | None, *, now: datetime, actor: str) -> None:
    """What it took over from the merged fact and has kept since goes back to what it was."""
    winner.refresh_from_db(fields=["evidence_count"])
    before = event.before if event is not None else {}
    for name in TAKEN_OVER:
        # Another mention since has its own time and confidence, which are nobody's to take.
        if name in before and getattr(winner, name) == getattr(fact, name):
            setattr(
                winner, name, None if before[name] is None else READERS.get(name, datetime.fromisoformat)(before[name])
            )
    winner.updated_at = now
    winner.revision += 1
    winner.save()
    record_fact_event(
        winner, "split", now=now, actor=actor, reason="the merge was taken back", after={"split": str(fact.pk)}
    )


def keep_apart(fact: Fact, winner: Fact, *, now: datetime, actor: str) -> None:
    """A person parted them: nothing merges them again by itself. Where a review had merged them it waits anew."""
    pair = Q(fact=fact, other=winner) | Q(fact=winner, other=fact)
    known = FactReview.objects.filter(pair, user_id=fact.user_id)
    if known.filter(decision=ReviewDecision.MERGE).update(decision="", decided_at=None, actor=""):
        return
    if not known.update(decision=ReviewDecision.KEEP_BOTH, decided_at=now, actor=actor):
        newer, older = (fact, winner) if fact.first_seen >= winner.first_seen else (winner, fact)
        FactReview.objects.create(
            user_id=fact.user_id,
            fact=newer,
            other=older,
            kind=ReviewKind.DUPLICATE,
            decision=ReviewDecision.KEEP_BOTH,
            actor=actor,
            created_at=now,
            decided_at=now,
        )


def list_parted(user_id: int) -> set[frozenset[UUID]]:
    """The pairs that a person decided about, or is still to decide about. In the user's scope."""
    pairs = FactReview.objects.filter(user_id=user_id).values_list("fact_id", "other_id")
    return {frozenset(pair) for pair in pairs}
