"""What each decision does to what it is about, and how it is taken back. In the user's scope, under the inbox's lock.

A deed returns what it changed, as it was; its undo is given that. Nothing here is done that a person could not do on
the page of the memory, fact or turn itself.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from memory.facts import changes
from memory.inbox.matters import Matter
from memory.lifecycle import bank, curation
from memory.models import DecidedMatter, EndUser, Fact, FactReview, MemoryItem
from memory.models.facts import ReviewDecision
from memory.models.inbox import MatterDecision, MatterKind
from memory.store import archiving, merging, rows, standing, writing
from memory.store.admission import WriteRefused
from memory.tiers import Status, Tier
from outcomes.verdicts import explaining

REASON: Final = "decided in the inbox"
TAKEN_BACK: Final = "taken back"


@dataclass(frozen=True, slots=True)
class DeedContext:
    user: EndUser
    now: datetime
    actor: str
    # What a person says of a failure.
    reason: str = ""


Before = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Deed:
    """``undo`` is given the decision's row, with what ``do`` returned in ``before``."""

    do: Callable[[DeedContext, Matter], Before]
    undo: Callable[[DeedContext, DecidedMatter], None]
    said: str = field(default="")


def do_nothing(given: DeedContext, matter: Matter) -> Before:
    return {}


def undo_nothing(given: DeedContext, row: DecidedMatter) -> None:
    """It was left as it was."""


# --- memories -----------------------------------------------------------------------------------------------------
def archive_item(given: DeedContext, matter: Matter) -> Before:
    """Of two duplicates the weaker."""
    item = matter.items[1] if matter.items else matter.row
    archiving.retire_memories(
        given.user, {UUID(str(item.pk)): REASON}, Status.ARCHIVED, now=given.now, actor=given.actor
    )
    return {"archived": str(item.pk)}


def restore_item(given: DeedContext, row: DecidedMatter) -> None:
    restore_archived(given, UUID(row.before["archived"]))


def restore_archived(given: DeedContext, item_id: UUID) -> None:
    item = archiving.restore_memory(given.user, item_id, now=given.now, actor=given.actor)
    if item is not None and item.tier == Tier.MEMORY_BANK:
        bank.make_room(given.user, now=given.now, keep=[item.pk])


def vouch_for_item(given: DeedContext, matter: Matter) -> Before:
    item = read_item(matter)
    before = {"trust": item.trust}
    writing.vouch_for_memory(given.user, item.pk, now=given.now, actor=given.actor)
    return before


def suspect_again(given: DeedContext, row: DecidedMatter) -> None:
    item = lock_subject_item(given, row)
    standing.withdraw_vouching(item, trust=row.before["trust"], now=given.now, actor=given.actor)


def keep_for_good(given: DeedContext, matter: Matter) -> Before:
    """Its time in its tier ends no more."""
    item = read_item(matter)
    before = {"expires_at": item.expires_at.isoformat() if item.expires_at else None}
    standing.set_expiry(item, None, now=given.now, actor=given.actor, reason=REASON)
    return before


def expire_again(given: DeedContext, row: DecidedMatter) -> None:
    ends = row.before["expires_at"]
    item = lock_subject_item(given, row)
    standing.set_expiry(
        item, datetime.fromisoformat(ends) if ends else None, now=given.now, actor=given.actor, reason=TAKEN_BACK
    )


def merge_pair(given: DeedContext, matter: Matter) -> Before:
    winner, loser = (lock_item(given.user, item.pk) for item in matter.items)
    # How many tags were its own: no word of theirs is kept here.
    before = {
        "loser": str(loser.pk),
        "mentions": loser.mentions,
        "tags": len(winner.tags),
        "always": winner.always_inject,
    }
    merging.merge_items(given.user, winner, loser, now=given.now, actor=given.actor)
    return before


def part_pair(given: DeedContext, row: DecidedMatter) -> None:
    winner = lock_subject_item(given, row)
    loser = lock_item(given.user, UUID(row.before["loser"]))
    merging.part_items(
        winner,
        loser,
        mentions=row.before["mentions"],
        own_tags=row.before["tags"],
        always_inject=row.before["always"],
        now=given.now,
        actor=given.actor,
    )
    restore_archived(given, loser.pk)


# --- facts --------------------------------------------------------------------------------------------------------
def decide_pair(given: DeedContext, matter: Matter, decision: ReviewDecision) -> Before:
    review = curation.decide_review(given.user, UUID(matter.id), decision, now=given.now, actor=given.actor)
    if review is None or review.decided_at != given.now:
        raise WriteRefused("id", "was decided by somebody else")
    return {}


def reopen_pair(given: DeedContext, row: DecidedMatter) -> None:
    waited = FactReview.objects.filter(user=given.user).select_related("fact", "other")
    review = waited.filter(pk=row.review_id).first() if row.review_id else None
    if review is None:
        raise WriteRefused("id", "its facts are gone")
    for fact in (review.fact, review.other):
        if fact.state != "active":
            curation.restore_fact(given.user, fact.pk, now=given.now, actor=given.actor)
    changes.reopen_review(review)


def confirm_fact(given: DeedContext, matter: Matter) -> Before:
    fact = read_fact(matter)
    before = {"confidence": fact.base_confidence, "evidence_at": fact.evidence_at.isoformat()}
    curation.confirm_fact(given.user, fact.pk, now=given.now, actor=given.actor)
    return before


def doubt_fact_again(given: DeedContext, row: DecidedMatter) -> None:
    fact = curation.find_fact_to_change(given.user, row.fact_id) if row.fact_id else None
    if fact is None:
        raise WriteRefused("id", "the fact is gone")
    evidence_at = datetime.fromisoformat(row.before["evidence_at"])
    changes.withdraw_confirmation(fact, row.before["confidence"], evidence_at, now=given.now, actor=given.actor)


def reject_fact(given: DeedContext, matter: Matter) -> Before:
    curation.reject_fact(given.user, read_fact(matter).pk, now=given.now, actor=given.actor)
    return {}


def restore_fact(given: DeedContext, row: DecidedMatter) -> None:
    if row.fact_id is None or curation.restore_fact(given.user, row.fact_id, now=given.now, actor=given.actor) is None:
        raise WriteRefused("id", "the fact is gone")


# --- verdicts -----------------------------------------------------------------------------------------------------
def explain_failure(given: DeedContext, matter: Matter) -> Before:
    if not given.reason.strip():
        raise WriteRefused("reason", "say why it failed")
    lesson = explaining.explain_failure(given.user, int(matter.id), given.reason, now=given.now, actor=given.actor)
    return {"lesson": str(lesson)}


def withdraw_explanation(given: DeedContext, row: DecidedMatter) -> None:
    if row.event_id is not None:
        explaining.withdraw_explanation(
            given.user, row.event_id, UUID(row.before["lesson"]), now=given.now, actor=given.actor
        )


# --- rows ---------------------------------------------------------------------------------------------------------
def read_item(matter: Matter) -> MemoryItem:
    if not isinstance(matter.row, MemoryItem):
        raise TypeError(f"{matter.kind} is not about a memory")
    return matter.row


def read_fact(matter: Matter) -> Fact:
    if not isinstance(matter.row, Fact):
        raise TypeError(f"{matter.kind} is not about a fact")
    return matter.row


def lock_subject_item(given: DeedContext, row: DecidedMatter) -> MemoryItem:
    if row.item_id is None:
        raise WriteRefused("id", "the memory is gone")
    return lock_item(given.user, row.item_id)


def lock_item(user: EndUser, item_id: UUID) -> MemoryItem:
    item = rows.lock_item(user, item_id)
    if item is None:
        raise WriteRefused("id", "the memory is gone")
    return item


def build_pair_deed(decision: ReviewDecision) -> Deed:
    return Deed(lambda given, matter: decide_pair(given, matter, decision), reopen_pair)


LEFT: Final = Deed(do_nothing, undo_nothing)
ARCHIVED: Final = Deed(archive_item, restore_item)
DEEDS: Final[Mapping[tuple[MatterKind, MatterDecision], Deed]] = {
    (MatterKind.CONTRADICTIONS, MatterDecision.SUPERSEDE): build_pair_deed(ReviewDecision.SUPERSEDE),
    (MatterKind.CONTRADICTIONS, MatterDecision.MERGE): build_pair_deed(ReviewDecision.MERGE),
    (MatterKind.CONTRADICTIONS, MatterDecision.KEEP_BOTH): build_pair_deed(ReviewDecision.KEEP_BOTH),
    (MatterKind.CONTRADICTIONS, MatterDecision.REJECT): build_pair_deed(ReviewDecision.REJECT),
    (MatterKind.SUSPECTED, MatterDecision.KEEP): Deed(vouch_for_item, suspect_again),
    (MatterKind.SUSPECTED, MatterDecision.ARCHIVE): ARCHIVED,
    (MatterKind.DUPLICATES, MatterDecision.MERGE): Deed(merge_pair, part_pair),
    (MatterKind.DUPLICATES, MatterDecision.KEEP_BOTH): LEFT,
    (MatterKind.DUPLICATES, MatterDecision.ARCHIVE): ARCHIVED,
    (MatterKind.DOUBTFUL, MatterDecision.KEEP): Deed(confirm_fact, doubt_fact_again),
    (MatterKind.DOUBTFUL, MatterDecision.REJECT): Deed(reject_fact, restore_fact),
    (MatterKind.UNEXPLAINED, MatterDecision.EXPLAIN): Deed(explain_failure, withdraw_explanation),
    (MatterKind.UNEXPLAINED, MatterDecision.KEEP): LEFT,
    (MatterKind.EXPIRING, MatterDecision.KEEP): Deed(keep_for_good, expire_again),
    (MatterKind.EXPIRING, MatterDecision.ARCHIVE): ARCHIVED,
    (MatterKind.REDACTIONS, MatterDecision.KEEP): LEFT,
    (MatterKind.REDACTIONS, MatterDecision.ARCHIVE): ARCHIVED,
}
