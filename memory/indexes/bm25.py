"""BM25 over the memories, cached in this process: fast to query, expensive to keep fresh.

A part covers one user, tier and status. It is built from the lexemes in Postgres, so both lexical indexes use the same
words, and it is used only while nothing has been written since: `ready` compares a version in Redis, `refresh`
compares the rows themselves. A search never waits for a part to be built.
"""

import logging
import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import product
from math import log
from threading import Lock
from uuid import UUID

import bm25s
import numpy as np
from django.db import connection
from numpy.typing import NDArray

from memory.access.scope import user_scope
from memory.indexes import versions
from memory.indexes.base import IndexFilter, LexicalMatch
from memory.indexes.fulltext import LENGTH_WEIGHT, LEXICAL, SATURATION
from memory.language import build_lexeme, build_query_groups
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.tiers import Tier

# The library logs every index it builds, at a level it chooses itself.
logging.getLogger("bm25s").setLevel(logging.WARNING)

# After this time the rows are compared again: a writer may have been unable to reach Redis.
VERIFY_EVERY_S = 30.0
# Unused parts are evicted after this time, so that words of an erased user do not stay in memory.
IDLE_S = 900.0
BATCH = 5_000
# Estimated size of a row of forty words; a part that cannot fit is not built.
# An index of 100,000 rows keeps 34 MB and peaks at 107 MB while it is built, in every process.
BYTES_PER_ROW = 500

Key = tuple[int, str, str]
Row = tuple[UUID, float, list[str], list[int]]

SURVEY = """
SELECT tier, status, count(*), max(updated_at), sum(extract(epoch FROM updated_at))
FROM memory_item WHERE user_id = %s AND tier = ANY(%s) AND status = ANY(%s) AND lexemes IS NOT NULL
GROUP BY tier, status
"""
ROWS = """
SELECT id, moment, said.words, said.times
FROM (
    SELECT id, extract(epoch FROM occurred_at)::float8 AS moment, lexemes FROM memory_item
    WHERE user_id = %s AND tier = %s AND status = %s AND lexemes IS NOT NULL AND id > %s ORDER BY id LIMIT %s
) AS item CROSS JOIN LATERAL (
    SELECT array_agg(lexeme) AS words, array_agg(cardinality(positions)) AS times FROM unnest(item.lexemes)
) AS said ORDER BY id
"""


@dataclass(frozen=True, slots=True)
class PartStamp:
    """A fingerprint of the rows of a part. The sum detects an older change that was committed later."""

    rows: int = 0
    newest: datetime | None = None
    moments: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class TermPart:
    """Term weights per row, without the inverse document frequency: that depends on the parts searched together."""

    ids: NDArray[np.bytes_]
    moments: NDArray[np.float64]
    places: dict[str, int]
    starts: NDArray[np.int64]
    rows: NDArray[np.int32]
    gains: NDArray[np.float32]
    stamp: PartStamp
    version: bytes
    verified_at: float
    size: int

    def find_holding(self, forms: Sequence[str]) -> tuple[NDArray[np.intp] | NDArray[np.int32], NDArray[np.float32]]:
        """The rows that hold any of the forms, and how much the best of these says of each."""
        known = [self.places[form] for form in forms if form in self.places]
        spans = [slice(int(self.starts[place]), int(self.starts[place + 1])) for place in known]
        if len(spans) == 1:
            return self.rows[spans[0]], self.gains[spans[0]]
        best = np.zeros(len(self.ids), np.float32)
        for span in spans:
            rows = self.rows[span]
            best[rows] = np.maximum(best[rows], self.gains[span])
        held = np.flatnonzero(best)
        return held, best[held]


class PartCache:
    """An LRU cache of parts within a memory budget. A part is replaced as a whole, never changed."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self._parts: OrderedDict[Key, tuple[TermPart, float]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Key) -> TermPart | None:
        with self._lock:
            found = self._parts.pop(key, None)
            if found is None:
                return None
            self._parts[key] = (found[0], time.monotonic())
            return found[0]

    def put(self, key: Key, part: TermPart) -> None:
        with self._lock:
            self._parts.pop(key, None)
            self._parts[key] = (part, time.monotonic())
            size = sum(part.size for part, _ in self._parts.values())
            while size > self.budget:
                _, (oldest, _) = self._parts.popitem(last=False)
                size -= oldest.size

    def drop_idle(self) -> bool:
        """Evict parts that were not used lately. True when the cache is empty."""
        with self._lock:
            for key, (_, used_at) in list(self._parts.items()):
                if time.monotonic() - used_at > IDLE_S:
                    del self._parts[key]
            return not self._parts


class Bm25Index:
    """A LexicalIndex over cached parts. Raises Unavailable while a part is missing or stale."""

    def __init__(self, budget: int) -> None:
        self.cache = PartCache(budget)

    def search(self, query: str, filter: IndexFilter, limit: int, deadline: Deadline) -> list[LexicalMatch]:
        if filter.matches_nothing:
            return []
        if filter.rows or filter.scope:
            raise Unavailable(LEXICAL, "the cached words are not kept by metadata, tags, thread, time or scope")
        parts = self.ready(filter)
        if parts is None:
            raise Unavailable(LEXICAL, "the words are being read")
        return search_parts(parts, query, filter.user_id, limit, deadline)

    def invalidate(self, user_id: int) -> None:
        versions.renew_version(user_id)

    def ready(self, filter: IndexFilter) -> list[TermPart] | None:
        """The parts a search needs, or None when one is missing or may be older than the rows."""
        version = versions.read_version(filter.user_id)
        if version is None:
            return None
        parts: list[TermPart] = []
        for key in part_keys(filter):
            part = self.cache.get(key)
            if part is None or part.version != version:
                return None
            parts.append(part)
        return parts

    def refresh(self, filter: IndexFilter) -> None:
        """Rebuild the stale parts of the filter, except those another process is building or has just built."""
        # Read before the rows: a write in between then makes the part stale, never wrongly fresh.
        version = versions.read_version(filter.user_id)
        if version is None:
            return
        stamps = read_stamps(filter)
        for key in part_keys(filter):
            stamp = stamps.get(key, PartStamp())
            known = self.cache.get(key)
            if known is not None and known.stamp == stamp:
                self.cache.put(key, replace(known, version=version, verified_at=time.monotonic()))
            elif stamp.rows * BYTES_PER_ROW <= self.cache.budget:
                self._rebuild(key, stamp, version)

    def _rebuild(self, key: Key, stamp: PartStamp, version: bytes) -> None:
        if not stamp.rows:
            self.cache.put(key, build_part([], stamp, version))
            return
        with versions.try_build_lock(*key) as turn:
            if turn is not None:
                self.cache.put(key, build_part(read_rows(key, turn), stamp, version))


def search_parts(
    parts: Sequence[TermPart], query: str, user_id: int, limit: int, deadline: Deadline
) -> list[LexicalMatch]:
    deadline.require(LEXICAL)
    groups = build_query_groups(query)
    if not groups or limit <= 0:
        return []
    return rank_rows(parts, [[build_lexeme(form, user_id) for form in forms] for forms in groups], limit)


def is_unverified(parts: Sequence[TermPart]) -> bool:
    """Whether it is time to compare a part with the rows again."""
    return any(time.monotonic() - part.verified_at > VERIFY_EVERY_S for part in parts)


def part_keys(filter: IndexFilter) -> list[Key]:
    tiers = sorted(filter.tiers) if filter.tiers is not None else [tier.value for tier in Tier]
    return [(filter.user_id, tier, status) for tier, status in product(tiers, sorted(filter.statuses))]


def read_stamps(filter: IndexFilter) -> dict[Key, PartStamp]:
    keys = part_keys(filter)
    with user_scope(filter.user_id), connection.cursor() as cursor:
        cursor.execute(SURVEY, [filter.user_id, [tier for _, tier, _ in keys], [status for _, _, status in keys]])
        return {(filter.user_id, row[0], row[1]): PartStamp(row[2], row[3], row[4]) for row in cursor.fetchall()}


def read_rows(key: Key, turn: versions.BuildLock) -> Iterator[Row]:
    """The rows of a part in the order of their ids, each with its words and how often they are said."""
    user_id, tier, status = key
    last = UUID(int=0)
    while True:
        with user_scope(user_id), connection.cursor() as cursor:
            cursor.execute(ROWS, [user_id, tier, status, last, BATCH])
            batch: list[Row] = cursor.fetchall()
        yield from batch
        if len(batch) < BATCH:
            return
        last = batch[-1][0]
        turn.extend()


def build_part(rows: Iterator[Row] | Sequence[Row], stamp: PartStamp, version: bytes) -> TermPart:
    places: dict[str, int] = {}
    ids: list[bytes] = []
    said_at: list[float] = []
    documents: list[list[int]] = []
    for id, moment, words, times in rows:
        # A text without a word has no lexeme either.
        if words:
            ids.append(id.bytes)
            said_at.append(moment)
            said = [places.setdefault(word, len(places)) for word in words]
            documents.append([place for place, count in zip(said, times, strict=True) for _ in range(count)])
    if not documents:
        empty = np.zeros(1, np.int64)
        gains = np.zeros(0, np.float32)
        none = np.array([], "S16")
        return TermPart(
            none, np.zeros(0), {}, empty, np.zeros(0, np.int32), gains, stamp, version, time.monotonic(), 200
        )
    library = bm25s.BM25(k1=SATURATION, b=LENGTH_WEIGHT, method="lucene", backend="numpy", csc_backend="numpy")
    library.index((documents, places), create_empty_token=False, show_progress=False)
    scores = library.scores
    starts = scores["indptr"]
    holders = np.diff(starts)
    rarities = np.log1p((len(documents) - holders + 0.5) / (holders + 0.5))
    gains = scores["data"] / np.repeat(rarities, holders).astype(np.float32)
    numbers, moments = np.array(ids, "S16"), np.array(said_at)
    size = sum(array.nbytes for array in (numbers, moments, starts, scores["indices"], gains))
    # A dictionary's entry and a short string's head.
    size += sum(len(word) + 150 for word in places)
    return TermPart(numbers, moments, places, starts, scores["indices"], gains, stamp, version, time.monotonic(), size)


def rank_rows(parts: Sequence[TermPart], groups: Sequence[Sequence[str]], limit: int) -> list[LexicalMatch]:
    """The best rows of several parts, as if they were one."""
    total = sum(len(part.ids) for part in parts)
    scores = [np.zeros(len(part.ids), np.float32) for part in parts]
    for forms in groups:
        held = [part.find_holding(forms) for part in parts]
        holders = sum(len(rows) for rows, _ in held)
        weight = np.float32(log(1 + (total - holders + 0.5) / (holders + 0.5)))
        for score, (rows, gains) in zip(scores, held, strict=True):
            score[rows] += weight * gains
    ids = np.concatenate([part.ids for part in parts])
    moments, together = np.concatenate([part.moments for part in parts]), np.concatenate(scores)
    found = np.flatnonzero(together)
    if len(found) > limit:
        # All that equal the last one that fits stay, for ties are broken by time and id.
        found = found[together[found] >= np.partition(together[found], -limit)[-limit]]
    best = found[np.lexsort((ids[found], -moments[found], -together[found]))][:limit]
    # numpy leaves off the zero bytes at the end of a string.
    return [LexicalMatch(UUID(bytes=bytes(ids[row]).ljust(16, b"\0")), float(together[row])) for row in best]
