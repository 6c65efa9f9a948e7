"""What an exchange was answered with, for display: the memories of its turn, and those its outcome scored."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem, Turn
from outcomes.exchanges.listing import ExchangeDetail
from outcomes.models import OutcomeEvent

SKIPPED = "_skipped"


@dataclass(frozen=True, slots=True)
class MovedMemory:
    """``moved`` is how far the outcome moved its score; ``item`` None where it is deleted since."""

    item: MemoryItem | None
    moved: float


@dataclass(frozen=True, slots=True)
class Recollection:
    """``found`` are the memories of the turn in their order, without those deleted since, which ``gone`` counts.

    ``tokens`` are those of the whole context, 0 of a turn that was a search. ``skipped`` are the stages that were late
    or down.
    """

    turn: Turn | None = None
    found: Sequence[MemoryItem] = ()
    gone: int = 0
    skipped: Sequence[str] = ()
    scored: Sequence[MovedMemory] = field(default=())

    @property
    def tokens(self) -> int:
        return sum(int(tokens) for _, tokens, _ in self.turn.sections) if self.turn else 0

    @property
    def confidence(self) -> str:
        return str(self.turn.debug.get("retrieval_confidence", "")) if self.turn else ""


def load_recollections(user: EndUser, details: Sequence[ExchangeDetail]) -> dict[uuid.UUID, Recollection]:
    """By exchange. In two queries, however many exchanges there are."""
    asked = [detail.exchange.turn_id for detail in details if detail.exchange.turn_id]
    with user_scope(user):
        turns: dict[uuid.UUID | None, Turn] = {
            turn.turn_id: turn for turn in Turn.objects.filter(user=user, turn_id__in=asked)
        }
        named = {item_id for turn in turns.values() for item_id in turn.handed_ids}
        named |= {one[0] for detail in details if detail.outcome for one in detail.outcome.memories}
        rows = MemoryItem.objects.for_user(user).filter(pk__in=named).defer("lexemes")
        items = {str(item.pk): item for item in rows} if named else {}
    return {
        detail.exchange.pk: recollect(turns.get(detail.exchange.turn_id), detail.outcome, items) for detail in details
    }


def recollect(turn: Turn | None, outcome: OutcomeEvent | None, items: Mapping[str, MemoryItem]) -> Recollection:
    scored = (
        [MovedMemory(items.get(item_id), float(moved)) for item_id, _, moved in outcome.memories] if outcome else []
    )
    if turn is None:
        return Recollection(scored=scored)
    handed = turn.handed_ids
    found = [items[item_id] for item_id in handed if item_id in items]
    skipped = [str(name).removesuffix(SKIPPED) for name in turn.debug.get("fallbacks_used", [])]
    return Recollection(turn, found, len(handed) - len(found), skipped, scored)
