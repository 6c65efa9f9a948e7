"""Deleting for good: a memory, what it was read from, a source with all that came of it, a person."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db import transaction

from memory import tasks
from memory.access.audit import record_change
from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.lifecycle import erasure
from memory.lifecycle.purging import PurgeFilter, PurgeResult
from memory.models import EndUser, Erasure, MemoryItem
from memory.models.administration import AuditAction
from memory.platform.queue import enqueue
from memory.portability.withdrawing import withdraw_source
from memory.store import listing, writing
from memory.store.listing import ItemFilter
from outcomes.exchanges import storing

MOST_AT_ONCE: Final = 1_000


@dataclass(frozen=True, slots=True)
class Removal:
    """``ids`` went, or would go; ``matched`` were meant. ``unknown`` are ids of no memory of the person."""

    matched: int
    ids: Sequence[uuid.UUID]
    unknown: Sequence[uuid.UUID] = ()


class RemovalVerbs(FacadePart):
    def remove(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
        """For good, with versions, events, exchanges and stored answers; gone from every search at once."""
        return bool(self.remove_all(user, [item_id], now=now))

    def remove_all(self, user: EndUser, ids: Sequence[uuid.UUID], *, now: datetime) -> list[uuid.UUID]:
        """The same for several, all or none of those that are there. Returns these."""
        with user_scope(user):
            gone = writing.delete_memories(user, ids, now=now)
            if gone:
                # The exchange holds the same words and would bring them back.
                storing.delete_exchanges_of(user, gone)
                # A repeated request would answer with the deleted text for up to 24 hours.
                erasure.redact_stored_answers(user, gone)
        return gone

    def remove_chosen(
        self, user: EndUser, chosen: Sequence[uuid.UUID] | ItemFilter, *, now: datetime, dry_run: bool = False
    ) -> Removal:
        """Those named, or at most ``MOST_AT_ONCE`` of those that match, the newest first."""
        with user_scope(user):
            if isinstance(chosen, ItemFilter):
                ids, matched = listing.list_matching_ids(user, chosen, limit=MOST_AT_ONCE)
                unknown: list[uuid.UUID] = []
            else:
                named = dict.fromkeys(chosen)
                known = listing.list_known_ids(user, named)
                ids, matched = [item_id for item_id in named if item_id in known], len(known)
                unknown = [item_id for item_id in named if item_id not in known]
            if not dry_run and ids:
                ids = self.remove_all(user, ids, now=now)
                organization, deed = user.organization_id, AuditAction.MEMORIES_DELETED
                record_change(organization, deed, actor=self.actor, now=now, subject=str(len(ids)))
        return Removal(matched, ids, unknown)

    def remove_with_sources(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
        """The memory for good, and out of every answer the exchanges it was read from, which tell it too.

        An exchange that taught nothing else goes with it; another is archived.
        """
        with user_scope(user):
            own = MemoryItem.objects.for_user(user)
            item = own.filter(pk=item_id).only("parents").first()
            if item is None or not self.remove(user, item_id, now=now):
                return False
            sources = own.filter(pk__in=item.parents, source__kind="exchange").values_list("pk", flat=True)
            for source in list(sources):
                if own.active().filter(parents__contains=[source]).exists():
                    writing.archive_memory(user, source, now=now, actor=self.actor)
                else:
                    self.remove(user, source, now=now)
        return True

    def purge(
        self, user: EndUser, wanted: PurgeFilter, *, now: datetime, dry_run: bool = False
    ) -> tuple[PurgeResult, int]:
        """Remove a source and everything derived from it; returns also how many exchanges went with it."""
        return withdraw_source(user, wanted, now=now, actor=self.actor, dry_run=dry_run)

    def request_erasure(self, user: EndUser, *, now: datetime) -> Erasure:
        """Forget a person: gone from every answer now, erased in the background."""
        # Here and nowhere else: the endpoint once put the same job on the queue a second time.
        with transaction.atomic():
            requested = erasure.request_erasure(user, now=now)
            about = str(requested.pk)
            record_change(user.organization_id, AuditAction.PERSON_ERASED, actor=self.actor, now=now, subject=about)
        # What a person shared is theirs, and nobody is to find it from now on.
        erasure.withdraw_contributions(user, now=now)
        enqueue(tasks.erase_user, str(requested.pk))
        return requested
