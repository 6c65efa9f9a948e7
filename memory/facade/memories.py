"""Storing, reading, changing and deleting memories."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from memory import tasks
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facade.actor import FacadePart
from memory.guard import redact_secrets
from memory.indexes.duplicates import find_near_duplicate
from memory.indexes.ghosts import ghost_registry
from memory.lifecycle import bank, erasure, publishing, purging, undo
from memory.lifecycle.purging import PurgeFilter, PurgeResult
from memory.models import EndUser, Erasure, MemoryEvent, MemoryItem, MemoryVersion
from memory.platform.deadline import Deadline
from memory.platform.queue import enqueue
from memory.retrieval import matching
from memory.retrieval.matching import BankMatch
from memory.store import listing, writing
from memory.store.admission import NewMemory, WriteRefused, judge_bank_item, validate_memory
from memory.store.listing import ItemCursor, ItemFilter
from memory.store.writing import StoreResult
from memory.tiers import Tier, Trust
from outcomes.exchanges import storing
from outcomes.verdicts import withdrawal


class MemoryVerbs(FacadePart):
    """Most verbs answer None, or False, for what is not there or is another user's."""

    def find_duplicate(
        self,
        user: EndUser | None,
        new: NewMemory,
        deadline: Deadline | None = None,
        *,
        besides: uuid.UUID | None = None,
    ) -> uuid.UUID | None:
        """The bank item that a new one duplicates, for ``store``. Raises WriteRefused.

        Calls the embedder, so call it outside any transaction.
        """
        if new.tier is not Tier.MEMORY_BANK or user is None:
            return None
        # A refused text is not sent to any service.
        new = validate_memory(new)
        return find_near_duplicate(user, new.text, deadline or default_deadline(), besides=besides)

    def find_duplicate_of(
        self, user: EndUser | None, item_id: uuid.UUID, deadline: Deadline | None = None, *, text: str | None = None
    ) -> uuid.UUID | None:
        """The other bank item that this one duplicates once it is active again or has this text.

        For ``revise``, ``restore`` and ``undo``. Calls the embedder, so call it outside any transaction.
        """
        item = self.get(user, item_id) if user else None
        text = redact_secrets(text).text if text else text
        if user is None or item is None or item.tier != Tier.MEMORY_BANK or text == item.text:
            return None
        try:
            judge_bank_item(text or item.text, item.tags)
        except WriteRefused:
            # The write will report the refusal; a refused text is not sent to any service.
            return None
        return find_near_duplicate(user, text or item.text, deadline or default_deadline(), besides=item_id)

    def match_bank_item(
        self, user: EndUser, words: str, *, now: datetime, deadline: Deadline | None = None
    ) -> BankMatch:
        """The bank item a few words mean, or why there is none. Calls the embedder: outside any transaction."""
        return matching.find_bank_item(user, words, now=now, deadline=deadline or default_deadline())

    def store(
        self, user: EndUser, new: NewMemory, *, now: datetime, similar_to: uuid.UUID | None = None
    ) -> StoreResult:
        """Raises WriteRefused. ``similar_to`` is what ``find_duplicate`` found: the bank merges the two."""
        with user_scope(user):
            stored = writing.store_memory(user, new, now=now, actor=self.actor, similar_to=similar_to)
            # In the same transaction: a bank that is over its capacity is never seen. A merge adds no item.
            if new.tier is Tier.MEMORY_BANK and stored.duplicate_of is None:
                bank.make_room(user, now=now, keep=[stored.item.pk])
        return stored

    def store_many(self, user: EndUser, batch: Sequence[NewMemory], *, now: datetime) -> list[uuid.UUID | None]:
        """All or none, in order. None stands for one that was imported before. Raises WriteRefused."""
        with user_scope(user):
            ids = writing.store_memories(user, batch, now=now, actor=self.actor)
            if any(new.tier is Tier.MEMORY_BANK for new in batch):
                bank.make_room(user, now=now)
        return ids

    def list_items(
        self,
        user: EndUser | None,
        wanted: ItemFilter,
        *,
        sort: str = listing.RECENT,
        after: ItemCursor | None = None,
        limit: int,
    ) -> list[MemoryItem]:
        """Newest or best first, from ``after`` on."""
        return listing.list_items(user, wanted, sort=sort, after=after, limit=limit) if user else []

    def list_versions(
        self, user: EndUser, item_id: uuid.UUID, *, before: int | None = None, limit: int = 100
    ) -> Sequence[MemoryVersion]:
        """Earlier and merged wordings, newest first, those with a number under ``before``."""
        return listing.list_versions(user, item_id, before=before, limit=limit)

    def list_events(
        self, user: EndUser, item_id: uuid.UUID, *, before: int | None = None, limit: int = 100
    ) -> Sequence[MemoryEvent]:
        """What happened to a memory, newest first."""
        return listing.list_events(user, item_id, before=before, limit=limit)

    def get(self, user: EndUser, item_id: uuid.UUID) -> MemoryItem | None:
        """Of any status."""
        with user_scope(user):
            return MemoryItem.objects.for_user(user).filter(pk=item_id).first()

    def revise(
        self,
        user: EndUser,
        item_id: uuid.UUID,
        changes: dict[str, Any],
        *,
        now: datetime,
        trust: Trust = Trust.USER,
        similar_to: uuid.UUID | None = None,
        is_strict: bool = False,
    ) -> MemoryItem | None:
        """``trust`` is that of the new words, ``similar_to`` what ``find_duplicate_of`` found for them."""
        return writing.revise_memory(
            user,
            item_id,
            changes,
            now=now,
            actor=self.actor,
            trust=trust,
            similar_to=similar_to,
            is_strict=is_strict,
        )

    def archive(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> MemoryItem | None:
        """Out of every answer, and kept. Archiving twice changes nothing more."""
        return writing.archive_memory(user, item_id, now=now, actor=self.actor)

    def restore(
        self, user: EndUser, item_id: uuid.UUID, *, now: datetime, similar_to: uuid.UUID | None = None
    ) -> MemoryItem | None:
        """The item, or that of the bank it was merged into. Raises WriteRefused where it would be refused now."""
        with user_scope(user):
            item = writing.restore_memory(user, item_id, now=now, actor=self.actor, similar_to=similar_to)
            if item is not None and item.tier == Tier.MEMORY_BANK:
                bank.make_room(user, now=now, keep=[item.pk])
        return item

    def remove(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
        """For good, with versions, events, exchanges and stored answers; gone from every search at once."""
        with user_scope(user):
            if not writing.delete_memory(user, item_id, now=now):
                return False
            # The exchange holds the same words and would bring them back.
            storing.delete_exchanges_of(user, [item_id])
            # A repeated request would answer with the deleted text for up to 24 hours.
            erasure.redact_stored_answers(user, [item_id])
            # The row is gone; the ghost only saves the next searches from reading a stale vector.
            transaction.on_commit(lambda: ghost_registry().add(user.pk, [item_id]))
        return True

    def purge(
        self, user: EndUser, wanted: PurgeFilter, *, now: datetime, dry_run: bool = False
    ) -> tuple[PurgeResult, int]:
        """Remove a source and everything derived from it; returns also how many exchanges went with it."""
        exchanges = 0

        def also(gone: Sequence[uuid.UUID], staying: Sequence[uuid.UUID]) -> None:
            nonlocal exchanges
            exchanges += storing.delete_exchanges_of(user, gone)
            # What stays was reworded: the words that a fact was read from are no longer in it.
            publishing.remove_with_memories(user, staying, now=now)
            erasure.redact_stored_answers(user, [*gone, *staying])
            transaction.on_commit(lambda: ghost_registry().add(user.pk, gone))

        return purging.purge_source(user, wanted, now=now, actor=self.actor, also=also, dry_run=dry_run), exchanges

    def vouch(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> MemoryItem | None:
        """A person answers for it as for their own words. Nothing else raises trust or ends a review."""
        return writing.vouch_for_memory(user, item_id, now=now, actor=self.actor)

    def undo(
        self, user: EndUser, item_id: uuid.UUID, event_id: int, *, now: datetime, similar_to: uuid.UUID | None = None
    ) -> MemoryItem | None:
        """Take back a promotion or an archiving, or a verdict that was given on this memory alone."""
        with user_scope(user):
            event = MemoryEvent.objects.filter(user=user, item_id=item_id, pk=event_id).first()
            # Verdicts and moves are undone by different rooms; a client knows only the event.
            if event is not None and event.kind in withdrawal.OUTCOME_BY_EVENT_KIND:
                return withdrawal.withdraw_verdict(user, event, now=now, actor=self.actor)
            item = undo.undo_move(user, item_id, event_id, now=now, actor=self.actor, similar_to=similar_to)
            if item is not None and item.tier == Tier.MEMORY_BANK:
                bank.make_room(user, now=now, keep=[item.pk])
        return item

    def find_withdrawable_verdict(self, user: EndUser, item_id: uuid.UUID) -> MemoryEvent | None:
        """The event of the latest verdict on this memory alone, which ``undo`` can take back."""
        return withdrawal.find_withdrawable_event(user, item_id)

    def request_erasure(self, user: EndUser, *, now: datetime) -> Erasure:
        """Forget a person: gone from every answer now, erased in the background."""
        # Here and nowhere else: the endpoint once put the same job on the queue a second time.
        requested = erasure.request_erasure(user, now=now)
        enqueue(tasks.erase_user, str(requested.pk))
        return requested


def default_deadline() -> Deadline:
    return Deadline(memory_conf().deadlines.default_s)
