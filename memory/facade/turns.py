"""The end of a turn: storing the exchange and recording its outcome."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from memory.facade.actor import FacadePart
from memory.models import EndUser, MemoryItem
from memory.tiers import Outcome
from outcomes.exchanges import listing, storing
from outcomes.exchanges.listing import ExchangeCursor, ExchangeDetail, MemoryThread, ThreadState, ThreadSummary
from outcomes.exchanges.storing import NewExchange, StoredExchange
from outcomes.models import OutcomeEvent
from outcomes.verdicts import actions, recording
from outcomes.verdicts.actions import Action
from outcomes.verdicts.recording import RecordedOutcome


class TurnVerbs(FacadePart):
    def exchange(self, user: EndUser, new: NewExchange, *, now: datetime) -> StoredExchange:
        return storing.store_exchange(user, new, now=now, actor=self.actor)

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
    ) -> RecordedOutcome:
        return recording.record_outcome(
            user,
            outcome,
            now=now,
            turn_id=turn_id,
            exchange_id=exchange_id,
            key_takeaway=key_takeaway,
            related=related,
            actor=self.actor,
        )

    def exchanges(
        self, user: EndUser, *, limit: int, thread_id: str = "", after: ExchangeCursor | None = None
    ) -> tuple[list[ExchangeDetail], ExchangeCursor | None]:
        """A page of exchanges with outcomes and signals, newest first, and the start of the next page."""
        return listing.list_exchanges(user, limit=limit, thread_id=thread_id, after=after)

    def exchange_by_id(self, user: EndUser, exchange_id: uuid.UUID) -> ExchangeDetail | None:
        return listing.find_exchange(user, exchange_id)

    def exchange_lines(self, user: EndUser, *, thread_id: str = "") -> Iterator[dict[str, Any]]:
        return listing.iterate_export_rows(user, thread_id)

    def thread_state(self, user: EndUser, thread_id: str) -> ThreadState:
        return listing.load_thread_state(user, thread_id)

    def threads(self, user: EndUser, *, limit: int, offset: int = 0) -> list[ThreadSummary]:
        return listing.list_threads(user, limit=limit, offset=offset)

    def kept_threads(self, user: EndUser, *, limit: int, offset: int = 0) -> list[MemoryThread]:
        """Conversations of which no exchange is stored and memories are."""
        return listing.list_memory_threads(user, limit=limit, offset=offset)

    def kept_turns(self, user: EndUser, thread_id: str, *, limit: int, offset: int = 0) -> list[MemoryItem]:
        return listing.list_thread_memories(user, thread_id, limit=limit, offset=offset)

    def note_action(self, user: EndUser, action: Action, *, now: datetime) -> None:
        """Record a tool call of a turn."""
        actions.record_action(user, action, now=now)

    def recent_outcomes(self, user: EndUser, limit: int) -> list[OutcomeEvent]:
        return recording.list_current_outcomes(user, limit)
