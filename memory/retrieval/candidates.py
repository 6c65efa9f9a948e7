"""Reads what the stages found, and the turns beside it, as ranking needs them. Postgres decides what exists."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, UUIDField
from django.db.models.expressions import RawSQL

from memory.models import EndUser
from memory.models.items import ItemQuerySet
from memory.retrieval.fusion import Found
from memory.retrieval.pool import Candidate, Memory, Pool
from memory.words import tsquery_literal

FIELDS = (
    *("id", "text", "tier", "occurred_at", "speaker", "thread_id", "tags", "importance", "confidence"),
    *("score", "uses", "worked", "failed", "partial"),
)
BESIDE = """
SELECT beside.id FROM memory_item AS beside
WHERE beside.user_id = memory_item.user_id AND beside.thread_id = memory_item.thread_id
  AND beside.arrival {side} memory_item.arrival AND beside.status = 'active'
ORDER BY beside.arrival {order} LIMIT 1
"""
NEIGHBOURS_OF = 30
"""So many of the best found bring the turns beside them into the pool."""
MOST_WORDS = 24


def read_pool(
    user: EndUser,
    found: Sequence[Found],
    rows: ItemQuerySet,
    words: Sequence[tuple[str, ...]],
    now: datetime,
) -> Pool:
    """The candidates that exist among ``rows``, and the turns beside the best of them. In the user's scope."""
    words = words[:MOST_WORDS]
    by_id = {one.id: one for one in found}
    memories = read(user, rows, list(by_id), words)
    present = {memory.id for memory in memories}
    best = sorted(memories, key=lambda memory: -by_id[memory.id].rrf)[:NEIGHBOURS_OF]
    near = {place for memory in best for place in (memory.previous_id, memory.next_id) if place} - present
    if near:
        memories += read(user, rows, near, words)
    return Pool([candidate(memory, by_id) for memory in memories], now, words)


def read(user: EndUser, rows: ItemQuerySet, ids: Collection[UUID], words: Sequence[tuple[str, ...]]) -> list[Memory]:
    """Rows as ranking needs them: no text search vectors, but whether each word of the query is in them."""
    found = rows.filter(pk__in=list(ids)).annotate(
        previous=turn_beside("<", "DESC"), next=turn_beside(">", "ASC"), holds=held(user, words)
    )
    memories = []
    for row in found.values_list(*FIELDS, "previous", "next", "holds"):
        values = dict(zip(FIELDS, row, strict=False))
        values["tags"] = tuple(values["tags"])
        previous, following, holds = row[len(FIELDS) :]
        memories.append(Memory(**values, previous_id=previous, next_id=following, holds=tuple(holds)))
    return memories


def held(user: EndUser, words: Sequence[tuple[str, ...]]) -> RawSQL:
    """Whether a row has each of the words. In one expression: building a query of many costs more than running it."""
    each = ", ".join(["coalesce(lexemes @@ %s::tsquery, false)"] * len(words))
    queries = [tsquery_literal(forms, user.pk) for forms in words]
    # The statement is made of fixed parts; the words are parameters.
    return RawSQL(f"ARRAY[{each}]::bool[]", queries, output_field=ArrayField(BooleanField()))  # noqa: S611


def turn_beside(side: str, order: str) -> RawSQL:
    """The id of the active turn before or after a row in its thread; null outside threads."""
    first = BESIDE.format(side=side, order=order)
    case = f"CASE WHEN memory_item.thread_id <> '' THEN ({first}) END"
    return RawSQL(case, [], output_field=UUIDField())  # noqa: S611


def candidate(memory: Memory, by_id: Mapping[UUID, Found]) -> Candidate:
    one = by_id.get(memory.id)
    if one is None:
        return Candidate(memory)
    return Candidate(memory, one.distance, one.vector_rank, one.text_score, one.text_rank, one.rrf)
