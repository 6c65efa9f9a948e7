"""Has a language model judge the pairs that wait for a person: all of them in one call, each pair once.

Without a model they wait as they are. What a person wrote or confirmed by hand is not the model's to decide, nor which
of two holds that were said at the same time.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, Literal

import structlog
from django.db.models import Q
from pydantic import BaseModel, Field

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facts.consolidation.pairing import SAME_TIME
from memory.inference.asking import find_prompt_model
from memory.inference.llm import LanguageModel, ModelUsage, store_usage
from memory.inference.prompts import render_prompt
from memory.lifecycle import curation
from memory.models import EndUser, FactReview
from memory.models.facts import FactState, ReviewDecision
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected

logger = structlog.get_logger(__name__)

PROMPT: Final = "fact_pairs"
ACTOR: Final = "model"
# One answer of a thousand tokens holds forty decisions.
MOST_PAIRS: Final = 40
# An answer that does not fit is asked for once more.
CALLS_AT_MOST: Final = 2

PairAnswer = Literal["MERGE", "KEEP_BOTH", "CONTRADICTION", "UNSURE"]


class JudgedPair(BaseModel):
    pair: int = Field(ge=1, le=MOST_PAIRS)
    decision: PairAnswer


class JudgedPairs(BaseModel):
    """What the model answers."""

    pairs: list[JudgedPair]


def judge_open_reviews(user: EndUser, *, now: datetime, calls_left: int) -> tuple[list[FactReview], int]:
    """Returns the reviews that are decided now, and the calls that took. Raises Unavailable; they wait as they were."""
    model = find_prompt_model(PROMPT)
    if model is None or calls_left < CALLS_AT_MOST:
        return [], 0
    waiting = list_unasked(user)
    if not waiting:
        return [], 0
    calls: list[ModelUsage] = []
    try:
        answers = ask_model(model, waiting, calls)
    finally:
        store_usage(model, calls)
    with user_scope(user):
        FactReview.objects.filter(user=user, pk__in=[one.pk for one in waiting]).update(asked_at=now)
    decided = [one for number, one in enumerate(waiting, start=1) if apply_answer(user, one, answers.get(number), now)]
    return decided, len(calls)


def list_unasked(user: EndUser) -> list[FactReview]:
    """Open pairs of two current facts that nobody vouches for, the oldest first."""
    by_hand = Q(fact__is_curated=True) | Q(other__is_curated=True)
    by_hand |= Q(fact__is_confirmed=True) | Q(other__is_confirmed=True)
    with user_scope(user):
        waiting = FactReview.objects.filter(user=user, decision="", asked_at=None).exclude(by_hand)
        waiting = waiting.filter(fact__state=FactState.ACTIVE, other__state=FactState.ACTIVE)
        return list(waiting.select_related("fact", "other").order_by("created_at", "pk")[:MOST_PAIRS])


def ask_model(model: LanguageModel, waiting: Sequence[FactReview], calls: list[ModelUsage]) -> dict[int, PairAnswer]:
    """The decisions by number; none where the model's answer is no answer."""
    try:
        judged = model.answer(
            render_prompt(PROMPT, {"pairs": "\n".join(render_pair(*pair) for pair in enumerate(waiting, start=1))}),
            JudgedPairs,
            purpose=PROMPT,
            deadline=Deadline(memory_conf().llm.timeout_s * CALLS_AT_MOST),
            account=calls.append,
        )
    except (BadReply, RequestRejected) as error:
        logger.warning("pairs of facts could not be judged", reason=error.reason)
        return {}
    return {one.pair: one.decision for one in judged.pairs}


def render_pair(number: int, review: FactReview) -> str:
    earlier, later = sorted((review.other, review.fact), key=lambda fact: fact.last_seen)
    lines = [f"- {fact.last_seen:%Y-%m-%d}: {' '.join(fact.statement.split())}" for fact in (earlier, later)]
    return "\n".join([f"Pair {number}", *lines])


def apply_answer(user: EndUser, review: FactReview, answer: PairAnswer | None, now: datetime) -> bool:
    decision = choose_decision(review, answer)
    if decision is None:
        return False
    decided = curation.decide_review(user, review.pk, decision, now=now, actor=ACTOR)
    return decided is not None and decided.decision == decision


def choose_decision(review: FactReview, answer: PairAnswer | None) -> ReviewDecision | None:
    """None where the pair goes on waiting for a person."""
    newer, older = review.fact, review.other
    if answer == "KEEP_BOTH":
        return ReviewDecision.KEEP_BOTH
    # One voice may not speak for another, whatever a model reads in them.
    if newer.trust != older.trust:
        return None
    if answer == "MERGE":
        return ReviewDecision.MERGE
    is_later = newer.last_seen - older.last_seen > SAME_TIME
    return ReviewDecision.SUPERSEDE if answer == "CONTRADICTION" and is_later else None
