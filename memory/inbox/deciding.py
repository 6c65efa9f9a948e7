"""Deciding one matter or many, and taking a decision back."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.inbox.deeds import DEEDS, DeedContext
from memory.inbox.matters import SOURCES, Matter, get_waiting, list_waiting
from memory.models import DecidedMatter, EndUser, FactReview
from memory.models.inbox import MatterDecision, MatterKind
from memory.store.admission import WriteRefused

# Of one request: each takes a statement or ten, and holds the bank's lock for as long.
MOST_AT_ONCE: Final = 100


def decide_matter(
    user: EndUser, kind: MatterKind, matter_id: str, decision: MatterDecision, *, reason: str, now: datetime, actor: str
) -> DecidedMatter | None:
    """None where nothing of the kind waits by this id. Raises WriteRefused, and nothing was changed then."""
    check_decision(kind, decision)
    with user_scope(user):
        lock_inbox(user)
        matter = get_waiting(user, kind, matter_id, now)
        return carry_out(DeedContext(user, now, actor, reason), matter, decision) if matter else None


def decide_all(
    user: EndUser, kind: MatterKind, decision: MatterDecision, *, now: datetime, actor: str
) -> list[DecidedMatter]:
    """The first hundred of a kind, all or none. Raises WriteRefused, also for what is said of each alone."""
    check_decision(kind, decision)
    if decision is MatterDecision.EXPLAIN:
        raise WriteRefused("decision", "each failure has a reason of its own")
    with user_scope(user):
        lock_inbox(user)
        given = DeedContext(user, now, actor)
        waiting = list_waiting(user, kind, now=now, limit=MOST_AT_ONCE)
        decided = []
        for listed in waiting:
            # By an earlier one of these its subject may have ended: of three that say the same, two merges are enough.
            matter = get_waiting(user, kind, listed.id, now)
            if matter is not None:
                decided.append(carry_out(given, matter, decision))
        return decided


def undo_decision(user: EndUser, decided_id: UUID, *, now: datetime, actor: str) -> DecidedMatter | None:
    """It waits again, and what the decision changed is as it was. None where there is none to take back.

    Raises WriteRefused where that would be refused now.
    """
    with user_scope(user):
        lock_inbox(user)
        row = DecidedMatter.objects.filter(user=user, pk=decided_id).exclude(decision="").first()
        if row is None:
            return None
        deed = DEEDS[MatterKind(row.kind), MatterDecision(row.decision)]
        deed.undo(DeedContext(user, now, actor), row)
        if row.kind == MatterKind.DUPLICATES:
            DecidedMatter.objects.filter(pk=row.pk, user=user).update(
                decision="", decided_at=None, actor="", before={}, found_at=now
            )
        else:
            DecidedMatter.objects.filter(pk=row.pk, user=user).delete()
        return row


def undo_decided_together(user: EndUser, decided_id: UUID, *, now: datetime, actor: str) -> list[DecidedMatter]:
    """Take back a decision with all that were made of its kind at the same moment, all or none. Raises WriteRefused."""
    with user_scope(user):
        lock_inbox(user)
        decided = DecidedMatter.objects.filter(user=user).exclude(decision="")
        named = decided.filter(pk=decided_id).first()
        if named is None:
            return []
        # Backwards, as a statement may have been merged with several: a kind is decided from its latest on.
        together = decided.filter(kind=named.kind, decided_at=named.decided_at).order_by("found_at", "-pk")
        taken = (undo_decision(user, row.pk, now=now, actor=actor) for row in list(together))
        return [row for row in taken if row is not None]


def list_decided(user: EndUser, *, limit: int, kind: MatterKind | None = None) -> list[DecidedMatter]:
    """What can be taken back, the latest first."""
    with user_scope(user):
        decided = DecidedMatter.objects.filter(user=user).exclude(decision="")
        if kind is not None:
            decided = decided.filter(kind=kind)
        return list(decided.order_by("-decided_at", "pk")[:limit])


def check_decision(kind: MatterKind, decision: MatterDecision) -> None:
    if decision not in SOURCES[kind].decisions:
        raise WriteRefused("decision", f"must be one of {', '.join(SOURCES[kind].decisions)}")


def lock_inbox(user: EndUser) -> None:
    """Before any row, and the bank's lock before rows as whoever writes there does."""
    lock_for_transaction("inbox", user)
    lock_for_transaction("bank", user)


def carry_out(given: DeedContext, matter: Matter, decision: MatterDecision) -> DecidedMatter:
    before = DEEDS[matter.kind, decision].do(given, matter)
    row = matter.row if isinstance(matter.row, DecidedMatter) else build_row(given.user, matter)
    row.decision, row.actor, row.decided_at, row.before = decision, given.actor[:100], given.now, before
    row.save()
    return row


def build_row(user: EndUser, matter: Matter) -> DecidedMatter:
    """In the scope of what it is about, so that who may not see that does not see what became of it."""
    subject: Mapping[str, object] = {SOURCES[matter.kind].subject: matter.row.pk}
    scoped = matter.row.fact if isinstance(matter.row, FactReview) else matter.row
    return DecidedMatter(
        user=user,
        agent_id=scoped.agent_id,
        project_id=scoped.project_id,
        kind=matter.kind,
        found_at=matter.at,
        **subject,
    )
