"""Stores finished turns: the exchange itself and a memory of it in the working tier."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q

from memory.access.confinement import current_scope, is_bound
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.guard import redact_secrets
from memory.guard.redaction.texts import JsonRedaction, list_marked_kinds_in, redact_reply
from memory.language.exchanges import EXCHANGE_FRAME
from memory.models import EndUser, EvaluationCase, MemoryItem, Turn
from memory.retrieval.turns import adopt_strangers_turn, find_turn
from memory.signals import promotion_due
from memory.store import writing
from memory.store.admission import NewMemory, WriteRefused, validate_field_text
from memory.tiers import MAX_TEXT_CHARS, SCORED_TIERS, SourceType, Tier, Trust
from outcomes.detection.cues import is_small_talk
from outcomes.detection.implicit import store_signals
from outcomes.exchanges import digests, threads
from outcomes.models import ActionTaken, ConversationSignal, Detection, Exchange, OutcomeEvent
from outcomes.signals import exchange_stored
from outcomes.verdicts.actions import store_tool_runs
from outcomes.work import filter_conversation, is_detector_enabled, mark_exchange_work

# After this idle time a thread counts as new.
LONG_IDLE = timedelta(hours=12)
MESSAGES_PER_EXCHANGE = 2
PROMOTE_EVERY = 20
RECORDS_OUTCOME = "record_response"
SCORED, UNSCORED = "scored", "unscored"
MESSAGE_LIMIT = 500_000
"""Characters of a message. An exchange keeps it whole; its memory holds what a memory may."""
CUT_MARK = " […]"
# The exchanges of one call, a microsecond apart, so that they are read in the order they were said.
STEP = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class NewExchange:
    thread_id: str
    user_message: str
    assistant_message: str
    turn_id: uuid.UUID | None = None
    tools: Sequence[dict[str, Any]] = field(default_factory=list)
    interrupted: bool = False
    occurred_at: datetime | None = None
    """When it was said, if not now."""
    is_awaited: bool = False
    """Somebody waits until it is read: the worker does not gather what else is said."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Of its memory, and of what is learned from it."""
    speaker: str = ""
    """Who asked, where the client names them."""


@dataclass(frozen=True, slots=True)
class StoredExchange:
    exchange_id: uuid.UUID
    memory_id: uuid.UUID
    required_scoring: bool
    state: str
    # Whether the client should wait for the outcome; only if a setting requires it.
    blocking: bool = False
    redacted: Sequence[str] = ()
    """The kinds of secrets that were taken out: "github token"."""


def store_exchange(user: EndUser, new: NewExchange, *, now: datetime, actor: str = "") -> StoredExchange:
    """Store the exchange and its memory in working, without secrets. Raises WriteRefused for what breaks a rule."""
    new = redact_exchange(new)
    question = validate_field_text(new.user_message, MESSAGE_LIMIT, "user_message")
    answer = new.assistant_message
    # Only of what was broken off there may be no answer at all.
    if answer or not new.interrupted:
        answer = validate_field_text(answer, MESSAGE_LIMIT, "assistant_message")
    with user_scope(user):
        row = build_exchange(user, new, question, answer, now)
        # First, while no row of the user is locked: a hint locks memories, which are locked before the user's own row.
        store_signals(user, row, now)
        stored = writing.store_memory(user, build_memory(new, question, answer), now=now, actor=actor)
        row.memory_id, row.said_at = stored.item.pk, stored.item.occurred_at
        row.save(force_insert=True)
        store_tool_runs(user, row, new.tools, now)
        mark_exchange_work(user, row, now, is_awaited=new.is_awaited)
        count_messages(user, new.thread_id, now)
        exchange_stored.send(Exchange, user=user, exchange=row)
    required = row.required_scoring
    state = UNSCORED if required else SCORED
    return StoredExchange(
        row.pk,
        stored.item.pk,
        required,
        state,
        blocking=required and is_scoring_enforced(),
        redacted=list_marked_kinds_in(question, answer, row.tools, row.thread_id),
    )


def is_stored(user: EndUser, new: NewExchange) -> bool:
    """Whether the same person said the same in its conversation before. Raises WriteRefused for what breaks a rule."""
    new = redact_exchange(new)
    question = validate_field_text(new.user_message, MESSAGE_LIMIT, "user_message")
    with user_scope(user):
        thread = filter_conversation(user, new.thread_id, current_scope())
        return thread.filter(speaker=new.speaker, user_message=question).exists()


def check_turn(user: EndUser, new: NewExchange) -> None:
    """Raises WriteRefused for a turn that was never given out to the person or that began another thread.

    For what clients name: what is learned from an outcome would be lost with a turn that is not there.
    """
    if new.turn_id is None:
        return
    turn = find_turn(user, new.turn_id) or adopt_strangers_turn(user, new.turn_id)
    if turn is None:
        raise WriteRefused("turn_id", "names no turn of this person; leave it out where none was given")
    if turn.thread_id not in {"", new.thread_id}:
        raise WriteRefused("turn_id", "is a turn of another thread")


def build_memory(new: NewExchange, question: str, answer: str) -> NewMemory:
    return NewMemory(
        text=render_exchange(question, answer, MAX_TEXT_CHARS),
        tier=Tier.WORKING,
        thread_id=new.thread_id,
        speaker=new.speaker,
        source_type=SourceType.USER,
        source={"kind": "exchange"},
        occurred_at=new.occurred_at,
        metadata=dict(new.metadata),
        # Half of it are the assistant's words.
        trust=Trust.ASSISTANT if answer else None,
    )


def redact_exchange(new: NewExchange) -> NewExchange:
    """Without the secrets that either said; an answer may tell what the question only asked for."""
    return replace(
        new,
        thread_id=redact_secrets(new.thread_id).text,
        speaker=redact_secrets(new.speaker).text,
        user_message=redact_secrets(new.user_message).text,
        assistant_message=redact_reply(new.user_message, new.assistant_message).text,
        tools=JsonRedaction().redact(list(new.tools)),
    )


def build_exchange(user: EndUser, new: NewExchange, question: str, answer: str, now: datetime) -> Exchange:
    # Locked as an outcome locks it: one told meanwhile either finds this exchange or is seen here.
    turns = Turn.objects.filter(user=user).select_for_update(no_key=True)
    turn = turns.filter(turn_id=new.turn_id).first() if new.turn_id else None
    scored = is_already_scored(new, turn)
    return Exchange(
        user=user,
        thread_id=new.thread_id,
        turn_id=new.turn_id,
        speaker=new.speaker,
        user_message=question,
        assistant_message=answer,
        tools=list(new.tools),
        interrupted=new.interrupted,
        is_bound=is_bound(),
        required_scoring=not scored and requires_outcome(new, turn),
        scored_at=now if scored else None,
        created_at=now,
        detection=Detection.PENDING if is_detector_enabled() else "",
        profiled_at=None if memory_conf().flags["profile_detection"] else now,
    )


def is_already_scored(new: NewExchange, turn: Turn | None) -> bool:
    """Whether the turn's outcome arrived before its exchange, as when the assistant records it by a tool."""
    if any(tool["name"] == RECORDS_OUTCOME and tool["ok"] for tool in new.tools):
        return True
    return turn is not None and turn.scored_at is not None


def requires_outcome(new: NewExchange, turn: Turn | None) -> bool:
    """Small talk and interrupted answers need no outcome, nor does a turn that showed nothing an outcome could move."""
    if turn is None or new.interrupted or is_small_talk(new.user_message[:MAX_TEXT_CHARS]):
        return False
    return any(tier in SCORED_TIERS for _, tier in turn.positions)


def is_scoring_enforced() -> bool:
    # It is reported and nothing is refused: a context that answered 409 would leave the user without an answer because
    # a client forgot a call. ``blocking`` leaves the decision to the client.
    return bool(memory_conf().flags["enforce_scoring"])


def count_messages(user: EndUser, thread_id: str, now: datetime) -> None:
    """Trigger promotion every few messages and on a change of thread."""
    known = EndUser.objects.filter(pk=user.pk)
    before, last_thread = known.values_list("messages_since_promotion", "last_thread_id").first() or (0, "")
    count = before + MESSAGES_PER_EXCHANGE
    # A full count was asked for and not passed yet, as the pass counts anew from 0. A worker that is busy with a burst
    # got 152 passes for 159 exchanges when each of them asked.
    is_due = before < PROMOTE_EVERY and (count >= PROMOTE_EVERY or last_thread not in {"", thread_id})
    known.update(
        messages_since_promotion=PROMOTE_EVERY if is_due else F("messages_since_promotion") + MESSAGES_PER_EXCHANGE,
        last_thread_id=thread_id,
        last_active_at=now,
    )
    if is_due:
        promotion_due.send(EndUser, user_id=user.pk)


def render_exchange(question: str, answer: str, limit: int) -> str:
    """Question and answer as one text, cut with a mark; the exchange itself is stored in full beside it."""
    if not answer:
        return shorten(question, limit)
    room = limit - len(EXCHANGE_FRAME)
    question = shorten(question, max(room // 2, room - len(answer)))
    return EXCHANGE_FRAME.format(question, shorten(answer, room - len(question)))


def shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: max(0, limit - len(CUT_MARK))] + CUT_MARK


def find_unscored_exchange(user: EndUser, thread_id: str) -> Exchange | None:
    """The last exchange of the conversation of the scope that holds, if its outcome is required and missing."""
    if not thread_id:
        return None
    with user_scope(user):
        last = filter_conversation(user, thread_id, current_scope()).order_by("-created_at", "-pk").first()
    return last if last is not None and last.required_scoring and last.scored_at is None else None


# Holds none of the user's words, so nothing in it can be forged. It names the turn: by now another has begun.
SCORING_REQUEST = """<score-required exchange="{exchange}" turn="{turn}">
The last answer in this conversation used memories, and nobody has said yet how it went. Before you answer, judge by
what the user says now whether it worked, failed, was partly right, or cannot be known, and tell it with the tool
record_response: turn_id {turn}, the outcome, what is to be learned in key_takeaway, and in related the positions you
had used then.
</score-required>"""


def render_scoring_request(exchange: Exchange) -> str:
    """The text that asks an assistant for a missing outcome."""
    return SCORING_REQUEST.format(exchange=exchange.pk, turn=exchange.turn_id)


def is_new_thread(user: EndUser, thread_id: str, *, now: datetime) -> bool:
    """Whether the conversation of the scope that holds is new or was idle for long. Without a thread always True."""
    if not thread_id:
        return True
    recent, scope = now - LONG_IDLE, current_scope()
    with user_scope(user):
        has_exchanges = filter_conversation(user, thread_id, scope).filter(created_at__gt=recent).exists()
        items = MemoryItem.objects.for_user(user).filter(agent_id=scope.agent_id, project_id=scope.project_id)
        return not has_exchanges and not items.filter(thread_id=thread_id, created_at__gt=recent).exists()


def delete_exchanges_of(user: EndUser, ids: Sequence[uuid.UUID]) -> int:
    """Delete the exchanges of deleted memories, and copies of their text elsewhere.

    Returns how many exchanges went.
    """
    with user_scope(user):
        exchanges = Exchange.objects.filter(user=user, memory_id__in=list(ids))
        exchange_ids = list(exchanges.values_list("pk", flat=True))
        if not exchange_ids:
            threads.drop_empty_titles(user)
            return 0
        digests.drop_digests(user, exchange_ids)
        # Somebody may have kept the question as one to measure with.
        turns = list(exchanges.exclude(turn_id=None).values_list("turn_id", flat=True))
        EvaluationCase.objects.filter(user=user, turn_id__in=turns).delete()
        exchanges.delete()
        threads.drop_empty_titles(user)
        OutcomeEvent.objects.filter(user=user, exchange_id__in=exchange_ids).update(query="")
        ActionTaken.objects.filter(user=user, exchange_id__in=exchange_ids).update(query="")
        signals = Q(exchange_id__in=exchange_ids) | Q(heard_in__in=exchange_ids)
        ConversationSignal.objects.filter(user=user).filter(signals).delete()
    return len(exchange_ids)


def count_exchanges(user: EndUser) -> int:
    with user_scope(user):
        return Exchange.objects.filter(user=user).count()
