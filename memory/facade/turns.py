"""The end of a turn: the exchange, and what came of it."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from memory.facade.door import Door
from memory.models import EndUser
from memory.tiers import Outcome
from outcomes import exchanges, recording
from outcomes.exchanges import NewExchange, StoredExchange
from outcomes.models import OutcomeEvent
from outcomes.recording import Recorded


class Turns(Door):
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
