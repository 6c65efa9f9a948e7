"""What an index to rebuild holds beside what the rows say it should."""

from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.access.scope import user_scope
from memory.facade import MemoryFacade
from memory.indexes import vector_index
from memory.models import MemoryItem, VectorCollection
from memory.platform.deadline import Deadline
from memory.store.admission import NewMemory
from memory.tiers import Tier


def texts(name: str, count: int) -> list[str]:
    return [f"{name} wrote down that shelf {number} holds box {number * 7}" for number in range(count)]


def store_memories(user: Any, count: int) -> None:
    """Give a user this many memories that stay."""
    batch = [NewMemory(text, tier=Tier.HISTORY) for text in texts(user.external_id, count)]
    MemoryFacade("key:test").store_many(user, batch, now=timezone.now())


def read_index(user: Any) -> dict[UUID, tuple[str, str, str]]:
    """What the live collection holds of a user."""
    ids = [item_id for item_id, _ in vector_index().scroll(user.pk)]
    assert len(ids) == len(set(ids))
    return {
        point.id: (point.tier, point.status, point.vector_hash)
        for point in vector_index().fetch_points(user.pk, ids, Deadline(10))
    }


def read_rows(user: Any) -> dict[UUID, tuple[str, str, str]]:
    with user_scope(user):
        found = MemoryItem.objects.for_user(user).values_list("pk", "tier", "status", "vector_hash")
        return {pk: (tier, status, digest) for pk, tier, status, digest in found}


def list_items(user: Any) -> list[Any]:
    with user_scope(user):
        return list(MemoryItem.objects.for_user(user).order_by("arrival"))


def collection_roles() -> list[str]:
    """Of the collections there are."""
    return sorted(row.role for row in VectorCollection.objects.all())
