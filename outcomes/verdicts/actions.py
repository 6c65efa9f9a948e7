"""The actions of a turn: tool runs reported with its exchange, and calls of memory tools.

A failed run counts as failed whatever the outcome of the turn: this action did not help.
"""

import re
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from memory.access.scope import user_scope
from memory.models import EndUser, Turn
from memory.store import rows
from memory.tiers import Outcome, Tier
from outcomes.models import QUERY_CHARS, ActionTaken, ConversationSignal, Exchange, OutcomeEvent, SignalKind, Source

# Tools report a timeout in words of their own. It is only counted apart, so a wide pattern does no harm.
TIMED_OUT = re.compile(r"time[ds]?[ -]?out|deadline", re.IGNORECASE)
LONGEST_ERROR = 300


@dataclass(frozen=True, slots=True)
class Action:
    """One call of a tool. ``tiers`` are those a memory tool read or wrote."""

    name: str
    ok: bool
    turn_id: uuid.UUID | None = None
    thread_id: str = ""
    tiers: Sequence[Tier] = ()
    query: str = ""
    ms: float = 0
    error: str = ""


def record_action(user: EndUser, action: Action, *, now: datetime) -> None:
    """Record a call of a memory tool, so that the turn's outcome can be learned for it."""
    with user_scope(user):
        verdict = find_current_outcome(user, action.turn_id, None) if action.ok else Outcome.FAILED
        ActionTaken.objects.create(
            user=user,
            turn_id=action.turn_id,
            thread_id=action.thread_id,
            action=action.name,
            tiers=[str(tier) for tier in action.tiers],
            query=(action.query or find_turn_query(user, action.turn_id))[:QUERY_CHARS],
            ok=action.ok,
            timed_out=not action.ok and bool(TIMED_OUT.search(action.error)),
            ms=action.ms,
            error=action.error[:LONGEST_ERROR],
            at=now,
            verdict=verdict,
        )
        if verdict:
            rows.mark_learning_due(user, now)


def find_turn_query(user: EndUser, turn_id: uuid.UUID | None) -> str:
    """The query of a turn, from which the kind of work is read when a call has none."""
    turn = Turn.objects.filter(user=user, turn_id=turn_id).only("query").first() if turn_id else None
    return turn.query if turn else ""


def store_tool_runs(user: EndUser, exchange: Exchange, tools: Sequence[dict[str, Any]], now: datetime) -> None:
    """Store the tool runs of an exchange; a failed one is also a signal, which moves no score."""
    recorded = claim_recorded_calls(user, exchange)
    if not tools:
        return
    verdict = find_current_outcome(user, exchange.turn_id, exchange.pk)
    runs = [build_action(user, exchange, tool, now, verdict) for tool in tools]
    new = []
    for run in runs:
        # Calls of memory tools were recorded when they were made; a client that lists them again adds nothing.
        if recorded[run.action, run.ok] > 0:
            recorded[run.action, run.ok] -= 1
        else:
            new.append(run)
    ActionTaken.objects.bulk_create(new)
    ConversationSignal.objects.bulk_create(
        ConversationSignal(
            user=user,
            thread_id=exchange.thread_id,
            exchange_id=exchange.pk,
            heard_in=exchange.pk,
            kind=SignalKind.TOOL_TIMEOUT if run.timed_out else SignalKind.TOOL_ERROR,
            evidence=f"{run.action}: {run.error}"[:200] if run.error else run.action,
            at=now,
        )
        for run in runs
        if not run.ok
    )
    if any(run.verdict for run in new):
        rows.mark_learning_due(user, now)


def claim_recorded_calls(user: EndUser, exchange: Exchange) -> Counter[tuple[str, bool]]:
    """The turn's calls recorded before its exchange arrived; they are now assigned to it."""
    if exchange.turn_id is None:
        return Counter()
    recorded = ActionTaken.objects.filter(user=user, turn_id=exchange.turn_id, exchange_id=None)
    calls = Counter(recorded.values_list("action", "ok"))
    if calls:
        recorded.update(exchange_id=exchange.pk)
    return calls


def build_action(user: EndUser, exchange: Exchange, tool: dict[str, Any], now: datetime, verdict: str) -> ActionTaken:
    error = str(tool.get("error") or "")
    return ActionTaken(
        user=user,
        turn_id=exchange.turn_id,
        thread_id=exchange.thread_id,
        exchange_id=exchange.pk,
        action=tool["name"],
        query=exchange.user_message[:QUERY_CHARS],
        ok=tool["ok"],
        timed_out=not tool["ok"] and bool(TIMED_OUT.search(error)),
        ms=tool.get("ms", 0),
        error=error[:LONGEST_ERROR],
        at=now,
        verdict=verdict if tool["ok"] else Outcome.FAILED,
    )


def find_current_outcome(user: EndUser, turn_id: uuid.UUID | None, exchange_id: uuid.UUID | None) -> str:
    """The current outcome of a turn or exchange: partial if some of its memories worked and others did not.

    Empty if there is none or only a hint.
    """
    subject = Q(turn_id=turn_id) if turn_id else Q()
    subject |= Q(exchange_id=exchange_id) if exchange_id else Q()
    if not subject:
        return ""
    current = OutcomeEvent.objects.filter(subject, user=user, sign=1, replaced_at=None).exclude(source=Source.IMPLICIT)
    outcomes = set(current.values_list("outcome", flat=True))
    clear = sorted(outcomes - {Outcome.UNKNOWN}) or sorted(outcomes)
    return str(Outcome.PARTIAL if len(clear) > 1 else (clear or [""])[0])


def set_action_verdicts(user: EndUser, turn_id: uuid.UUID | None, exchange_id: uuid.UUID | None) -> None:
    """Set the outcome of a turn's actions, to be learned; failed actions keep their own."""
    subject = Q(turn_id=turn_id) if turn_id else Q()
    subject |= Q(exchange_id=exchange_id) if exchange_id else Q()
    if subject:
        outcome = find_current_outcome(user, turn_id, exchange_id)
        ActionTaken.objects.filter(subject, user=user, ok=True).exclude(verdict=outcome).update(verdict=outcome)
