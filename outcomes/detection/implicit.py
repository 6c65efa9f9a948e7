"""Stores implicit signals from the next message. They are shown, and by default move no score."""

import uuid
from datetime import datetime, timedelta

from memory.access.confinement import current_scope
from memory.conf import memory_conf
from memory.models import EndUser, Turn
from memory.tiers import Outcome
from outcomes.detection.cues import LONGEST_EVIDENCE, OutcomeCue, find_cues
from outcomes.models import ConversationSignal, Exchange, SignalKind, Source
from outcomes.verdicts.ledger import JudgedMemories, Verdict, VerdictSubject, settle_verdict
from outcomes.work import filter_conversation

# Exchanges of the thread among which a repeated question is looked for.
LOOKED_BACK = 3
FRESH = timedelta(hours=12)
MEANS = {SignalKind.THANKS: Outcome.WORKED, SignalKind.CORRECTS: Outcome.FAILED, SignalKind.REPEATS: Outcome.FAILED}


def store_signals(user: EndUser, exchange: Exchange, now: datetime) -> None:
    """Store the signals of a new exchange about earlier ones, in the transaction that writes it."""
    # The exchange is not stored yet: where it will belong is what holds now.
    thread = filter_conversation(user, exchange.thread_id, current_scope()).filter(created_at__gt=now - FRESH)
    before = list(thread.exclude(pk=exchange.pk).order_by("-created_at", "-pk")[:LOOKED_BACK])
    # Asking again after an interrupted answer says nothing about it.
    if not before or before[0].interrupted:
        return
    answer = before[0].short_answer
    for cue in find_cues(exchange.short_question, [earlier.short_question for earlier in before], answer):
        earlier_exchange = before[cue.back]
        store_signal(user, exchange, earlier_exchange, cue, now)
        if memory_conf().flags["implicit_scoring"] and not earlier_exchange.interrupted:
            settle_implicitly(user, earlier_exchange, SignalKind(cue.kind), now)


def store_signal(user: EndUser, heard_in: Exchange, about: Exchange, cue: OutcomeCue, now: datetime) -> None:
    ConversationSignal.objects.create(
        user=user,
        thread_id=about.thread_id,
        exchange_id=about.pk,
        heard_in=heard_in.pk,
        kind=cue.kind,
        evidence=cue.evidence[:LONGEST_EVIDENCE],
        at=now,
    )


def settle_implicitly(user: EndUser, exchange: Exchange, kind: SignalKind, now: datetime) -> None:
    """Move the scores of the exchange's turn slightly. Never counts as a use, never replaces a verdict."""
    # Thanks are cheap: at the usual weight of a tenth they move a score by 0.02, a correction by 0.03.
    turns = Turn.objects.filter(user=user).select_for_update(no_key=True)
    turn = turns.filter(turn_id=exchange.turn_id).first() if exchange.turn_id else None
    if turn is None:
        return
    weight = memory_conf().conversations.implicit_weight
    verdict = Verdict(MEANS[kind], Source.IMPLICIT, signal=kind, confidence=weight, weight=weight, actor="conversation")
    ids = [uuid.UUID(item_id) for item_id, _ in turn.positions]
    settle_verdict(user, VerdictSubject(turn, exchange), verdict, JudgedMemories(ids), now=now)
