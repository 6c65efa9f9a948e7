"""Deletes dormant memories past the retention, where one is set."""

from datetime import datetime, timedelta

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facts.evidence import detach_memories
from memory.models import EndUser, MemoryItem
from memory.models.items import ItemQuerySet
from memory.store import archiving
from memory.tiers import Status

# Small enough that the tombstones and cascades of one transaction hold no lock for long.
DELETED_AT_ONCE = 500


def where_outdated(user: EndUser, now: datetime) -> ItemQuerySet:
    """Dormant rows past the retention; none where nothing is deleted by age."""
    days = memory_conf().promotion.retention_days
    dormant = MemoryItem.objects.for_user(user).filter(status=Status.DORMANT)
    return dormant.filter(created_at__lt=now - timedelta(days=days)) if days else dormant.none()


def delete_outdated(user: EndUser, now: datetime) -> int:
    """Delete dormant memories past the retention, a page in a transaction. Returns how many."""
    deleted = 0
    # Every pass over every person comes by here, and by default nothing is deleted by age.
    while memory_conf().promotion.retention_days:
        with user_scope(user):
            ids = list(where_outdated(user, now).order_by("pk").values_list("pk", flat=True)[:DELETED_AT_ONCE])
            if ids:
                # What was learned of them stays known: only the person's own deletion takes facts along.
                detach_memories(user, ids)
                deleted += len(archiving.delete_memories(user, ids, now=now, gives_back=False))
        if len(ids) < DELETED_AT_ONCE:
            break
    return deleted
