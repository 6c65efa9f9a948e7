"""Undoes the last move of a memory: a promotion, an archiving, or becoming dormant."""

import uuid
from datetime import datetime

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.lifecycle.promotion import move_to_tier
from memory.models import EndUser, MemoryEvent, MemoryItem
from memory.store import rows, writing
from memory.store.admission import WriteRefused
from memory.tiers import Tier

UNDOABLE_EVENTS = frozenset({"promoted", "archived", "dormant"})


def undo_move(
    user: EndUser,
    item_id: uuid.UUID,
    event_id: int,
    *,
    now: datetime,
    actor: str,
    similar_to: uuid.UUID | None = None,
) -> MemoryItem | None:
    """Undo a promotion, an archiving or becoming dormant, if it is the item's last event. None when there is no such.

    The outcomes that led to the move do not lead to it again: only a new one decides about the memory's place. Raises
    WriteRefused for an event that cannot be taken back, and as ``restore_memory`` does.
    """
    with user_scope(user):
        # Before the row, as whoever writes to the bank does.
        lock_for_transaction("bank", user)
        item = rows.lock_item(user, item_id)
        event = MemoryEvent.objects.filter(user=user, item_id=item_id, pk=event_id).first()
        if item is None or event is None:
            return None
        check_undoable(user, event)
        MemoryItem.objects.for_user(user).filter(pk=item_id).update(overruled_uses=item.uses)
        if event.kind != "promoted":
            return writing.restore_memory(user, item_id, now=now, actor=actor, similar_to=similar_to, undone=event)
        source, target = Tier(event.after["tier"]), Tier(event.before["tier"])
        move_to_tier(user, [item_id], target, now)
        item.refresh_from_db()
        before, after = {"tier": source}, {"tier": target, "undone": event.pk}
        reason = f"taken back: {event.reason}"[:300]
        rows.record_event(item, "undone", reason=reason, before=before, after=after, now=now, actor=actor)
        rows.mark_index_due(user, now)
        rows.announce_change(user, "promoted", [item])
    return item


def check_undoable(user: EndUser, event: MemoryEvent) -> None:
    if event.kind not in UNDOABLE_EVENTS:
        raise WriteRefused("event_id", "only a promotion, an archiving or becoming dormant can be taken back")
    later = MemoryEvent.objects.filter(user=user, item_id=event.item_id, pk__gt=event.pk).order_by("pk")
    after = list(later.values_list("pk", "kind", "after"))
    undone = {details["undone"] for _, _, details in after if "undone" in details}
    if event.pk in undone:
        raise WriteRefused("event_id", "this was taken back already")
    remaining = [kind for pk, kind, details in after if pk not in undone and "undone" not in details]
    if remaining:
        raise WriteRefused(
            "event_id", f"something came after it ({remaining[-1]}); only the last move can be taken back"
        )
