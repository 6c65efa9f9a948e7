"""Storing, reading, changing and deleting memories."""

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from books import library
from memory.access.confinement import RowScope
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facade.removal import GOES_WHOLE, RemovalVerbs
from memory.guard import redact_secrets
from memory.indexes.duplicates import find_near_duplicate
from memory.lifecycle import bank, undo
from memory.models import EndUser, MemoryEvent, MemoryItem, MemoryVersion
from memory.models.conditions import RowConditions
from memory.platform.deadline import Deadline
from memory.platform.tracing import trace_calls
from memory.retrieval import matching
from memory.retrieval.matching import BankMatch
from memory.store import archiving, listing, standing, writing
from memory.store.admission import NewMemory, WriteRefused, judge_bank_item, validate_memory
from memory.store.listing import ItemCursor, ItemFilter
from memory.store.writing import StoreResult
from memory.tiers import Status, Tier, Trust
from outcomes.verdicts import withdrawal

# What a search over all tiers finds.
FOUND_STATUSES = (Status.ACTIVE, Status.DORMANT)


class MemoryVerbs(RemovalVerbs):
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
        return find_near_duplicate(
            user, new.text, RowScope.of(new), deadline or start_default_deadline(), besides=besides
        )

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
        scope, within = RowScope.of(item), deadline or start_default_deadline()
        return find_near_duplicate(user, text or item.text, scope, within, besides=item_id)

    def match_bank_item(
        self, user: EndUser, words: str, *, now: datetime, deadline: Deadline | None = None
    ) -> BankMatch:
        """The bank item a few words mean, or why there is none. Calls the embedder: outside any transaction."""
        return matching.find_bank_item(user, words, now=now, deadline=deadline or start_default_deadline())

    @trace_calls("store")
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
        """As ``store_batch``, and the ids alone."""
        return [stored.item.pk if stored else None for stored in self.store_batch(user, batch, now=now)]

    @trace_calls("store.batch")
    def store_batch(self, user: EndUser, batch: Sequence[NewMemory], *, now: datetime) -> list[StoreResult | None]:
        """All or none, in order. None stands for one that was imported before. Raises WriteRefused."""
        with user_scope(user):
            stored = writing.store_memories(user, batch, now=now, actor=self.actor)
            if any(new.tier is Tier.MEMORY_BANK for new in batch):
                bank.make_room(user, now=now)
        return stored

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

    def list_page(
        self,
        user: EndUser,
        wanted: RowConditions,
        *,
        statuses: Collection[Status] = FOUND_STATUSES,
        tiers: Collection[Tier] = tuple(Tier),
        start: int,
        limit: int,
    ) -> tuple[list[MemoryItem], int]:
        """Newest first from a numbered place on, and how many there are."""
        return listing.list_page(user, wanted, statuses=statuses, tiers=tiers, start=start, limit=limit)

    def list_newest(
        self, user: EndUser, *, statuses: Collection[Status], tiers: Collection[Tier], start: int, limit: int
    ) -> list[MemoryItem]:
        """Newest first from a numbered place on; nothing is counted for it."""
        return listing.list_newest(user, statuses=statuses, tiers=tiers, start=start, limit=limit)

    def count_kept(self, user: EndUser, *, statuses: Collection[Status], tiers: Collection[Tier]) -> int:
        return listing.count_kept(user, statuses=statuses, tiers=tiers)

    def list_scopes(self, user: EndUser) -> list[RowScope]:
        """The agents and projects whose memories there are."""
        return listing.list_scopes(user)

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
        reason: str = "",
    ) -> MemoryItem | None:
        """``trust`` is that of the new words, ``similar_to`` what ``find_duplicate_of`` found for them.

        Raises WriteRefused, as for other words of a passage of a book.
        """
        if "text" in changes and library.list_passage_ids(user, [item_id]):
            raise WriteRefused("text", GOES_WHOLE)
        revised = {name: value for name, value in changes.items() if name != "expires_at"}
        with user_scope(user):
            if len(revised) < len(changes):
                item = standing.give_expiry(user, item_id, changes["expires_at"], now=now, actor=self.actor)
                if item is None or not revised:
                    return item
            return writing.revise_memory(
                user,
                item_id,
                revised,
                now=now,
                actor=self.actor,
                trust=trust,
                similar_to=similar_to,
                is_strict=is_strict,
                reason=reason,
            )

    def archive(self, user: EndUser, item_id: uuid.UUID, *, now: datetime, reason: str = "asked") -> MemoryItem | None:
        """Out of every answer, and kept. Archiving twice changes nothing more."""
        return archiving.archive_memory(user, item_id, now=now, reason=reason, actor=self.actor)

    def restore(
        self, user: EndUser, item_id: uuid.UUID, *, now: datetime, similar_to: uuid.UUID | None = None
    ) -> MemoryItem | None:
        """The item, or that of the bank it was merged into. Raises WriteRefused where it would be refused now."""
        with user_scope(user):
            item = archiving.restore_memory(user, item_id, now=now, actor=self.actor, similar_to=similar_to)
            if item is not None and item.tier == Tier.MEMORY_BANK:
                bank.make_room(user, now=now, keep=[item.pk])
        return item

    def vouch(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> MemoryItem | None:
        """A person answers for it as for their own words. Nothing else raises trust or ends a review."""
        return writing.vouch_for_memory(user, item_id, now=now, actor=self.actor)

    def undo(
        self, user: EndUser, item_id: uuid.UUID, event_id: int, *, now: datetime, similar_to: uuid.UUID | None = None
    ) -> MemoryItem | None:
        """Take back a promotion, an archiving or an edit, or a verdict that was given on this memory alone."""
        with user_scope(user):
            event = MemoryEvent.objects.filter(user=user, item_id=item_id, pk=event_id).first()
            # Verdicts and moves are undone by different rooms; a client knows only the event.
            if event is not None and event.kind in withdrawal.OUTCOME_BY_EVENT_KIND:
                return withdrawal.withdraw_verdict(user, event, now=now, actor=self.actor)
            item = undo.undo_change(user, item_id, event_id, now=now, actor=self.actor, similar_to=similar_to)
            if item is not None and item.tier == Tier.MEMORY_BANK:
                bank.make_room(user, now=now, keep=[item.pk])
        return item

    def find_withdrawable_verdict(self, user: EndUser, item_id: uuid.UUID) -> MemoryEvent | None:
        """The event of the latest verdict on this memory alone, which ``undo`` can take back."""
        return withdrawal.find_withdrawable_event(user, item_id)


def start_default_deadline() -> Deadline:
    return Deadline(memory_conf().deadlines.default_s)
