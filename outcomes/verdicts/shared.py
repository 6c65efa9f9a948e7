"""What a person's verdict does to memories of their spaces.

It counts where the person may write, and a member counts once for a memory: their latest verdict takes the place of
their earlier ones. A reader's is kept with the turn alone. The lines of a space hold no question, reason or name.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.access.confinement import current_scope, is_bound
from memory.access.locks import lock_for_transaction
from memory.access.membership import act_as_member, act_as_service
from memory.access.scope import visit_space
from memory.access.spaces import SpaceAccess, list_memberships
from memory.models import EndUser, MemoryItem, Turn
from memory.tiers import SCORED_TIERS
from outcomes.verdicts.ledger import JudgedMemories, Verdict, VerdictSubject, settle_verdict

# As the history of a memory of a space names who gave a verdict.
A_MEMBER = "a member"


@dataclass(frozen=True, slots=True)
class SharedSubject:
    """A memory of a space that a verdict is about."""

    memory_id: uuid.UUID
    tier: str
    access: SpaceAccess


@dataclass(frozen=True, slots=True)
class SharedVerdict:
    """``counted`` where the score of the memory follows it."""

    memory_id: uuid.UUID
    space: str
    counted: bool


def find_shared_subjects(user: EndUser, ids: Sequence[uuid.UUID]) -> list[SharedSubject]:
    """Those that are in a space of the person, in their order. In the user's scope, which it leaves for each space."""
    found: dict[uuid.UUID, SharedSubject] = {}
    for access in list_memberships(user) if ids else ():
        with act_as_member(user.pk), visit_space(access.space_id):
            rows = MemoryItem.objects.for_user(access.space_id).filter(pk__in=list(ids)).values_list("pk", "tier")
            found |= {key: SharedSubject(key, tier, access) for key, tier in rows}
        if len(found) == len(ids):
            break
    return [found[key] for key in ids if key in found]


def count_in_spaces(
    user: EndUser, subjects: Sequence[SharedSubject], verdict: Verdict, *, now: datetime
) -> list[SharedVerdict]:
    """In the user's scope, so that it holds or fails with the verdict on the turn."""
    if not subjects:
        return []
    # Two turns of one person at once would each find no earlier verdict of theirs.
    lock_for_transaction("verdicts in spaces", user)
    # A key of one agent or project changes nothing in a space.
    may_count = not (current_scope() and is_bound())
    told: list[SharedVerdict] = []
    # In order of space and id, so that two members cannot deadlock.
    for subject in sorted(subjects, key=lambda one: (one.access.space_id, one.memory_id)):
        counted = may_count and subject.access.role.may_write and subject.tier in SCORED_TIERS
        if counted:
            with act_as_service(), visit_space(subject.access.space_id):
                settle_in_space(user, subject, verdict, now)
        told.append(SharedVerdict(subject.memory_id, subject.access.slug, counted))
    return told


def settle_in_space(user: EndUser, subject: SharedSubject, verdict: Verdict, now: datetime) -> None:
    partition = subject.access.partition
    heard = Turn(user_id=partition.pk, turn_id=name_vote(user, subject.memory_id))
    settle_verdict(
        partition,
        VerdictSubject(heard, None),
        Verdict(verdict.outcome, actor=A_MEMBER),
        JudgedMemories([subject.memory_id]),
        now=now,
    )


def name_vote(user: EndUser, memory_id: uuid.UUID) -> uuid.UUID:
    """Under which a member's verdict on a memory stands in the ledger of its space."""
    return uuid.uuid5(uuid.NAMESPACE_OID, f"commonplace verdict {user.pk} {memory_id}")
