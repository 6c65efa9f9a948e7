"""Reads candidates and their neighbouring turns from Postgres, as ranking needs them."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory.conf import memory_conf
from memory.language import tsquery_literal
from memory.models import EndUser
from memory.retrieval.fusion import Found
from memory.retrieval.pool import Candidate, Memory, Pool
from memory.tiers import POLICIES, Tier

FIELDS = (
    *("id", "text", "tier", "occurred_at", "speaker", "thread_id", "tags", "importance", "confidence"),
    *("score", "uses", "worked", "failed", "partial", "previous_id", "next_id", "holds"),
)
# One statement by hand: the ORM took longer to compose it than Postgres to answer. A moment read as a number and a
# list sent as one literal cost a tenth of what the driver makes of them.
READ = """
SELECT id, text, tier, extract(epoch FROM occurred_at)::float8, speaker, thread_id, tags, importance, confidence,
    score, uses, worked, failed, partial,
    CASE WHEN thread_id <> '' THEN ({before}) END, CASE WHEN thread_id <> '' THEN ({after}) END, ARRAY[{holds}]::bool[]
FROM memory_item AS item
WHERE user_id = %(user)s AND id = ANY(%(ids)s::uuid[]) AND status = 'active' AND (
    expires_at IS NULL OR expires_at > %(now)s
    OR (tier = ANY(%(proven_tiers)s) AND score >= %(proven_score)s AND uses >= %(proven_uses)s)
)
"""
BESIDE = """
SELECT beside.id FROM memory_item AS beside
WHERE beside.user_id = item.user_id AND beside.thread_id = item.thread_id
  AND beside.arrival {side} item.arrival AND beside.status = 'active'
ORDER BY beside.arrival {order} LIMIT 1
"""
BEFORE, AFTER = BESIDE.format(side="<", order="DESC"), BESIDE.format(side=">", order="ASC")
HOLDS = "coalesce(lexemes @@ %(word{number})s::tsquery, false)"
OF_TIERS = "AND tier = ANY(%(tiers)s)"
WITH_METADATA = "AND metadata @> %(metadata)s::jsonb"
NEIGHBOURS_OF = 30
"""How many of the best candidates add their neighbouring turns to the pool."""
MOST_WORDS = 24


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows may be shown: the user's own, active, within their time or proven, in these tiers.

    The indexes are not believed. What proven means is in `outlives_its_time`.
    """

    user: EndUser
    now: datetime
    tiers: frozenset[Tier] | None = None
    metadata: Mapping[str, Any] | None = None

    def conditions(self) -> tuple[str, dict[str, Any]]:
        conf = memory_conf().promotion
        values: dict[str, Any] = {
            "user": self.user.pk,
            "now": self.now,
            "proven_tiers": [tier.value for tier, policy in POLICIES.items() if policy.keeps_proven],
            "proven_score": conf.keep_score,
            "proven_uses": conf.keep_uses,
        }
        further = ""
        if self.tiers:
            further += OF_TIERS
            values["tiers"] = sorted(self.tiers)
        if self.metadata:
            further += WITH_METADATA
            values["metadata"] = json.dumps(self.metadata)
        return further, values


def read_pool(wanted: Wanted, found: Sequence[Found], words: Sequence[tuple[str, ...]]) -> Pool:
    """The candidates that exist among the wanted rows, and the turns beside the best of them. In the user's scope."""
    words = words[:MOST_WORDS]
    by_id = {one.id: one for one in found}
    memories = read(wanted, by_id.keys(), words)
    present = {memory.id for memory in memories}
    best = sorted(memories, key=lambda memory: -by_id[memory.id].rrf)[:NEIGHBOURS_OF]
    near = {place for memory in best for place in (memory.previous_id, memory.next_id) if place} - present
    if near:
        memories += read(wanted, near, words)
    return Pool([candidate(memory, by_id) for memory in memories], wanted.now, words)


def read(wanted: Wanted, ids: Collection[UUID], words: Sequence[tuple[str, ...]]) -> list[Memory]:
    """Rows as ranking needs them: no text search vectors, but whether each word of the query is in them."""
    if not ids:
        return []
    further, values = wanted.conditions()
    values["ids"] = f"{{{','.join(map(str, ids))}}}"
    values |= {f"word{number}": tsquery_literal(forms, wanted.user.pk) for number, forms in enumerate(words)}
    holds = ", ".join(HOLDS.format(number=number) for number in range(len(words)))
    with connection.cursor() as cursor:
        cursor.execute(READ.format(before=BEFORE, after=AFTER, holds=holds) + further, values)
        return [memory(row) for row in cursor.fetchall()]


def memory(row: Sequence[Any]) -> Memory:
    values = dict(zip(FIELDS, row, strict=True))
    return Memory(
        **values
        | {
            "occurred_at": datetime.fromtimestamp(values["occurred_at"], UTC),
            "tags": tuple(values["tags"]),
            "holds": tuple(values["holds"]),
        }
    )


def candidate(memory: Memory, by_id: Mapping[UUID, Found]) -> Candidate:
    one = by_id.get(memory.id)
    if one is None:
        return Candidate(memory)
    return Candidate(memory, one.distance, one.vector_rank, one.text_score, one.text_rank, one.rrf)
