"""The end of a turn: storing the exchange and recording its outcome."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import not_
from typing import Any, Final, Unpack
from uuid import UUID

from memory.access.confinement import current_scope
from memory.access.scope import user_scope
from memory.facade.actor import FacadePart
from memory.inference import language_model
from memory.models import EndUser
from memory.tiers import Outcome
from memory.web.polling import poll_until
from outcomes.exchanges import judged, listing, profiling, reading_queue, storing
from outcomes.exchanges.judged import JudgedTurn
from outcomes.exchanges.storing import NewExchange, StoredExchange
from outcomes.models import OutcomeEvent
from outcomes.signals import reading_due
from outcomes.verdicts import actions, recording
from outcomes.verdicts.actions import Action
from outcomes.verdicts.recording import OutcomeSubject, RecordedOutcome

# The rest is the worker's.
READ_HERE_S: Final = 1.0
AWAITED_S: Final = 2.0


class TurnVerbs(FacadePart):
    def store_exchange(self, user: EndUser, new: NewExchange, *, now: datetime) -> StoredExchange:
        """Raises WriteRefused."""
        return storing.store_exchange(user, new, now=now, actor=self.actor)

    def has_exchange(self, user: EndUser, new: NewExchange) -> bool:
        """Whether the same person said the same in its conversation before."""
        return storing.is_stored(user, new)

    def is_another(self, user: EndUser, thread_id: str, speaker: str) -> bool:
        """Whether who is called so in a conversation is somebody else than the person."""
        with user_scope(user):
            return reading_queue.speaks_for_another(user, thread_id, current_scope(), speaker)

    def read_exchanges(self, user: EndUser) -> None:
        """Read facts out of what the person said and nobody has read, here instead of in the worker.

        For whoever waits for them. Asks the embedder, so call it outside any transaction. What a language model reads
        is left to the worker, and so is everything while a neighbour is away. Where the worker is at it already, this
        waits for it a moment.
        """
        if language_model() is not None:
            return
        drained = profiling.drain_exchanges(user, READ_HERE_S)
        if drained.has_more:
            reading_due.send(EndUser, user_id=user.pk, after_s=0.0)
        if drained.is_held:
            poll_until(partial(profiling.is_anything_unread, user), not_, AWAITED_S)

    def record_outcome(
        self, user: EndUser, outcome: Outcome, *, now: datetime, **subject: Unpack[OutcomeSubject]
    ) -> RecordedOutcome:
        """``related`` names positions of the turn's search or memory ids; without it all that the turn showed is meant.

        Raises UnknownTurn, and WriteRefused when there is nothing an outcome could be about.
        """
        return recording.record_outcome(user, outcome, now=now, actor=self.actor, **subject)

    def record_action(self, user: EndUser, action: Action, *, now: datetime) -> None:
        """Keep a tool call beside its turn, whose outcome is then learned for the tool too."""
        actions.record_action(user, action, now=now)

    def export_exchanges(self, user: EndUser, *, thread_id: str = "") -> Iterator[dict[str, Any]]:
        """Oldest first, read in batches while the iterator is consumed."""
        return listing.iterate_export_rows(user, thread_id)

    def find_turn_outcomes(self, user: EndUser, turns: Collection[UUID]) -> dict[UUID, str]:
        """The outcome that stands of each turn that has one."""
        return listing.find_turn_outcomes(user, turns)

    def find_judged_turns(self, user: EndUser, events: Sequence[OutcomeEvent]) -> dict[int, JudgedTurn]:
        """What verdicts were about, by the verdict."""
        return judged.find_judged_turns(user, events)

    def find_verdicts_at(
        self, user: EndUser, item_id: UUID, moments: Sequence[datetime]
    ) -> Mapping[datetime, OutcomeEvent]:
        """Those that scored a memory at these times."""
        return judged.find_verdicts_at(user, item_id, moments)

    def list_recent_outcomes(self, user: EndUser, limit: int) -> list[OutcomeEvent]:
        """Those that count now, newest first; a replaced one is left out."""
        return recording.list_current_outcomes(user, limit)
