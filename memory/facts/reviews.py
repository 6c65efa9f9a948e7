"""Pairs of facts that wait for a person, and what becomes of them by a decision."""

from datetime import datetime
from uuid import UUID

from memory.access.scope import user_scope
from memory.facts import changes
from memory.models import EndUser, Fact, FactReview
from memory.models.facts import FactState, ReviewDecision


def list_reviews(
    user: EndUser, *, after: tuple[datetime, UUID] | None = None, limit: int, is_open: bool = True
) -> list[FactReview]:
    """Newest first, with both facts."""
    with user_scope(user):
        waiting = FactReview.objects.filter(user=user).select_related("fact", "other")
        waiting = waiting.filter(decision="") if is_open else waiting.exclude(decision="")
        if after is not None:
            waiting = waiting.filter(created_at__lt=after[0]) | waiting.filter(created_at=after[0], pk__gt=after[1])
        return list(waiting.order_by("-created_at", "pk")[:limit])


def count_open_reviews(user: EndUser) -> int:
    with user_scope(user):
        return FactReview.objects.filter(user=user, decision="").count()


def decide_review(
    user: EndUser, review_id: UUID, decision: ReviewDecision, *, now: datetime, actor: str
) -> tuple[FactReview, list[Fact]] | None:
    """Apply a decision. Returns the review and the facts it ended, None where there is no such review.

    merge: the newer's evidence goes to the older. supersede: the newer holds, the older until then. keep_both: both
    hold. reject: the newer never was so. A review decided before stays as it was. In the user's scope.
    """
    changes.lock_facts(user)
    review = FactReview.objects.filter(user=user, pk=review_id).select_related("fact", "other").first()
    if review is None:
        return None
    if review.decision:
        return review, []
    review.decision, review.decided_at, review.actor = decision, now, actor
    review.save(update_fields=["decision", "decided_at", "actor"])
    newer, older = review.fact, review.other
    if FactState.ACTIVE not in {newer.state, older.state} or newer.state != older.state:
        return review, []
    ended = end_decided(newer, older, decision, now=now, actor=actor)
    changes.end_doubts(user.pk, {newer.pk, older.pk}, now=now, actor=actor)
    return review, ended


def end_decided(newer: Fact, older: Fact, decision: ReviewDecision, *, now: datetime, actor: str) -> list[Fact]:
    reason = "decided in review"
    if decision is ReviewDecision.MERGE:
        changes.merge_facts(older, newer, now=now, actor=actor, reason=reason)
        return [newer]
    if decision is ReviewDecision.SUPERSEDE:
        changes.supersede_fact(older, newer, now=now, actor=actor, reason=reason)
        return [older]
    if decision is ReviewDecision.REJECT:
        changes.retract_fact(newer, now=now, actor=actor, reason=reason)
        return [newer]
    return []
