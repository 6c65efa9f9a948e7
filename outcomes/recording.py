"""The fast path of an outcome: scores move now, in one transaction; books and the memory bank never."""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count

from memory import metrics, rows, store
from memory.access import user_scope
from memory.admission import NewMemory, Refused
from memory.conf import memory_conf
from memory.models import EndUser, MemoryItem, Turn
from memory.scoring import moved_score
from memory.tiers import SCORED_TIERS, Outcome, SourceType, Tier
from outcomes.models import QUERY_CHARS, Exchange, OutcomeEvent

TAKEAWAY_SCORES = {Outcome.WORKED: 0.7, Outcome.FAILED: 0.2, Outcome.PARTIAL: 0.55, Outcome.UNKNOWN: 0.5}
"""A takeaway starts where its lesson stands."""
MAX_POSITION_DIGITS = 4


class UnknownTurn(LookupError):
    """The turn or exchange an outcome names is not the user's. ``field`` is the input that named it."""

    def __init__(self, field_name: str) -> None:
        super().__init__(field_name)
        self.field = field_name


@dataclass(frozen=True, slots=True)
class Scored:
    memory_id: uuid.UUID
    score: float
    uses: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """``learned`` are the books and bank items of the turn: noted, not scored."""

    scored: list[Scored]
    learned: list[uuid.UUID]
    takeaway_id: uuid.UUID | None


def record(
    user: EndUser,
    outcome: Outcome,
    *,
    now: datetime,
    turn_id: uuid.UUID | None = None,
    exchange_id: uuid.UUID | None = None,
    key_takeaway: str = "",
    related: Sequence[int | str] | None = None,
    actor: str = "",
) -> Recorded:
    """Record what came of a turn.

    ``related`` names positions of the turn's search or memory ids; without it, or when none of it can be resolved,
    all the turn showed is meant. Raises UnknownTurn, and Refused when there is nothing an outcome could be about.
    """
    with user_scope(user):
        exchange = find_exchange(user, exchange_id)
        turn = find_turn(user, turn_id or (exchange.turn_id if exchange else None), required=turn_id is not None)
        ids = meant(user, turn, related)
        if not ids and not key_takeaway and turn is None and exchange is None:
            raise Refused("related", "name a turn_id, an exchange_id or memory ids the outcome is about")
        scored, learned = apply_to(user, ids, outcome, now=now, actor=actor)
        takeaway = store_takeaway(user, key_takeaway, outcome, turn, exchange, now=now, actor=actor)
        OutcomeEvent.objects.create(
            user=user,
            turn_id=turn.turn_id if turn else None,
            exchange_id=exchange.pk if exchange else None,
            outcome=outcome,
            scored_ids=[done.memory_id for done in scored],
            learned_ids=learned,
            takeaway_id=takeaway,
            thread_id=exchange.thread_id if exchange else turn.thread_id if turn else "",
            query=(turn.query if turn else exchange.user_message if exchange else "")[:QUERY_CHARS],
            actor=actor,
            at=now,
        )
        rows.mark_learning_due(user, now)
        mark_scored(user, turn, exchange, now)
    metrics.count("outcomes", outcome)
    return Recorded(scored, learned, takeaway)


def find_exchange(user: EndUser, exchange_id: uuid.UUID | None) -> Exchange | None:
    if exchange_id is None:
        return None
    found = Exchange.objects.filter(user=user, pk=exchange_id).first()
    if found is None:
        raise UnknownTurn("exchange_id")
    return found


def find_turn(user: EndUser, turn_id: uuid.UUID | None, *, required: bool) -> Turn | None:
    found = Turn.objects.filter(user=user, turn_id=turn_id).first() if turn_id else None
    if found is None and required:
        raise UnknownTurn("turn_id")
    return found


def meant(user: EndUser, turn: Turn | None, related: Sequence[int | str] | None) -> list[uuid.UUID]:
    shown = [uuid.UUID(item_id) for item_id, _ in turn.positions] if turn else []
    named = [found for reference in related or () if (found := resolved(reference, shown))]
    own = set(MemoryItem.objects.for_user(user).filter(pk__in=named).values_list("pk", flat=True))
    return [item_id for item_id in dict.fromkeys(named) if item_id in own] or shown


def resolved(reference: int | str, shown: Sequence[uuid.UUID]) -> uuid.UUID | None:
    """The id behind a position (from 1) or an id; None when it is neither."""
    text = str(reference)
    if text.isdecimal() and len(text) <= MAX_POSITION_DIGITS:
        position = int(text)
        return shown[position - 1] if 1 <= position <= len(shown) else None
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def apply_to(
    user: EndUser, ids: Iterable[uuid.UUID], outcome: Outcome, *, now: datetime, actor: str
) -> tuple[list[Scored], list[uuid.UUID]]:
    """Move the scores of what is scored; name what is not. Rows are locked in order of id, so two outcomes queue.

    With outcomes switched off nothing is scored: what was said is still noted.
    """
    scorable = SCORED_TIERS if memory_conf().flags["outcome"] else frozenset()
    named = MemoryItem.objects.for_user(user).filter(pk__in=list(ids)).select_for_update(no_key=True)
    scored: list[Scored] = []
    learned: list[uuid.UUID] = []
    for item in named.defer("lexemes").order_by("pk"):
        if item.tier not in scorable:
            learned.append(item.pk)
            continue
        before = item.score
        item.score = moved_score(item.score, outcome, memory_conf().scoring.deltas)
        # An outcome nobody knows is noted and is no use: only a verdict counts towards promotion.
        item.uses += outcome is not Outcome.UNKNOWN
        setattr(item, outcome, getattr(item, outcome) + 1)
        item.last_outcome, item.last_used_at, item.updated_at = outcome, now, now
        item.save(update_fields=["score", "uses", outcome, "last_outcome", "last_used_at", "updated_at"])
        rows.note(
            item,
            f"outcome_{outcome}",
            before={"score": before},
            after={"score": item.score, "uses": item.uses},
            now=now,
            actor=actor,
        )
        scored.append(Scored(item.pk, item.score, item.uses))
    return scored, learned


def store_takeaway(
    user: EndUser,
    text: str,
    outcome: Outcome,
    turn: Turn | None,
    exchange: Exchange | None,
    *,
    now: datetime,
    actor: str,
) -> uuid.UUID | None:
    if not text.strip():
        return None
    thread_id = exchange.thread_id if exchange else turn.thread_id if turn else ""
    new = NewMemory(
        text=text,
        tier=Tier.WORKING,
        thread_id=thread_id,
        source_type=SourceType.ASSISTANT,
        source={"kind": "takeaway", "outcome": outcome},
        score=TAKEAWAY_SCORES[outcome],
    )
    try:
        return store.store(user, new, now=now, actor=actor).item.pk
    except Refused as error:
        raise Refused("key_takeaway", error.rule) from error


def mark_scored(user: EndUser, turn: Turn | None, exchange: Exchange | None, now: datetime) -> None:
    if turn:
        Turn.objects.filter(pk=turn.pk).update(scored_at=now)
        Exchange.objects.filter(user=user, turn_id=turn.turn_id, scored_at=None).update(scored_at=now)
    if exchange:
        Exchange.objects.filter(pk=exchange.pk).update(scored_at=now)


def outcome_counts(user: EndUser) -> dict[str, int]:
    """How often each outcome was recorded."""
    with user_scope(user):
        counted = dict(OutcomeEvent.objects.filter(user=user).values_list("outcome").annotate(Count("id")))
    return {outcome.value: counted.get(outcome, 0) for outcome in Outcome}


def recent(user: EndUser, limit: int = 10) -> list[OutcomeEvent]:
    with user_scope(user):
        return list(OutcomeEvent.objects.filter(user=user).order_by("-at", "-pk")[:limit])
