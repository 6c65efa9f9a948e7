"""Memories that leave and come back: made dormant or archived, woken, restored, or deleted for good."""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef
from django.utils import timezone

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser, MemoryEvent, MemoryItem, Tombstone
from memory.store import rows, standing
from memory.store.admission import validate_trust
from memory.store.writing import merge_duplicate
from memory.tiers import Indexing, Status, Tier


def archive_memory(
    user: EndUser, item_id: uuid.UUID, *, now: datetime, reason: str = "asked", actor: str = ""
) -> MemoryItem | None:
    """Archive: no answer contains it, its owner still sees it. Idempotent. None when there is no such item."""
    with user_scope(user):
        # Before the row, as whoever writes to the bank does: what it had replaced comes back there.
        lock_for_transaction("bank", user)
        item = rows.lock_item(user, item_id)
        if item is not None and item.status != Status.ARCHIVED:
            before = {"status": item.status}
            rows.mark_archived(item, now)
            item.save()
            rows.record_event(item, "archived", reason=reason, before=before, now=now, actor=actor)
            rows.mark_index_due(user, now)
            rows.announce_change(user, "archived", [item])
    return item


def retire_memories(
    user: EndUser, reasons: Mapping[uuid.UUID, str], status: Status, *, now: datetime, actor: str = ""
) -> None:
    """Make active items dormant, or active and dormant ones archived, each with an event that has the reason.

    Other ids are ignored.
    """
    if not reasons:
        return
    with user_scope(user):
        sources = [Status.ACTIVE] if status is Status.DORMANT else [Status.ACTIVE, Status.DORMANT]
        retiring = MemoryItem.objects.for_user(user).filter(status__in=sources, pk__in=list(reasons))
        # In the order of their ids, as every pass locks them: two at once wait for each other in turn, never in a
        # circle.
        found = list(retiring.select_for_update(no_key=True).order_by("pk").only("pk", "tier", "status"))
        ids = [item.pk for item in found]
        MemoryItem.objects.for_user(user).filter(pk__in=ids).update(
            status=status,
            archived_at=now if status is Status.ARCHIVED else None,
            updated_at=now,
            indexing=Indexing.PENDING,
            index_after=timezone.now(),
        )
        entries = [
            rows.EventEntry(item.pk, reasons[item.pk], {"status": item.status}, {"status": status}) for item in found
        ]
        rows.record_events(user, status, entries, now=now, actor=actor)
        if ids:
            rows.mark_index_due(user, timezone.now())
            rows.announce_change(user, status, found)


def wake_memories(
    user: EndUser, ids: Sequence[uuid.UUID], *, reason: str, now: datetime, actor: str
) -> list[uuid.UUID]:
    """Make dormant items active again, each with an event. Returns those that were. In the user's scope."""
    dormant = MemoryItem.objects.for_user(user).filter(pk__in=list(ids), status=Status.DORMANT)
    found = list(dormant.select_for_update(no_key=True).order_by("pk").only("pk", "tier"))
    woken = [item.pk for item in found]
    if woken:
        MemoryItem.objects.for_user(user).filter(pk__in=woken).update(
            status=Status.ACTIVE, updated_at=now, indexing=Indexing.PENDING, index_after=timezone.now()
        )
        before, after = {"status": Status.DORMANT}, {"status": Status.ACTIVE}
        entries = [rows.EventEntry(item_id, reason, before, after) for item_id in woken]
        rows.record_events(user, "revived", entries, now=now, actor=actor)
        rows.mark_index_due(user, timezone.now())
        rows.announce_change(user, "restored", found)
    return woken


def restore_memory(
    user: EndUser,
    item_id: uuid.UUID,
    *,
    now: datetime,
    actor: str = "",
    similar_to: uuid.UUID | None = None,
    undone: MemoryEvent | None = None,
) -> MemoryItem | None:
    """Return an archived or dormant item to its tier and restart its TTL; a bank item is merged with its duplicate.

    Failures that led to the archiving do not archive it again. ``undone`` is the event being undone, if any.
    Raises WriteRefused for external text that may not be in its tier. None when there is no such item.
    """
    with user_scope(user):
        lock_for_transaction("bank", user)
        item = rows.lock_item(user, item_id)
        if item is None or item.status == Status.ACTIVE:
            return item
        before = {"status": item.status}
        validate_trust(item.trust, Tier(item.tier), always_inject=item.always_inject)
        item.status = Status.ACTIVE
        item.archived_at = None
        item.updated_at = now
        standing.renew_time(item, now)
        if item.score < memory_conf().promotion.garbage_below:
            # Else the next pass would archive it again for the failures that the person has just overruled.
            item.overruled_uses = item.uses
        rows.mark_index_pending(item)
        item.save()
        reason, after = (f"taken back: {undone.reason}"[:300], {"undone": undone.pk}) if undone else ("", {})
        rows.record_event(item, "restored", reason=reason, before=before, after=after, now=now, actor=actor)
        rows.mark_index_due(user, now)
        rows.announce_change(user, "restored", [item])
        return merge_duplicate(user, item, similar_to, now=now, actor=actor) if item.tier == Tier.MEMORY_BANK else item


def delete_memory(user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
    """Delete one memory for good."""
    return bool(delete_memories(user, [item_id], now=now))


def delete_memories(
    user: EndUser, ids: Sequence[uuid.UUID], *, now: datetime, gives_back: bool = True
) -> list[uuid.UUID]:
    """Delete for good: texts, versions and events now; tombstones make the worker delete the vectors.

    With ``gives_back`` what they had taken the place of holds again. Returns the ids that existed.
    """
    with user_scope(user):
        lock_for_transaction("bank", user)
        matching = MemoryItem.objects.for_user(user).filter(pk__in=list(ids)).select_for_update()
        # One with a tombstone is being deleted: a purge took both a message and the bank item that its fact had put
        # there, and the fact that went with the message took the bank item once more.
        going = Tombstone.objects.filter(user=user, item_id=OuterRef("pk"))
        found = list(matching.exclude(Exists(going)).only("pk", "tier", "origin").order_by("pk"))
        if not found:
            return []
        # The worker deletes the vectors by these; an index that is down now must not keep a deleted text findable.
        gone = [Tombstone(user=user, item_id=item.pk, origin=item.origin, deleted_at=now) for item in found]
        Tombstone.objects.bulk_create(gone)
        rows.announce_change(user, "removed", found, gives_back=gives_back)
        deleted = [item.pk for item in found]
        MemoryItem.objects.for_user(user).filter(pk__in=deleted).delete()
        rows.mark_index_due(user, now)
    return deleted
