"""How long a memory stays in its tier, and whether a person answers for it, where a person decides either."""

import uuid
from datetime import datetime
from typing import Final

from memory.access.locks import lock_for_transaction
from memory.models import EndUser, MemoryItem
from memory.store import rows
from memory.store.admission import WriteRefused
from memory.tiers import POLICIES, Status, Tier, Trust

# Why a memory was archived that had been given an end.
TIME_OVER: Final = "its validity has ended"


def set_expiry(item: MemoryItem, expires_at: datetime | None, *, now: datetime, actor: str, reason: str) -> None:
    """None keeps it for good. The row is locked by the caller, in the user's scope."""
    before, after = write_moment(item.expires_at), write_moment(expires_at)
    item.expires_at, item.updated_at = expires_at, now
    item.save(update_fields=["expires_at", "is_expiry_given", "updated_at"])
    rows.record_event(
        item, "kept", reason=reason, before={"until": before}, after={"until": after}, now=now, actor=actor
    )


def give_expiry(
    user: EndUser, item_id: uuid.UUID, expires_at: datetime | None, *, now: datetime, actor: str
) -> MemoryItem | None:
    """Until when it is to be kept; None gives it the time of its tier again, from now on.

    In the user's scope. None when there is no such item. Raises WriteRefused for one that is in no tier now.
    """
    # Before the row, as whoever writes to the bank does.
    lock_for_transaction("bank", user)
    item = rows.lock_item(user, item_id)
    if item is None:
        return None
    if item.status != Status.ACTIVE:
        raise WriteRefused("expires_at", "is given to active memories alone: restore it first")
    item.is_expiry_given = expires_at is not None
    set_expiry(item, expires_at or find_end_in_tier(item, now), now=now, actor=actor, reason="asked")
    return item


def renew_time(item: MemoryItem, now: datetime) -> None:
    """Of what a person brings back, which the next pass would archive else: the caller saves the row."""
    if not item.is_expiry_given or item.expires_at is None or item.expires_at <= now:
        item.expires_at, item.is_expiry_given = find_end_in_tier(item, now), False


def find_end_in_tier(item: MemoryItem, now: datetime) -> datetime | None:
    ttl = POLICIES[Tier(item.tier)].ttl
    return now + ttl if ttl else None


def write_moment(moment: datetime | None) -> str:
    return moment.isoformat() if moment else "for good"


def withdraw_vouching(item: MemoryItem, *, trust: int, now: datetime, actor: str) -> None:
    """It has its earlier trust, and waits for a person again. The row is locked by the caller."""
    before, after = {"trust": Trust(item.trust).name.lower()}, {"trust": Trust(trust).name.lower()}
    item.trust, item.review, item.updated_at = trust, True, now
    # What nobody answers for comes with no question unasked.
    item.always_inject = item.always_inject and trust >= Trust.USER
    item.save(update_fields=["trust", "review", "always_inject", "updated_at"])
    rows.record_event(item, "suspected", reason="taken back", before=before, after=after, now=now, actor=actor)
    rows.announce_change(item.user, "revised", [item])
