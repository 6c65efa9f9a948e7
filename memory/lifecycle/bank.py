"""The room in the memory bank: chooses what to archive when it is full, or when one source holds too much of it."""

import uuid
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Count

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser, MemoryItem
from memory.models.items import ItemQuerySet
from memory.scoring import bank_quality, wilson_lower_bound
from memory.store import archiving
from memory.store.admission import WriteRefused
from memory.tiers import Status, Tier, Trust


@dataclass(frozen=True, slots=True)
class EvictionCandidate:
    """The facts that decide whether an item keeps its place."""

    item_id: uuid.UUID
    trust: int
    principal: str
    always_inject: bool
    review: bool
    quality: float
    wilson: float
    last_used_at: datetime | None
    created_at: datetime
    is_kept: bool

    @property
    def is_safe(self) -> bool:
        """Items a person pinned, and the one a person has just written, are never archived to make room."""
        return self.trust >= Trust.USER and ((self.always_inject and not self.review) or self.is_kept)

    @property
    def strength(self) -> tuple[object, ...]:
        used = self.last_used_at or datetime.min.replace(tzinfo=UTC)
        # The id last: equal items must go in the same order in a dry run and in the pass.
        worth = (self.always_inject, self.quality, self.wilson, used, self.created_at, self.item_id)
        return (self.trust, self.is_kept, not self.review, *worth)


def choose_evictions(user: EndUser, keep: Collection[uuid.UUID] = ()) -> dict[uuid.UUID, str]:
    """Ids that must leave the bank, each with the reason: first of sources that hold more than their share.

    The least trusted go first, then the weakest by quality, Wilson bound and last use. ``keep`` was just written: it
    goes last among equals, and never before an item of lower trust.
    """
    capacity, share = memory_conf().limits.bank_capacity, get_source_capacity()
    bank = MemoryItem.objects.for_user(user).active().filter(tier=Tier.MEMORY_BANK)
    counted = bank.values_list("trust", "principal").annotate(Count("id"))
    held_by_source: Counter[str] = Counter()
    total = 0
    for trust, principal, number in counted:
        total += number
        held_by_source[principal] += number if trust < Trust.USER else 0
    # The usual case, answered by the count alone: no row is read.
    if total <= capacity and all(number <= share for number in held_by_source.values()):
        return {}
    candidates = sorted(load_eviction_candidates(bank, keep), key=lambda candidate: candidate.strength)
    evicted: dict[uuid.UUID, str] = {}
    for principal, number in held_by_source.items():
        reason = f"{principal or 'one source'} holds more than {share} of the bank's {capacity} places"
        own = [
            candidate for candidate in candidates if candidate.principal == principal and candidate.trust < Trust.USER
        ]
        evicted |= {candidate.item_id: reason for candidate in own[: max(0, number - share)]}
    weakest = [
        candidate.item_id for candidate in candidates if not candidate.is_safe and candidate.item_id not in evicted
    ]
    excess = max(0, total - len(evicted) - capacity)
    return evicted | dict.fromkeys(weakest[:excess], f"the bank holds more than {capacity} items")


def get_source_capacity() -> int:
    """How many items one source that is not a person may hold."""
    limits = memory_conf().limits
    return max(1, int(limits.bank_capacity * limits.bank_source_share))


def load_eviction_candidates(bank: ItemQuerySet, keep: Collection[uuid.UUID]) -> Iterable[EvictionCandidate]:
    read = bank.only(
        "trust", "principal", "always_inject", "review", "importance", "confidence", "worked", "failed", "partial",
        "last_used_at", "created_at",
    )  # fmt: skip
    for item in read:
        yield EvictionCandidate(
            item_id=item.pk,
            trust=item.trust,
            principal=item.principal,
            always_inject=item.always_inject,
            review=item.review,
            quality=bank_quality(item.importance, item.confidence),
            wilson=wilson_lower_bound(item.worked, item.failed, item.partial),
            last_used_at=item.last_used_at,
            created_at=item.created_at,
            is_kept=item.pk in keep,
        )


def make_room(
    user: EndUser, *, now: datetime, keep: Collection[uuid.UUID] = (), actor: str = "promotion"
) -> dict[uuid.UUID, str]:
    """Archive what does not fit. Returns what went, with the reasons.

    Raises WriteRefused when that would be the item just written: in a bank full of statements by people there is no
    room for one that no person made.
    """
    with user_scope(user):
        lock_for_transaction("bank", user)
        over = choose_evictions(user, keep)
        if any(item_id in over for item_id in keep):
            raise WriteRefused("tier", "the memory bank is full of what people wrote; archive something there first")
        archiving.retire_memories(user, over, Status.ARCHIVED, now=now, actor=actor)
    return over
