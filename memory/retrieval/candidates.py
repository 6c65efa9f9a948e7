"""Reads what the stages found, and the turns beside it, as ranking needs them. Postgres decides what exists."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import BooleanField, Case, OuterRef, Subquery, Value, When
from django.db.models.expressions import RawSQL
from django.db.models.fields import UUIDField

from memory.models import EndUser, MemoryItem
from memory.models.items import ItemQuerySet
from memory.retrieval.fusion import Found
from memory.retrieval.pool import Candidate, Memory, Pool
from memory.words import tsquery_literal

FIELDS = (
    *("id", "text", "tier", "occurred_at", "speaker", "thread_id", "tags", "importance", "confidence"),
    *("score", "uses", "worked", "failed", "partial"),
)
NEIGHBOURS_OF = 60
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
    held = {
        f"holds_{number}": RawSQL(
            "lexemes @@ %s::tsquery", [tsquery_literal(forms, user.pk)], output_field=BooleanField()
        )
        for number, forms in enumerate(words)
    }
    beside = {"previous": turn_beside(user, "lt", "-arrival"), "next": turn_beside(user, "gt", "arrival")}
    found = rows.filter(pk__in=list(ids)).annotate(**held, **beside)
    memories = []
    for row in found.values_list(*FIELDS, *beside, *held):
        values = dict(zip(FIELDS, row, strict=False))
        values["tags"] = tuple(values["tags"])
        previous, following, *holds = row[len(FIELDS) :]
        memories.append(
            Memory(**values, previous_id=previous, next_id=following, holds=tuple(bool(hold) for hold in holds))
        )
    return memories


def turn_beside(user: EndUser, side: str, order: str) -> Case:
    """The id of the active turn before or after a row in its thread; null outside threads."""
    beside = MemoryItem.objects.for_user(user).active()
    beside = beside.filter(**{"thread_id": OuterRef("thread_id"), f"arrival__{side}": OuterRef("arrival")})
    first = Subquery(beside.order_by(order).values("pk")[:1])
    return Case(When(thread_id="", then=Value(None)), default=first, output_field=UUIDField())


def candidate(memory: Memory, by_id: Mapping[UUID, Found]) -> Candidate:
    one = by_id.get(memory.id)
    if one is None:
        return Candidate(memory)
    return Candidate(memory, one.distance, one.vector_rank, one.text_score, one.text_rank, one.rrf)
