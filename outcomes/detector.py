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
from memory.inference import language_model
from memory.inference.llm import LanguageModel
from memory.inference.prompts import prompt
from memory.models import EndUser, Turn
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, Rejected, Unavailable
from memory.tiers import Outcome
from outcomes.ledger import Subject, Verdict
from outcomes.models import ActionTaken, Detection, Exchange, OutcomeEvent, Source
from outcomes.recording import conclude, locked_subject, mark_scored, meant
from outcomes.work import DETECT_EVERY, GIVEN_UP_AFTER

logger = structlog.get_logger(__name__)

PROMPT = "outcome_detection"
CONFIDENT = 0.7
"""A judgement with less confidence counts as unknown."""
LONGEST_MESSAGE = 500
AROUND = 2
"""Exchanges shown to the model before and after the judged one."""
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
class Case:
    """An exchange to judge, and the conversation it stands in."""

    exchange: Exchange
    conversation: str


def detect_due(user: EndUser, *, now: datetime, limit: int = DETECT_EVERY * 2) -> int:
    """Judge at most ``limit`` due exchanges. Returns how many were examined. Raises Unavailable."""
    looked = 0
    while looked < limit:
        case = next_case(user, now)
        if case is None:
            break
        looked += 1
        model = language_model()
        if model is None:
            skip(user, case.exchange, "no language model", now)
            continue
        judge(user, case, model, now)
    return looked


def judge(user: EndUser, case: Case, model: LanguageModel, now: datetime) -> None:
    try:
        said = model.answer(
            prompt(PROMPT, {"conversation": case.conversation}),
            Judgement,
            purpose=PROMPT,
            deadline=Deadline(memory_conf().llm.timeout_s),
        )
    except (BadReply, Rejected) as error:
        logger.warning("an exchange could not be judged", reason=error.reason)
        give_up_or_wait(user, case.exchange, now)
        return
    except Unavailable:
        # The model did not answer: the lease expires and the next worker tries again.
        give_back(user, case.exchange)
        raise
    conclude_with(user, case.exchange, said, now)


def next_case(user: EndUser, now: datetime) -> Case | None:
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
            if reason := not_worth_it(user, exchange, now):
                close(exchange, Detection.SKIPPED, {"skipped": reason}, now)
                continue
            conversation = around(user, exchange)
            exchange.detection_attempts += 1
            exchange.detection_at = now + LEASE
            exchange.save(update_fields=["detection_attempts", "detection_at"])
            return Case(exchange, conversation)


def not_worth_it(user: EndUser, exchange: Exchange, now: datetime) -> str:
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
    if not showed_memories(user, exchange) and not used_tools(user, exchange):
        return "it used neither memories nor tools"
    if not followed(user, exchange):
        return "nothing was said after it"
    if asked_today(user, now) >= memory_conf().conversations.detections_a_day:
        return "the day's calls are used up"
    return ""


def is_judged(user: EndUser, exchange: Exchange) -> bool:
    about = Q(exchange_id=exchange.pk) | (Q(turn_id=exchange.turn_id) if exchange.turn_id else Q(pk=None))
    standing = OutcomeEvent.objects.filter(about, user=user, sign=1, replaced_at=None)
    return standing.exclude(source=Source.IMPLICIT).exists()


def showed_memories(user: EndUser, exchange: Exchange) -> bool:
    if exchange.turn_id is None:
        return False
    positions = Turn.objects.filter(user=user, turn_id=exchange.turn_id).values_list("positions", flat=True).first()
    return bool(positions)


def used_tools(user: EndUser, exchange: Exchange) -> bool:
    return ActionTaken.objects.filter(user=user, exchange_id=exchange.pk).exists()


def followed(user: EndUser, exchange: Exchange) -> bool:
    return later(user, exchange).exists()


def asked_today(user: EndUser, now: datetime) -> int:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    asked = Exchange.objects.filter(user=user, detection_at__gte=today, detection_attempts__gt=0)
    return int(asked.aggregate(asked=Sum("detection_attempts"))["asked"] or 0)


def later(user: EndUser, exchange: Exchange) -> QuerySet[Exchange]:
    thread = Exchange.objects.filter(user=user, thread_id=exchange.thread_id)
    return thread.filter(Q(created_at__gt=exchange.created_at) | Q(created_at=exchange.created_at, pk__gt=exchange.pk))


def around(user: EndUser, exchange: Exchange) -> str:
    """The conversation around an exchange, with shortened messages."""
    thread = Exchange.objects.filter(user=user, thread_id=exchange.thread_id)
    before = thread.exclude(pk__in=later(user, exchange).values("pk")).exclude(pk=exchange.pk)
    told = [
        *reversed(before.order_by("-created_at", "-pk")[:AROUND]),
        exchange,
        *later(user, exchange).order_by("created_at", "pk")[:AROUND],
    ]
    return "\n".join(line for row in told for line in lines_of(row, judged=row.pk == exchange.pk))


def lines_of(row: Exchange, *, judged: bool) -> tuple[str, str]:
    mark = " [ANSWER TO JUDGE]" if judged else ""
    return f"User: {cut(row.user_message)}", f"Assistant{mark}: {cut(row.assistant_message)}"


def cut(message: str) -> str:
    """One line of at most 500 characters, so that a message cannot pass for a line of another speaker."""
    line = " ".join(message.split())
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 1] + "…"


def conclude_with(user: EndUser, exchange: Exchange, said: Judgement, now: datetime) -> None:
    """Settle the exchange and record a confident judgement as its verdict, in one transaction.

    If another worker or an explicit outcome settled it meanwhile, that one wins.
    """
    known = said.outcome != "unknown" and said.confidence >= CONFIDENT
    with user_scope(user):
        subject = locked_subject(user, None, exchange.pk)
        row = locked_pending(user, exchange)
        if row is None:
            return
        close(row, Detection.DONE, outline(said), now)
        if known and row.scored_at is None:
            stand(user, subject, said, now)


def stand(user: EndUser, subject: Subject, said: Judgement, now: datetime) -> None:
    verdict = Verdict(
        Outcome(said.outcome),
        Source.DETECTOR,
        signal="detector",
        confidence=said.confidence,
        actor="detector",
    )
    settled = conclude(user, subject, verdict, meant(user, subject.turn, None).ids, whole=True, now=now)
    if settled.event is not None:
        mark_scored(user, subject, now)


def outline(said: Judgement) -> dict[str, object]:
    return {
        "outcome": said.outcome,
        "confidence": said.confidence,
        "indicators": [cut(indicator)[:200] for indicator in said.indicators[:MOST_INDICATORS]],
        "reasoning": cut(said.reasoning),
    }


def locked_pending(user: EndUser, exchange: Exchange) -> Exchange | None:
    rows = Exchange.objects.select_for_update(no_key=True).filter(user=user, detection=Detection.PENDING)
    return rows.filter(pk=exchange.pk).first()


def close(row: Exchange, state: Detection, detected: dict[str, object], now: datetime) -> None:
    row.detection, row.detected, row.detection_at = state, detected, now
    row.save(update_fields=["detection", "detected", "detection_at"])


def skip(user: EndUser, exchange: Exchange, reason: str, now: datetime) -> None:
    with user_scope(user):
        row = locked_pending(user, exchange)
        if row is not None:
            close(row, Detection.SKIPPED, {"skipped": reason}, now)


def give_up_or_wait(user: EndUser, exchange: Exchange, now: datetime) -> None:
    with user_scope(user):
        row = locked_pending(user, exchange)
        if row is not None and row.detection_attempts >= MOST_ATTEMPTS:
            close(row, Detection.FAILED, {"failed": "the model's answers did not fit"}, now)


def give_back(user: EndUser, exchange: Exchange) -> None:
    with user_scope(user):
        row = locked_pending(user, exchange)
        if row is not None and row.detection_attempts > 0:
            row.detection_attempts -= 1
            row.save(update_fields=["detection_attempts"])
