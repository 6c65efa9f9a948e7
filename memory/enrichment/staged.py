"""Retrieval in stages, by labels: this conversation, other conversations, what is kept for good.

Points choose what a stage brings; a score over all of them then orders what is shown: overlap of topics and of what is
mentioned, recency, importance, and where it stands. No vector and no model is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db import connection

from memory.access.confinement import name_conversation
from memory.access.scope import user_scope
from memory.enrichment.intent import QueryIntent
from memory.enrichment.labels import Importance
from memory.enrichment.recording import ENTITY, KEPT
from memory.models import EndUser, LabelledTerm, MemoryItem, MessageLabel
from memory.tiers import Tier


class RetrievalStage(StrEnum):
    THIS_THREAD = "current_conversation"
    OTHER_THREADS = "related_conversations"
    LONG_TERM = "long_term"


# Memories a turn is handed at most, and of each stage.
MOST: Final = 20
SHOWN: Final = {RetrievalStage.THIS_THREAD: 7, RetrievalStage.OTHER_THREADS: 5, RetrievalStage.LONG_TERM: 3}
# Labelled terms that are looked at, the latest first: of a topic that every message has, no more than a stage can use.
LOOKED_AT: Final = 400
SAID: Final = (Tier.WORKING.value, Tier.HISTORY.value, Tier.PATTERNS.value)
LASTING: Final = (Tier.MEMORY_BANK.value, Tier.PATTERNS.value)
IMPORTANCE_VALUES: Final = {Importance.LOW: 0.2, Importance.NORMAL: 0.5, Importance.HIGH: 0.85}
RECENCY_HOURS: Final = 720
LEAST_RECENCY: Final = 0.2
STAGE_BOOSTS: Final = {
    RetrievalStage.THIS_THREAD: 1.3,
    RetrievalStage.OTHER_THREADS: 1.0,
    RetrievalStage.LONG_TERM: 0.9,
}
TIER_BOOSTS: Final[Mapping[str, float]] = {Tier.WORKING.value: 1.2, Tier.HISTORY.value: 1.0}
OTHER_TIERS: Final = 0.9
# Letters at the beginning by which two memories say the same.
SAME_CHARS: Final = 100

LABELLED: Final = """
LEFT JOIN message_label l ON l.user_id = m.user_id AND l.item_id = m.id
"""
POINTS: Final = """
    CASE WHEN l.topics && %(topics)s::varchar[] THEN 10 ELSE 0 END
    + CASE WHEN EXISTS (
        SELECT FROM labelled_term t WHERE t.user_id = m.user_id AND t.item_id = m.id
          AND t.kind = 'entity' AND t.term = ANY(%(entities)s)
      ) THEN %(entity_points)s ELSE 0 END
    + CASE l.importance WHEN 'high' THEN 8.5 WHEN 'low' THEN 2 ELSE 5 END
"""
IN_TIME: Final = "m.status = ANY(%(kept)s) AND m.occurred_at >= %(since)s AND m.occurred_at < %(until)s"
THIS_THREAD: Final = f"""
SELECT m.id FROM memory_item m {LABELLED}
WHERE m.user_id = %(user)s AND m.thread_id = %(thread)s AND m.agent_id = %(agent)s AND m.project_id = %(project)s
  AND m.tier = ANY(%(said)s) AND {IN_TIME}
ORDER BY {POINTS} + CASE m.tier WHEN 'working' THEN 5 WHEN 'history' THEN 3 ELSE 1 END DESC, m.arrival DESC
LIMIT %(limit)s
"""  # noqa: S608 -- made of constants
OTHER_THREADS: Final = f"""
WITH found AS (
    SELECT DISTINCT item_id FROM (
        SELECT item_id FROM labelled_term WHERE user_id = %(user)s AND kind = 'topic' AND term = ANY(%(topics)s)
          AND occurred_at >= %(since)s AND occurred_at < %(until)s ORDER BY occurred_at DESC LIMIT %(looked_at)s
    ) of_topic
    UNION
    SELECT item_id FROM labelled_term WHERE user_id = %(user)s AND kind = 'entity' AND term = ANY(%(entities)s)
      AND occurred_at >= %(since)s AND occurred_at < %(until)s
)
SELECT m.id FROM found JOIN memory_item m ON m.user_id = %(user)s AND m.id = found.item_id {LABELLED}
WHERE m.thread_id <> '' AND (m.thread_id, m.agent_id, m.project_id) <> (%(thread)s, %(agent)s, %(project)s)
  AND m.tier = ANY(%(said)s) AND {IN_TIME}
ORDER BY {POINTS} DESC, m.arrival DESC LIMIT %(limit)s
"""  # noqa: S608 -- made of constants
LONG_TERM: Final = """
SELECT m.id FROM memory_item m
WHERE m.user_id = %(user)s AND m.tier = ANY(%(lasting)s) AND m.status = ANY(%(kept)s)
  AND (m.importance > 0.8 OR m.always_inject OR 'preference' = ANY(m.tags) OR m.retrieved > 10)
ORDER BY m.always_inject DESC, m.importance DESC, m.retrieved DESC, m.id LIMIT %(limit)s
"""
ENTITY_POINTS: Final = {RetrievalStage.THIS_THREAD: 8, RetrievalStage.OTHER_THREADS: 12}


@dataclass(frozen=True, slots=True)
class StagedMemory:
    """``score`` is at most 100."""

    stage: RetrievalStage
    item: MemoryItem
    score: float


def retrieve_in_stages(user: EndUser, intent: QueryIntent, *, thread_id: str, now: datetime) -> list[StagedMemory]:
    """What to show, stage by stage, the best first; nothing twice."""
    since, until = intent.window or (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
    given: dict[str, Any] = {
        "user": user.pk,
        **name_conversation(thread_id),
        "topics": sorted(intent.topics),
        "entities": sorted(intent.entities),
        "since": since,
        "until": until,
        "kept": list(KEPT),
        "said": list(SAID),
        "lasting": list(LASTING),
        "looked_at": LOOKED_AT,
    }
    with user_scope(user):
        found: dict[UUID, RetrievalStage] = {}
        for stage in list_stages(intent, thread_id):
            room = MOST - len(found)
            limit = (
                min(room, MOST // 2) if stage is RetrievalStage.THIS_THREAD and not intent.is_of_this_thread else room
            )
            for item_id in fetch_stage(stage, {**given, "limit": limit}):
                found.setdefault(item_id, stage)
        items = MemoryItem.objects.for_user(user).in_bulk(list(found))
        labels = {row.item_id: row for row in MessageLabel.objects.filter(user=user, item_id__in=found)}
        terms = LabelledTerm.objects.filter(user=user, item_id__in=found, kind=ENTITY, term__in=intent.entities)
        named: dict[UUID, set[str]] = {}
        for item_id, term in terms.values_list("item_id", "term"):
            named.setdefault(item_id, set()).add(term)
    scored = [
        StagedMemory(
            stage, items[one], score_memory(items[one], stage, labels.get(one), named.get(one, set()), intent, now)
        )
        for one, stage in found.items()
        if one in items
    ]
    return select_shown(scored)


def list_stages(intent: QueryIntent, thread_id: str) -> list[RetrievalStage]:
    stages = [RetrievalStage.THIS_THREAD] if thread_id else []
    if not intent.is_of_this_thread and (intent.topics or intent.entities):
        stages.append(RetrievalStage.OTHER_THREADS)
    return [*stages, RetrievalStage.LONG_TERM]


def fetch_stage(stage: RetrievalStage, given: Mapping[str, Any]) -> list[UUID]:
    statement = {
        RetrievalStage.THIS_THREAD: THIS_THREAD,
        RetrievalStage.OTHER_THREADS: OTHER_THREADS,
        RetrievalStage.LONG_TERM: LONG_TERM,
    }[stage]
    with connection.cursor() as cursor:
        cursor.execute(statement, {**given, "entity_points": ENTITY_POINTS.get(stage, 0)})
        return [item_id for (item_id,) in cursor.fetchall()]


def score_memory(
    item: MemoryItem,
    stage: RetrievalStage,
    label: MessageLabel | None,
    named: set[str],
    intent: QueryIntent,
    now: datetime,
) -> float:
    topics = set(label.topics) if label else set()
    score = 30 * len(topics & intent.topics) / len(intent.topics) if intent.topics else 0.0
    score += 25 * len(named) / len(intent.entities) if intent.entities else 0.0
    hours = max(0.0, (now - item.occurred_at).total_seconds() / 3600)
    score += 20 * max(LEAST_RECENCY, 1 - hours / RECENCY_HOURS)
    score += 15 * (IMPORTANCE_VALUES[Importance(label.importance)] if label else item.importance)
    return min(100.0, score * STAGE_BOOSTS[stage] * TIER_BOOSTS.get(item.tier, OTHER_TIERS))


def select_shown(scored: Sequence[StagedMemory]) -> list[StagedMemory]:
    shown: list[StagedMemory] = []
    seen: set[str] = set()
    for stage, most in SHOWN.items():
        of_stage = sorted((one for one in scored if one.stage is stage), key=lambda one: -one.score)
        for one in of_stage:
            key = one.item.text[:SAME_CHARS].casefold().strip()
            if key not in seen and sum(other.stage is stage for other in shown) < most:
                seen.add(key)
                shown.append(one)
    return shown
