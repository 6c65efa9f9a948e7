"""What memories were derived from, and what was derived from them."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from django.db import connection

from memory.admission import NewMemory, Refused, check_trust
from memory.models import EndUser, MemoryItem
from memory.tiers import Trust

MOST_PARENTS = 100

# Locked against removal: a purge that is under way waits for the child, and then finds it.
TRUST_OF_PARENTS = "SELECT id, trust FROM memory_item WHERE user_id = %s AND id = ANY(%s) ORDER BY id FOR KEY SHARE"


def with_least_trust(user: EndUser, new: NewMemory, siblings: Mapping[uuid.UUID, int] | None = None) -> NewMemory:
    """What is derived deserves the trust of the least of what it comes from.

    ``siblings`` are memories that are written with it and come first. Raises Refused for parents that nobody has:
    those of other users, unknown ones, and the memory itself.
    """
    if not new.parents:
        return new
    parents = list(dict.fromkeys(new.parents))
    if len(parents) > MOST_PARENTS:
        raise Refused("parents", f"at most {MOST_PARENTS} parents, not {len(parents)}")
    if new.id in parents:
        raise Refused("parents", "a memory cannot be derived from itself")
    known = {parent: trust for parent, trust in (siblings or {}).items() if parent in parents}
    known |= trust_of(user, [parent for parent in parents if parent not in known])
    if len(known) < len(parents):
        raise Refused("parents", "every parent must be a memory of the same user that was stored before")
    least = Trust.USER if new.vouched else min(known.values())
    trust = Trust(min(new.trust or Trust.USER, least))
    check_trust(trust, new.tier, always_inject=new.always_inject)
    return replace(new, trust=trust, parents=parents)


def trust_of(user: EndUser, ids: list[uuid.UUID]) -> dict[uuid.UUID, int]:
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(TRUST_OF_PARENTS, [user.pk, ids])
        return dict(cursor.fetchall())


def descendants(user: EndUser, since: Mapping[uuid.UUID, datetime | None]) -> list[uuid.UUID]:
    """Everything derived from these memories, parents before children, in any number of steps; cycles end.

    A moment beside an ancestor: only what was derived after it counts.
    """
    children: dict[uuid.UUID, list[tuple[uuid.UUID, datetime]]] = {}
    derived = MemoryItem.objects.for_user(user).exclude(parents=[]).order_by("created_at", "arrival")
    for child, parents, born in derived.values_list("pk", "parents", "created_at").iterator():
        for parent in parents:
            children.setdefault(parent, []).append((child, born))
    found: dict[uuid.UUID, None] = {}
    reached = [child for ancestor, moment in since.items() for child in born_after(children, ancestor, moment)]
    while reached:
        fresh = [child for child in dict.fromkeys(reached) if child not in found and child not in since]
        found.update(dict.fromkeys(fresh))
        reached = [child for ancestor in fresh for child in born_after(children, ancestor, None)]
    return list(found)


def born_after(
    children: Mapping[uuid.UUID, Iterable[tuple[uuid.UUID, datetime]]], ancestor: uuid.UUID, moment: datetime | None
) -> list[uuid.UUID]:
    return [child for child, born in children.get(ancestor, ()) if moment is None or born >= moment]
