"""Provenance: which parents a memory may name, and the trust it inherits from them."""

import uuid
from collections.abc import Mapping
from dataclasses import replace

from django.db import connection

from memory.models import EndUser
from memory.store.admission import NewMemory, WriteRefused, validate_trust
from memory.tiers import Trust

MOST_PARENTS = 100

# Locked against deletion: a concurrent purge waits for the child and then finds it.
SELECT_PARENT_TRUST = "SELECT id, trust FROM memory_item WHERE user_id = %s AND id = ANY(%s) ORDER BY id FOR KEY SHARE"


def limit_trust_to_parents(user: EndUser, new: NewMemory, siblings: Mapping[uuid.UUID, int] | None = None) -> NewMemory:
    """A derived memory gets the lowest trust among its parents.

    ``siblings`` are earlier memories of the same batch. Raises WriteRefused for parents that do not exist, belong to
    another user, or are the memory itself.
    """
    if not new.parents:
        return new
    parents = list(dict.fromkeys(new.parents))
    if len(parents) > MOST_PARENTS:
        raise WriteRefused("parents", f"at most {MOST_PARENTS} parents, not {len(parents)}")
    if new.id in parents:
        raise WriteRefused("parents", "a memory cannot be derived from itself")
    known = {parent: trust for parent, trust in (siblings or {}).items() if parent in parents}
    known |= load_parent_trust(user, [parent for parent in parents if parent not in known])
    if len(known) < len(parents):
        raise WriteRefused("parents", "every parent must be a memory of the same user that was stored before")
    # The lowest of all parents: one poisoned page among a hundred notes may have worded the summary.
    least = Trust.USER if new.is_vouched else min(known.values())
    trust = Trust(min(new.trust or Trust.USER, least))
    validate_trust(trust, new.tier, always_inject=new.always_inject)
    return replace(new, trust=trust, parents=parents)


def load_parent_trust(user: EndUser, ids: list[uuid.UUID]) -> dict[uuid.UUID, int]:
    if not ids:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(SELECT_PARENT_TRUST, [user.pk, ids])
        return dict(cursor.fetchall())
