"""Reads candidates and their neighbouring turns from Postgres, as ranking needs them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory.access.confinement import ScopeFilter
from memory.access.cursors import fetch_prepared
from memory.conf import memory_conf
from memory.language import build_tsquery
from memory.models import EndUser
from memory.models.conditions import RowConditions
from memory.models.items import HAS_ENDED
from memory.retrieval.fusion import FusedMatch
from memory.retrieval.pool import Candidate, CandidateMemory, Pool
from memory.tiers import POLICIES, Tier

# One statement by hand: the ORM took longer to compose it than Postgres to answer. A moment read as a number and a
# list sent as one literal cost a tenth of what the driver makes of them. In the order of the fields of
# `CandidateMemory`: naming them cost half of what it takes to build one.
SELECT_ROWS = """
SELECT id, text, tier, extract(epoch FROM occurred_at)::float8, speaker, thread_id, tags, importance, confidence,
    score, uses, worked, failed, partial,
    CASE WHEN thread_id <> '' THEN ({before}) END, CASE WHEN thread_id <> '' THEN ({after}) END, ARRAY[{holds}]::bool[],
    status = 'dormant' OR NOT ({in_time}), indexing = 'pending', coalesce(source->>'kind' = 'profile', false),
    coalesce(source->>'kind' IN ('exchange', 'profile'), false)
FROM memory_item AS item
WHERE user_id = %(user)s AND id = ANY((SELECT %(ids)s::uuid[])::uuid[])
  AND ((status = 'active' AND ({in_time})) OR (%(dormant)s AND status IN ('active', 'dormant')))
  AND NOT {ended}
"""
# Sums over the candidates end in another digit in another order, which the plan would choose.
IN_ORDER = " ORDER BY id"
# What proven means is in `is_kept_past_ttl`.
IN_TIME = """expires_at IS NULL OR expires_at > %(now)s
    OR (tier = ANY(%(proven_tiers)s) AND score >= %(proven_score)s AND uses >= %(proven_uses)s)"""
SELECT_NEIGHBOUR = """
SELECT beside.id FROM memory_item AS beside
WHERE beside.user_id = item.user_id AND beside.thread_id = item.thread_id
  AND beside.arrival {side} item.arrival AND beside.status IN ('active', 'dormant')
ORDER BY beside.arrival {order} LIMIT 1
"""
BEFORE, AFTER = SELECT_NEIGHBOUR.format(side="<", order="DESC"), SELECT_NEIGHBOUR.format(side=">", order="ASC")
# Of the many that an import leaves, the last due: a worker puts off by its lease what it is embedding.
SELECT_NEWEST = """
SELECT id FROM (
    SELECT id, arrival FROM memory_item
    WHERE user_id = %(user)s AND indexing = 'pending' AND length(text) <= %(most_chars)s {further}
    ORDER BY index_after DESC LIMIT 200
) AS due ORDER BY arrival DESC LIMIT %(count)s
"""
HOLDS_WORD = "coalesce(lexemes @@ (SELECT %(word{number})s::tsquery), false)"
# Questions of as many words or a few less are the same statement, which is planned once: planned anew it took 1.1 ms
# longer.
WORDS_AT_ONCE = 8
IN_TIERS = "AND tier = ANY(%(tiers)s)"
# How many of the best candidates add their neighbouring turns to the pool. Turns two away gave nothing.
NEIGHBOURS_OF = 30
# Of the query, for each of which the row is asked whether it holds it: an expression each in the statement.
MOST_WORDS = 24


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows may be shown: the user's own, active, within their time or proven, in these tiers.

    What was given an end is not shown behind it. With ``dormant`` also those past the time of their tier, whether or
    not a pass has written that down yet. The indexes are not believed.
    """

    user: EndUser
    now: datetime
    tiers: frozenset[Tier] | None = None
    rows: RowConditions = field(default_factory=RowConditions)
    dormant: bool = False
    scope: ScopeFilter | None = None

    def build_conditions(self) -> tuple[str, dict[str, Any]]:
        conf = memory_conf().promotion
        values: dict[str, Any] = {
            "user": self.user.pk,
            "now": self.now,
            "dormant": self.dormant,
            "proven_tiers": [tier.value for tier, policy in POLICIES.items() if policy.keeps_proven],
            "proven_score": conf.keep_score,
            "proven_uses": conf.keep_uses,
        }
        further = ""
        if self.tiers:
            further += IN_TIERS
            values["tiers"] = sorted(self.tiers)
        for column, allowed in self.scope.columns if self.scope else ():
            further += f" AND {column} = ANY(%(of_{column})s)"
            values[f"of_{column}"] = allowed
        text, asked = self.rows.build_sql(self.user.pk)
        return further + text, values | asked


def read_pool(row_filter: RowFilter, matches: Sequence[FusedMatch], words: Sequence[tuple[str, ...]]) -> Pool:
    """The candidates that exist among the rows of the filter, and the turns beside the best of them. In the user's
    scope."""
    words = words[:MOST_WORDS]
    by_id = {one.id: one for one in matches}
    memories = read_rows(row_filter, by_id.keys(), words)
    present = {memory.id for memory in memories}
    best = sorted(memories, key=lambda memory: -by_id[memory.id].rrf)[:NEIGHBOURS_OF]
    near = {place for memory in best for place in (memory.previous_id, memory.next_id) if place} - present
    if near:
        memories += read_rows(row_filter, near, words)
    return Pool([build_candidate(memory, by_id) for memory in memories], row_filter.now, words)


def read_rows(row_filter: RowFilter, ids: Collection[UUID], words: Sequence[tuple[str, ...]]) -> list[CandidateMemory]:
    """Rows as ranking needs them: no text search vectors, but whether each word of the query is in them."""
    if not ids:
        return []
    further, values = row_filter.build_conditions()
    values["ids"] = f"{{{','.join(map(str, ids))}}}"
    asked = range(len(words) + -len(words) % WORDS_AT_ONCE)
    values |= dict.fromkeys((f"word{number}" for number in asked), None)
    values |= {f"word{number}": build_tsquery(forms, row_filter.user.pk) for number, forms in enumerate(words)}
    holds = ", ".join(HOLDS_WORD.format(number=number) for number in asked)
    statement = SELECT_ROWS.format(before=BEFORE, after=AFTER, holds=holds, in_time=IN_TIME, ended=HAS_ENDED)
    statement += further + IN_ORDER
    return [parse_row(row, len(words)) for row in fetch_rows(row_filter, statement, values)]


def fetch_rows(row_filter: RowFilter, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Prepared, unless further conditions make it another statement each time."""
    with connection.cursor() as cursor:
        if not row_filter.rows:
            return fetch_prepared(cursor, statement, values)
        cursor.execute(statement, values)
        return list(cursor.fetchall())


def list_newest_waiting(row_filter: RowFilter, count: int, most_chars: int) -> list[UUID]:
    """Of the rows of the filter that the worker has not embedded yet those stored last. In the user's scope."""
    further, values = row_filter.build_conditions()
    values |= {"count": count, "most_chars": most_chars}
    return [item_id for (item_id,) in fetch_rows(row_filter, SELECT_NEWEST.format(further=further), values)]


def parse_row(row: Sequence[Any], words: int) -> CandidateMemory:
    """A row of ``SELECT_ROWS``."""
    item_id, text, tier, said_at, speaker, thread_id, tags, *between, holds, dormant, waiting, published, spoken = row
    known = (item_id, text, tier, datetime.fromtimestamp(said_at, UTC), speaker, thread_id, tuple(tags))
    return CandidateMemory._make((*known, *between, tuple(holds[:words]), dormant, waiting, published, spoken))


def build_candidate(memory: CandidateMemory, by_id: Mapping[UUID, FusedMatch]) -> Candidate:
    one = by_id.get(memory.id)
    if one is None:
        return Candidate(memory)
    return Candidate(memory, one.distance, one.vector_rank, one.text_score, one.text_rank, one.rrf, one.crowding)
