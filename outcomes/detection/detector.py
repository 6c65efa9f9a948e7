"""The outcome detector: a language model judges from the conversation whether an answer helped.

Without a model there is no verdict and no heuristic in its place. An exchange is judged after a later message in its
thread, if it used memories or tools and has no explicit outcome. The rows are the queue: one with ``detection``
pending and ``detection_at`` in the past is due; a worker that dies leaves a lease that expires.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

import structlog
from django.db.models import Q, QuerySet, Sum
from pydantic import BaseModel, Field

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.inference.asking import find_prompt_model
from memory.inference.llm import LanguageModel
from memory.inference.prompts import render_prompt
from memory.models import EndUser, Turn
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected, Unavailable
from memory.tiers import Outcome
from outcomes.models import ActionTaken, Detection, Exchange, OutcomeEvent, Source
from outcomes.verdicts.ledger import JudgedMemories, Verdict, VerdictSubject
from outcomes.verdicts.recording import apply_verdict, lock_subject, mark_scored, resolve_references
from outcomes.work import DETECT_EVERY, GIVEN_UP_AFTER, filter_conversation

logger = structlog.get_logger(__name__)

PROMPT = "outcome_detection"
# A judgement with less confidence counts as unknown.
CONFIDENT = 0.7
LONGEST_MESSAGE = 500
# One answer a call: one verdict for four exchanges would move the memories of all of them by the mood of the last.
# Exchanges shown to the model before and after the judged one.
CONTEXT_EXCHANGES = 2
MOST_ATTEMPTS = 3
LEASE = timedelta(minutes=5)
MOST_INDICATORS = 10


class Judgement(BaseModel):
    """What the model answers."""

    outcome: Literal["worked", "failed", "partial", "unknown"]
    confidence: float = Field(ge=0, le=1)
    indicators: list[str] = Field(default_factory=list)
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class DetectionCase:
    """An exchange to judge, and the conversation around it."""

    exchange: Exchange
    conversation: str


def judge_due_exchanges(user: EndUser, *, now: datetime, limit: int = DETECT_EVERY * 2) -> int:
    """Judge at most ``limit`` due exchanges. Returns how many were examined. Raises Unavailable."""
    examined = 0
    while examined < limit:
        case = lease_next_case(user, now)
        if case is None:
            break
        examined += 1
        model = find_prompt_model(PROMPT)
        if model is None:
            skip_exchange(user, case.exchange, "no language model", now)
            continue
        judge_exchange(user, case, model, now)
    return examined


def judge_exchange(user: EndUser, case: DetectionCase, model: LanguageModel, now: datetime) -> None:
    try:
        judgement = model.answer(
            render_prompt(PROMPT, {"conversation": case.conversation}),
            Judgement,
            purpose=PROMPT,
            deadline=Deadline(memory_conf().llm.timeout_s),
        )
    except (BadReply, RequestRejected) as error:
        logger.warning("an exchange could not be judged", reason=error.reason)
        fail_after_last_attempt(user, case.exchange, now)
        return
    except Unavailable:
        # The model did not answer: the lease expires and the next worker tries again.
        return_lease(user, case.exchange)
        raise
    settle_judgement(user, case.exchange, judgement, now)


def lease_next_case(user: EndUser, now: datetime) -> DetectionCase | None:
    """Lease the next due exchange; those not worth a call are settled on the way."""
    with user_scope(user):
        while True:
            exchange = (
                Exchange.objects.select_for_update(no_key=True, skip_locked=True)
                .filter(user=user, detection=Detection.PENDING, detection_at__lte=now)
                .order_by("detection_at", "created_at", "pk")
                .first()
            )
            if exchange is None:
                return None
            if reason := find_skip_reason(user, exchange, now):
                close_detection(exchange, Detection.SKIPPED, {"skipped": reason}, now)
                continue
            conversation = render_conversation(user, exchange)
            exchange.detection_attempts += 1
            exchange.detection_at = now + LEASE
            exchange.save(update_fields=["detection_attempts", "detection_at"])
            return DetectionCase(exchange, conversation)


def find_skip_reason(user: EndUser, exchange: Exchange, now: datetime) -> str:
    """The reason to skip the model, or an empty string."""
    if not memory_conf().flags["outcome_detection"]:
        return "switched off"
    if exchange.detection_attempts >= MOST_ATTEMPTS:
        return "tried too often"
    if exchange.created_at <= now - GIVEN_UP_AFTER:
        return "too long ago"
    if exchange.interrupted:
        return "the answer was broken off"
    if exchange.scored_at is not None or is_judged(user, exchange):
        return "its outcome was told"
    if not has_shown_memories(user, exchange) and not has_used_tools(user, exchange):
        return "it used neither memories nor tools"
    # It waits for a reaction, so the newest exchange of a thread is never judged.
    if not has_follow_up(user, exchange):
        return "nothing was said after it"
    # So that nobody can run up a bill by talking: 100 calls a day about one user, unless set otherwise.
    if count_calls_today(user, now) >= memory_conf().conversations.detections_a_day:
        return "the day's calls are used up"
    return ""


def is_judged(user: EndUser, exchange: Exchange) -> bool:
    subject = Q(exchange_id=exchange.pk) | (Q(turn_id=exchange.turn_id) if exchange.turn_id else Q(pk=None))
    current = OutcomeEvent.objects.filter(subject, user=user, sign=1, replaced_at=None)
    return current.exclude(source=Source.IMPLICIT).exists()


def has_shown_memories(user: EndUser, exchange: Exchange) -> bool:
    if exchange.turn_id is None:
        return False
    positions = Turn.objects.filter(user=user, turn_id=exchange.turn_id).values_list("positions", flat=True).first()
    return bool(positions)


def has_used_tools(user: EndUser, exchange: Exchange) -> bool:
    return ActionTaken.objects.filter(user=user, exchange_id=exchange.pk).exists()


def has_follow_up(user: EndUser, exchange: Exchange) -> bool:
    return filter_later(user, exchange).exists()


def count_calls_today(user: EndUser, now: datetime) -> int:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    examined = Exchange.objects.filter(user=user, detection_at__gte=today, detection_attempts__gt=0)
    return int(examined.aggregate(asked=Sum("detection_attempts"))["asked"] or 0)


def filter_later(user: EndUser, exchange: Exchange) -> QuerySet[Exchange]:
    thread = filter_conversation(user, exchange.thread_id, exchange)
    return thread.filter(Q(created_at__gt=exchange.created_at) | Q(created_at=exchange.created_at, pk__gt=exchange.pk))


def render_conversation(user: EndUser, exchange: Exchange) -> str:
    """The conversation around an exchange, with shortened messages."""
    thread = filter_conversation(user, exchange.thread_id, exchange)
    before = thread.exclude(pk__in=filter_later(user, exchange).values("pk")).exclude(pk=exchange.pk)
    shown = [
        *reversed(before.order_by("-created_at", "-pk")[:CONTEXT_EXCHANGES]),
        exchange,
        *filter_later(user, exchange).order_by("created_at", "pk")[:CONTEXT_EXCHANGES],
    ]
    return "\n".join(line for row in shown for line in render_messages(row, judged=row.pk == exchange.pk))


def render_messages(row: Exchange, *, judged: bool) -> tuple[str, str]:
    mark = " [ANSWER TO JUDGE]" if judged else ""
    return f"User: {shorten_message(row.user_message)}", f"Assistant{mark}: {shorten_message(row.assistant_message)}"


def shorten_message(message: str) -> str:
    """One line of at most 500 characters."""
    # Line breaks go, so that a message cannot pass for a line of another speaker.
    line = " ".join(message.split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def settle_judgement(user: EndUser, exchange: Exchange, judgement: Judgement, now: datetime) -> None:
    """Settle the exchange and record a confident judgement as its verdict, in one transaction.

    If another worker or an explicit outcome settled it meanwhile, that one wins.
    """
    is_clear = judgement.outcome != "unknown" and judgement.confidence >= CONFIDENT
    with user_scope(user):
        subject = lock_subject(user, None, exchange.pk)
        row = lock_pending(user, exchange)
        if row is None:
            return
        close_detection(row, Detection.DONE, build_detection_record(judgement), now)
        if is_clear and row.scored_at is None:
            record_judgement(user, subject, judgement, now)


def record_judgement(user: EndUser, subject: VerdictSubject, judgement: Judgement, now: datetime) -> None:
    verdict = Verdict(
        Outcome(judgement.outcome),
        Source.DETECTOR,
        signal="detector",
        confidence=judgement.confidence,
        actor="detector",
    )
    judged = JudgedMemories(resolve_references(user, subject, None).ids)
    settled = apply_verdict(user, subject, verdict, judged, now=now)
    if settled.event is not None:
        mark_scored(user, subject, now)


def build_detection_record(judgement: Judgement) -> dict[str, object]:
    return {
        "outcome": judgement.outcome,
        "confidence": judgement.confidence,
        "indicators": [shorten_message(indicator)[:200] for indicator in judgement.indicators[:MOST_INDICATORS]],
        "reasoning": shorten_message(judgement.reasoning),
    }


def lock_pending(user: EndUser, exchange: Exchange) -> Exchange | None:
    rows = Exchange.objects.select_for_update(no_key=True).filter(user=user, detection=Detection.PENDING)
    return rows.filter(pk=exchange.pk).first()


def close_detection(row: Exchange, state: Detection, detected: dict[str, object], now: datetime) -> None:
    row.detection, row.detected, row.detection_at = state, detected, now
    row.save(update_fields=["detection", "detected", "detection_at"])


def skip_exchange(user: EndUser, exchange: Exchange, reason: str, now: datetime) -> None:
    with user_scope(user):
        row = lock_pending(user, exchange)
        if row is not None:
            close_detection(row, Detection.SKIPPED, {"skipped": reason}, now)


def fail_after_last_attempt(user: EndUser, exchange: Exchange, now: datetime) -> None:
    with user_scope(user):
        row = lock_pending(user, exchange)
        if row is not None and row.detection_attempts >= MOST_ATTEMPTS:
            close_detection(row, Detection.FAILED, {"failed": "the model's answers did not fit"}, now)


def return_lease(user: EndUser, exchange: Exchange) -> None:
    with user_scope(user):
        row = lock_pending(user, exchange)
        if row is not None and row.detection_attempts > 0:
            row.detection_attempts -= 1
            row.save(update_fields=["detection_attempts"])
