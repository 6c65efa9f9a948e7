"""The one door of the API, the console and the commands to the whole system. Each method is a few lines."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Count

from memory import dedup, erasure, indexing, promotion, store, tasks
from memory.access import user_scope
from memory.admission import NewMemory
from memory.indexes.ghosts import ghosts
from memory.indexing import IndexCounts
from memory.models import EndUser, Erasure, MemoryEvent, MemoryItem, MemoryVersion, Turn
from memory.promotion import Promoted
from memory.queueing import enqueue
from memory.resilience import Deadline
from memory.retrieval import context, search
from memory.retrieval.context import Context, Message
from memory.retrieval.search import SearchRequest, SearchResult
from memory.store import Stored
from memory.tiers import Outcome, Tier
from outcomes import exchanges, recording
from outcomes.exchanges import NewExchange, StoredExchange
from outcomes.models import OutcomeEvent
from outcomes.recording import Recorded


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of one user's rows: ``tiers[tier][status]``, outcomes by kind, indexing state."""

    tiers: dict[str, dict[str, int]]
    outcomes: dict[str, int]
    exchanges: int
    indexing: IndexCounts


class MemoryFacade:
    """``actor`` is written into the events of whatever this facade changes ("key:mobile", "operator:ann")."""

    def __init__(self, actor: str = "") -> None:
        self.actor = actor

    # --- memories ------------------------------------------------------------------------------------------------
    def twin_of(self, user: EndUser, new: NewMemory, deadline: Deadline) -> uuid.UUID | None:
        """The bank item a new bank item falls on. Asks the embedder, so it comes before any transaction."""
        return dedup.nearest_bank_item(user, new, deadline)

    def store(self, user: EndUser, new: NewMemory, *, now: datetime, similar_to: uuid.UUID | None = None) -> Stored:
        with user_scope(user):
            stored = store.store(user, new, now=now, actor=self.actor, similar_to=similar_to)
            if new.tier is Tier.MEMORY_BANK and stored.duplicate_of is None:
                promotion.enforce_bank_capacity(user, now=now, keep=[stored.item.pk])
        return stored

    def store_many(self, user: EndUser, batch: Sequence[NewMemory], *, now: datetime) -> list[uuid.UUID | None]:
        with user_scope(user):
            ids = store.store_many(user, batch, now=now, actor=self.actor)
            if any(new.tier is Tier.MEMORY_BANK for new in batch):
                promotion.enforce_bank_capacity(user, now=now)
        return ids

    def get(self, user: EndUser, item_id: uuid.UUID) -> MemoryItem | None:
        with user_scope(user):
            return MemoryItem.objects.for_user(user).filter(pk=item_id).first()

    def revise(self, user: EndUser, item_id: uuid.UUID, changes: dict[str, Any], *, now: datetime) -> MemoryItem | None:
        return store.revise(user, item_id, changes, now=now, actor=self.actor)

    def archive(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> MemoryItem | None:
        return store.archive(user, item_id, now=now, actor=self.actor)

    def restore(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> MemoryItem | None:
        with user_scope(user):
            item = store.restore(user, item_id, now=now, actor=self.actor)
            if item is not None and item.tier == Tier.MEMORY_BANK:
                promotion.enforce_bank_capacity(user, now=now, keep=[item.pk])
        return item

    def remove(self, user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
        with user_scope(user):
            if not store.remove(user, item_id, now=now):
                return False
            exchanges.forget_memory(user, item_id)
            erasure.forget_answers(user, item_id)
            # The row is gone already; the ghost only spares the next searches a vector that lingers.
            transaction.on_commit(lambda: ghosts().add(user.pk, [item_id]))
        return True

    def versions(self, user: EndUser, item_id: uuid.UUID) -> list[MemoryVersion]:
        with user_scope(user):
            return list(MemoryVersion.objects.filter(user=user, item_id=item_id).order_by("-version"))

    def events(self, user: EndUser, item_id: uuid.UUID) -> list[MemoryEvent]:
        with user_scope(user):
            return list(MemoryEvent.objects.filter(user=user, item_id=item_id).order_by("-id"))

    def request_erasure(self, user: EndUser, *, now: datetime) -> Erasure:
        requested = erasure.request_erasure(user, now=now)
        enqueue(tasks.erase_user, str(requested.pk))
        return requested

    # --- finding -------------------------------------------------------------------------------------------------
    def search(self, user: EndUser, request: SearchRequest, *, now: datetime, remember: bool = True) -> SearchResult:
        """``remember`` False is for looking on: no turn is kept and nothing counts as shown."""
        return search.search(user, request, now=now, remember=remember)

    def context(
        self,
        user: EndUser,
        query: str,
        *,
        now: datetime,
        thread_id: str = "",
        recent_messages: Sequence[Message] = (),
        limit: int | None = None,
        has_documents: bool = False,
    ) -> Context:
        return context.compose(
            user,
            query,
            now=now,
            thread_id=thread_id,
            recent_messages=recent_messages,
            limit=limit,
            has_documents=has_documents,
            is_new_thread=exchanges.is_new_thread(user, thread_id, now=now),
            required_scoring=exchanges.awaits_scoring(user, thread_id),
        )

    def turn(self, user: EndUser, turn_id: uuid.UUID) -> Turn | None:
        with user_scope(user):
            return Turn.objects.filter(user=user, turn_id=turn_id).first()

    # --- a turn's end --------------------------------------------------------------------------------------------
    def exchange(self, user: EndUser, new: NewExchange, *, now: datetime) -> StoredExchange:
        return exchanges.store_exchange(user, new, now=now, actor=self.actor)

    def outcome(
        self,
        user: EndUser,
        outcome: Outcome,
        *,
        now: datetime,
        turn_id: uuid.UUID | None = None,
        exchange_id: uuid.UUID | None = None,
        key_takeaway: str = "",
        related: Sequence[int | str] | None = None,
    ) -> Recorded:
        return recording.record(
            user,
            outcome,
            now=now,
            turn_id=turn_id,
            exchange_id=exchange_id,
            key_takeaway=key_takeaway,
            related=related,
            actor=self.actor,
        )

    def recent_outcomes(self, user: EndUser, limit: int) -> list[OutcomeEvent]:
        return recording.recent(user, limit)

    # --- upkeep --------------------------------------------------------------------------------------------------
    def promote(self, user: EndUser, *, now: datetime, dry_run: bool = False) -> Promoted:
        return promotion.promote(user, now=now, dry_run=dry_run, actor=self.actor)

    def index_status(self, user: EndUser) -> IndexCounts:
        return indexing.counts(user)

    def stats(self, user: EndUser) -> Stats:
        tiers: dict[str, dict[str, int]] = {tier.value: {} for tier in Tier}
        with user_scope(user):
            rows = MemoryItem.objects.for_user(user).values_list("tier", "status").annotate(Count("id"))
            for tier, status, count in rows:
                tiers[tier][status] = count
            return Stats(
                tiers=tiers,
                outcomes=recording.outcome_counts(user),
                exchanges=exchanges.count(user),
                indexing=indexing.counts(user),
            )
