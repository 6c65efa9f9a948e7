"""What a verdict was about, for display: the question and the answer, and the turn, where they are still kept."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from memory.access.scope import user_scope
from memory.models import EndUser, Turn
from outcomes.models import Exchange, OutcomeEvent


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """``turn_id`` is that of a turn that can be replayed. Of a verdict on a memory alone the question is empty."""

    question: str
    exchange: Exchange | None = None
    turn_id: uuid.UUID | None = None


def find_judged_turns(user: EndUser, events: Sequence[OutcomeEvent]) -> dict[int, JudgedTurn]:
    """By verdict. In two queries, however many there are."""
    turns = [event.turn_id for event in events if event.turn_id]
    memories = {event.pk: uuid.UUID(event.memories[0][0]) for event in events if event.memories}
    with user_scope(user):
        about = Q(pk__in=[event.exchange_id for event in events if event.exchange_id])
        about |= Q(turn_id__in=turns)
        about |= Q(memory_id__in=list(memories.values()))
        exchanges = list(Exchange.objects.filter(about, user=user).order_by("created_at", "pk"))
        asked = {turn_id for turn_id in [*turns, *(one.turn_id for one in exchanges)] if turn_id}
        kept = set(Turn.objects.filter(user=user, turn_id__in=asked).values_list("turn_id", flat=True))
    found = {}
    for event in events:
        exchange = choose_exchange(event, memories.get(event.pk), exchanges)
        turn_id = event.turn_id or (exchange.turn_id if exchange else None)
        question = event.query or (exchange.user_message if exchange else "")
        found[event.pk] = JudgedTurn(question, exchange, turn_id if turn_id in kept else None)
    return found


def choose_exchange(event: OutcomeEvent, memory_id: uuid.UUID | None, exchanges: Sequence[Exchange]) -> Exchange | None:
    """The one that was judged; else that of the turn, else the one that the judged memory tells."""
    for name, wanted in (("pk", event.exchange_id), ("turn_id", event.turn_id), ("memory_id", memory_id)):
        if wanted and (found := next((one for one in exchanges if getattr(one, name) == wanted), None)):
            return found
    return None


def find_verdicts_at(user: EndUser, item_id: uuid.UUID, moments: Sequence[datetime]) -> Mapping[datetime, OutcomeEvent]:
    """Those that scored a memory at these times."""
    with user_scope(user):
        given = OutcomeEvent.objects.filter(user=user, at__in=moments, sign=1, scored_ids__contains=[item_id])
        return {event.at: event for event in given}
