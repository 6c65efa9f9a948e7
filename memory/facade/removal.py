"""Deleting for good: a memory, what it was read from, a source with all that came of it, a person."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from django.db import transaction

from books import library
from memory import tasks
from memory.access.audit import name_actor, record_change
from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.facts.changes import lock_facts
from memory.lifecycle import erasure
from memory.lifecycle.purging import PurgeFilter, PurgeResult
from memory.models import EndUser, Erasure, MemoryItem
from memory.models.administration import AuditAction
from memory.platform.queue import enqueue
from memory.portability.withdrawing import withdraw_source
from memory.store import archiving, listing
from memory.store.admission import WriteRefused
from memory.store.listing import ItemFilter
from outcomes.exchanges import storing

MOST_AT_ONCE: Final = 1_000
# What a book says of itself would be wrong with a passage less, or with another wording.
GOES_WHOLE: Final = "is a passage of a book, which is kept as it was handed in and goes as a whole"


# Where all of a person goes nothing is to come back.
EVERYTHING: Final = ItemFilter(status=None)


@dataclass(frozen=True, slots=True)
class Removal:
    """``ids`` went, or would go; ``matched`` were meant. ``unknown`` are ids of no memory of the person.

    ``passages`` of books match as well, and stay.
    """

    matched: int
    ids: Sequence[uuid.UUID]
    unknown: Sequence[uuid.UUID] = ()
    passages: int = 0


def find_matching(user: EndUser, wanted: ItemFilter) -> Removal:
    loose = replace(wanted, is_loose=True)
    ids, matched = listing.list_matching_ids(user, loose, limit=MOST_AT_ONCE)
    _, with_passages = listing.list_matching_ids(user, wanted, limit=0)
    return Removal(matched, ids, passages=with_passages - matched)


def find_named(user: EndUser, named: Sequence[uuid.UUID]) -> Removal:
    if passages := library.list_passage_ids(user, named):
        place = next(place for place, item_id in enumerate(named) if item_id in passages)
        raise WriteRefused(f"ids[{place}]", GOES_WHOLE)
    known = listing.list_known_ids(user, named)
    ids = [item_id for item_id in dict.fromkeys(named) if item_id in known]
    return Removal(len(ids), ids, [item_id for item_id in dict.fromkeys(named) if item_id not in known])


class RemovalVerbs(FacadePart):
    def remove(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
        """For good, with versions, events, exchanges and stored answers; gone from every search at once."""
        return bool(self.remove_all(user, [item_id], now=now))

    def remove_alone(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
        """The same for what is no part of a book. Raises WriteRefused."""
        if library.list_passage_ids(user, [item_id]):
            raise WriteRefused("memory_id", GOES_WHOLE)
        return self.remove(user, item_id, now=now)

    def remove_all(
        self, user: EndUser, ids: Sequence[uuid.UUID], *, now: datetime, gives_back: bool = True
    ) -> list[uuid.UUID]:
        """The same for several, all or none of those that are there. Returns these."""
        with user_scope(user):
            # Before the rows, as whoever records facts does: what these had replaced holds again.
            lock_facts(user)
            gone = archiving.delete_memories(user, ids, now=now, gives_back=gives_back)
            if gone:
                # The exchange holds the same words and would bring them back.
                storing.delete_exchanges_of(user, gone)
                # A repeated request would answer with the deleted text for up to 24 hours.
                erasure.redact_stored_answers(user, gone)
        return gone

    def remove_chosen(
        self, user: EndUser, chosen: Sequence[uuid.UUID] | ItemFilter, *, now: datetime, dry_run: bool = False
    ) -> Removal:
        """Those named, or at most ``MOST_AT_ONCE`` of those that match, the newest first.

        Raises WriteRefused for a passage of a book among those named.
        """
        with user_scope(user):
            found = find_matching(user, chosen) if isinstance(chosen, ItemFilter) else find_named(user, chosen)
            if dry_run or not found.ids:
                return found
            gone = self.remove_all(user, found.ids, now=now, gives_back=chosen != EVERYTHING)
            organization, deed = user.organization_id, AuditAction.MEMORIES_DELETED
            record_change(organization, deed, actor=self.actor, now=now, subject=str(len(gone)))
        return replace(found, ids=gone)

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
                    archiving.archive_memory(user, source, now=now, actor=self.actor)
                else:
                    self.remove(user, source, now=now)
        return True

    def purge(
        self, user: EndUser, wanted: PurgeFilter, *, now: datetime, dry_run: bool = False
    ) -> tuple[PurgeResult, int]:
        """Remove a source and everything derived from it; returns also how many exchanges went with it."""
        return withdraw_source(user, wanted, now=now, actor=self.actor, dry_run=dry_run)

    def request_erasure(self, user: EndUser, *, now: datetime, link_by: str = "") -> Erasure:
        """Forget a person: gone from every answer now, erased in the background.

        ``link_by`` made the link through which the person asked for it.
        """
        # Here and nowhere else: the endpoint once put the same job on the queue a second time.
        with transaction.atomic():
            requested = erasure.request_erasure(user, now=now)
            about = {"subject": str(requested.pk)} | ({"link_by": name_actor(link_by)} if link_by else {})
            record_change(user.organization_id, AuditAction.PERSON_ERASED, actor=self.actor, now=now, **about)
        # What a person shared is theirs, and nobody is to find it from now on.
        erasure.withdraw_contributions(user, now=now)
        enqueue(tasks.erase_user, str(requested.pk))
        return requested
