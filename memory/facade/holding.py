"""Holding a memory or a fact as it is while it is compared and changed."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from memory.access.locks import lock_for_transaction
from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.facts import changes, queries
from memory.models import EndUser, Fact, MemoryItem
from memory.store import rows


class HoldingVerbs(FacadePart):
    """Nobody else changes what is held before this ends. No service may be called within."""

    @contextmanager
    def hold_memory(self, user: EndUser, item_id: uuid.UUID) -> Iterator[MemoryItem | None]:
        with user_scope(user):
            # The bank before the row, as whoever rewords it.
            lock_for_transaction("bank", user)
            yield rows.lock_item(user, item_id)

    @contextmanager
    def hold_fact(self, user: EndUser, fact_id: uuid.UUID) -> Iterator[Fact | None]:
        with user_scope(user):
            changes.lock_facts(user)
            yield queries.get_fact(user, fact_id)
