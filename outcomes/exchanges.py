"""A finished turn: the exchange as it was, and its trace in the working tier."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F

from memory import store
from memory.access import user_scope
from memory.admission import NewMemory, checked_text
from memory.conf import memory_conf
from memory.models import EndUser, MemoryItem, Turn
from memory.signals import promotion_due
from memory.tiers import SCORED_TIERS, SourceType, Tier, Trust
from outcomes.models import Exchange
from outcomes.signals import exchange_stored

LONG_IDLE = timedelta(hours=12)
"""After this silence a thread starts cold again."""
MESSAGES_PER_EXCHANGE = 2
PROMOTE_EVERY = 20


@dataclass(frozen=True, slots=True)
class NewExchange:
    thread_id: str
    user_message: str
    assistant_message: str
    turn_id: uuid.UUID | None = None
    tools: Sequence[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class StoredExchange:
    exchange_id: uuid.UUID
    memory_id: uuid.UUID
    required_scoring: bool
    state: str


def store_exchange(user: EndUser, new: NewExchange, *, now: datetime, actor: str = "") -> StoredExchange:
    """Keep the exchange whole and remember it in working. Raises Refused for a message that breaks a rule."""
    limit = memory_conf().limits.text
    asked = checked_text(new.user_message, limit, "user_message")
    answered = checked_text(new.assistant_message, limit, "assistant_message")
    with user_scope(user):
        stored = store.store(
            user,
            NewMemory(
                text=as_memory(asked, answered, limit),
                tier=Tier.WORKING,
                thread_id=new.thread_id,
                source_type=SourceType.USER,
                source={"kind": "exchange"},
                # Half of it are the assistant's words.
                trust=Trust.ASSISTANT,
            ),
            now=now,
            actor=actor,
        )
        required = not new.interrupted and shown_scorable(user, new.turn_id)
        row = Exchange.objects.create(
            user=user,
            thread_id=new.thread_id,
            turn_id=new.turn_id,
            memory_id=stored.item.pk,
            user_message=asked,
            assistant_message=answered,
            tools=list(new.tools),
            interrupted=new.interrupted,
            required_scoring=required,
            created_at=now,
        )
        count_messages(user, new.thread_id, now)
        exchange_stored.send(Exchange, user=user, exchange=row)
    return StoredExchange(row.pk, stored.item.pk, required, "unscored" if required else "scored")


def count_messages(user: EndUser, thread_id: str, now: datetime) -> None:
    """Every so many messages, and when the thread changes, is a moment to look at the tiers."""
    seen = EndUser.objects.filter(pk=user.pk).values_list("messages_since_promotion", "last_thread_id").first()
    count, last_thread = seen or (0, "")
    EndUser.objects.filter(pk=user.pk).update(
        messages_since_promotion=F("messages_since_promotion") + MESSAGES_PER_EXCHANGE,
        last_thread_id=thread_id,
        last_active_at=now,
    )
    if count + MESSAGES_PER_EXCHANGE >= PROMOTE_EVERY or last_thread not in {"", thread_id}:
        promotion_due.send(EndUser, user_id=user.pk)


def as_memory(asked: str, answered: str, limit: int) -> str:
    """Question and answer as one text; the exchange itself is kept whole beside it."""
    frame = "User: {}\nAssistant: {}"
    room = limit - len(frame)
    if len(asked) + len(answered) > room:
        asked = asked[: max(room // 2, room - len(answered))]
        answered = answered[: room - len(asked)]
    return frame.format(asked, answered)


def shown_scorable(user: EndUser, turn_id: uuid.UUID | None) -> bool:
    """Whether the turn's search showed a memory whose score an outcome could move."""
    if turn_id is None:
        return False
    turn = Turn.objects.filter(user=user, turn_id=turn_id).first()
    return turn is not None and any(tier in SCORED_TIERS for _, tier in turn.positions)


def awaits_scoring(user: EndUser, thread_id: str) -> bool:
    """Whether the thread's last exchange showed memories and nobody has said how it went."""
    if not thread_id:
        return False
    with user_scope(user):
        last = Exchange.objects.filter(user=user, thread_id=thread_id).order_by("-created_at", "-pk").first()
    return last is not None and last.required_scoring and last.scored_at is None


def is_new_thread(user: EndUser, thread_id: str, *, now: datetime) -> bool:
    """A thread nothing was said in yet, or not for long. A call without a thread is always new."""
    if not thread_id:
        return True
    recent = now - LONG_IDLE
    with user_scope(user):
        talked = Exchange.objects.filter(user=user, thread_id=thread_id, created_at__gt=recent).exists()
        return not talked and not (
            MemoryItem.objects.for_user(user).filter(thread_id=thread_id, created_at__gt=recent).exists()
        )


def forget_memory(user: EndUser, memory_id: uuid.UUID) -> None:
    """A deleted memory takes the exchange it came from along: the words were the same."""
    with user_scope(user):
        Exchange.objects.filter(user=user, memory_id=memory_id).delete()


def count(user: EndUser) -> int:
    with user_scope(user):
        return Exchange.objects.filter(user=user).count()
