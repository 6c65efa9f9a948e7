"""How long a memory stays in its tier, and whether a person answers for it, where a person decides either."""

from datetime import datetime

from memory.models import MemoryItem
from memory.store import rows
from memory.tiers import Trust


def set_expiry(item: MemoryItem, expires_at: datetime | None, *, now: datetime, actor: str, reason: str) -> None:
    """None keeps it for good. The row is locked by the caller, in the user's scope."""
    before, after = write_moment(item.expires_at), write_moment(expires_at)
    item.expires_at, item.updated_at = expires_at, now
    item.save(update_fields=["expires_at", "updated_at"])
    rows.record_event(
        item, "kept", reason=reason, before={"until": before}, after={"until": after}, now=now, actor=actor
    )


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
