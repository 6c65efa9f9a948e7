"""The vector index in Postgres.

Runs as the application's role under row-level security, so each statement sees one user's rows whatever it says. A
filter that matches few rows is answered by an exact scan, one that matches many, or most of all there are, by the HNSW
index; both return as many rows as were asked for.
"""

import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import attrgetter
from typing import Any, Self
from uuid import UUID

import numpy as np
from django.db import InterfaceError, InternalError, OperationalError, connection
from django.db.backends.utils import CursorWrapper

from memory.access.cursors import cancel_after, open_bounded_cursor
from memory.access.scope import set_local
from memory.conf import MemoryConf
from memory.indexes import nearest
from memory.indexes.base import (
    IndexFilter,
    IndexState,
    PayloadChange,
    StoredPoint,
    VectorMatch,
    VectorPoint,
    require_user,
)
from memory.indexes.nearest import NearestRows, format_vector
from memory.inference.base import Vector
from memory.models.conditions import build_scope_sql, list_passing
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, Unavailable

VECTOR = "vector"
# Width of the widest half-precision vector an HNSW index takes.
MAX_DIMENSIONS = 4000
SCROLL_PAGE = 5000
# Bytes before the numbers of a vector that the database sends: how many there are.
SENT_HEADER = 4
# A scan of the graph keeps going until this many candidates were seen; beyond, reading the user's rows is cheaper.
MAX_SCAN_TUPLES = 40_000
SEARCH_BREADTH = 80

COUNT_TTL_S = 60.0
MAX_CACHED_COUNTS = 10_000

OWN = "user_id = %(user)s AND collection = %(collection)s"

UPSERT = """
INSERT INTO memory_vector
    (user_id, collection, dims, item_id, tier, status, embedding, vector_hash, revision, updated_at, agent_id,
     project_id)
SELECT i.user_id, %(collection)s, %(dims)s, p.item_id, p.tier, p.status, p.embedding, p.vector_hash, p.revision, now(),
    i.agent_id, i.project_id
FROM unnest(%(ids)s::uuid[], %(tiers)s::text[], %(statuses)s::text[], %(vectors)s::halfvec[], %(hashes)s::text[],
            %(revisions)s::bigint[])
    AS p (item_id, tier, status, embedding, vector_hash, revision)
JOIN memory_item i ON i.user_id = %(user)s AND i.id = p.item_id
FOR KEY SHARE OF i
ON CONFLICT (user_id, collection, item_id) DO UPDATE SET
    dims = EXCLUDED.dims, tier = EXCLUDED.tier, status = EXCLUDED.status,
    embedding = EXCLUDED.embedding, vector_hash = EXCLUDED.vector_hash, revision = EXCLUDED.revision,
    updated_at = EXCLUDED.updated_at
WHERE memory_vector.revision <= EXCLUDED.revision
"""

DROP = """
DELETE FROM memory_vector WHERE id IN (
    SELECT id FROM memory_vector WHERE user_id = %(user)s AND collection = %(collection)s LIMIT %(page)s
)
"""
DROP_PAGE = 2000
DROP_TIMEOUT_S = 30.0

# Answered from the payload index alone; beside it how many rows of everybody there are, as the planner counts them.
COUNT_UP_TO = """
SELECT count(*), (SELECT reltuples::bigint FROM pg_class WHERE oid = 'memory_vector'::regclass)
FROM (SELECT FROM memory_vector WHERE {where} LIMIT %(most)s) AS passing
"""

# For a filter on the rows that lets many through: each point that the graph meets is looked up. OFFSET keeps the
# planner from making a join of it, which reads all points and sorts them.
PASSES = """
AND EXISTS (
    SELECT FROM memory_item AS item
    WHERE item.user_id = %(user)s AND item.id = memory_vector.item_id{conditions} OFFSET 0
)
"""
NAMED = " AND item_id = ANY(%(ids)s)"
DELETE = f"DELETE FROM memory_vector WHERE {OWN}{NAMED}"  # noqa: S608
POINTS = f"SELECT item_id, tier, status, vector_hash, revision, dims FROM memory_vector WHERE {OWN}{NAMED}"  # noqa: S608
# As bytes: reading the numbers out of text takes ten times as long.
VECTORS = f"SELECT item_id, halfvec_send(embedding) FROM memory_vector WHERE {OWN}{NAMED}"  # noqa: S608

# The cast to a fixed width is the expression the index was built on.
NEAREST = """
SELECT item_id, embedding::halfvec({dims}) <-> %(vector)s::halfvec({dims}) AS distance
FROM memory_vector WHERE {where} AND dims = {dims}
ORDER BY embedding::halfvec({dims}) <-> %(vector)s::halfvec({dims}) LIMIT %(limit)s
"""
ESTIMATE = """
SELECT reltuples::bigint,
    EXISTS (SELECT FROM pg_indexes WHERE tablename = 'memory_vector' AND indexdef LIKE %s)
FROM pg_class WHERE oid = 'memory_vector'::regclass
"""
# Adding nothing to the distance hides it from the index: every vector of the user is read.
NEAREST_EXACT = """
SELECT item_id, distance FROM (
    SELECT item_id, (embedding::halfvec({dims}) <-> %(vector)s::halfvec({dims})) + 0.0 AS distance
    FROM memory_vector WHERE {where} AND dims = {dims}
) AS measured ORDER BY distance, item_id LIMIT %(limit)s
"""


class PgVectorEngine:
    """Collections are a column of one table; which of them answers is a row of another."""

    backend = "pgvector"

    @classmethod
    def from_conf(cls, conf: MemoryConf) -> Self:
        return cls()

    def open(self, collection: str, dimensions: int, alias: str = "") -> "PgVectorIndex":
        return PgVectorIndex(collection, dimensions)

    def close(self) -> None:
        """Nothing of its own: the connections are Django's."""


class PgVectorIndex:
    """A VectorIndex over the table ``memory_vector``."""

    def __init__(self, collection: str, dimensions: int) -> None:
        self.collection = collection
        self.dimensions = dimensions
        self._counted: dict[IndexFilter, tuple[int, int, float]] = {}

    def ensure(self) -> None:
        """The table and its indexes come with the migrations; only the width can be wrong."""
        if self.dimensions > MAX_DIMENSIONS:
            raise BadReply(
                VECTOR, f"pgvector indexes at most {MAX_DIMENSIONS} dimensions, the model has {self.dimensions}"
            )

    def upsert(self, points: Sequence[VectorPoint], deadline: Deadline) -> None:
        """Points whose item has been deleted meanwhile are passed over; one being deleted is waited for."""
        ordered = sorted(points, key=lambda point: (point.user_id, point.id))
        for user_id, group in groupby(ordered, key=attrgetter("user_id")):
            # One id twice in one statement is refused; the newer or else the later of the two is what was meant.
            meant = {point.id: point for point in sorted(group, key=attrgetter("revision"))}
            rows = sorted(meant.values(), key=attrgetter("id"))
            with self._cursor(user_id, deadline) as cursor:
                cursor.execute(UPSERT, self._build_columns(user_id, rows))

    def set_payload(self, user_id: int, ids: Collection[UUID], change: PayloadChange, deadline: Deadline) -> None:
        if not change.fields or not ids:
            return
        guard = "" if change.revision is None else "AND revision <= %(revision)s"
        assignments = ", ".join(f"{column} = %({column})s" for column in change.fields)
        with self._cursor(user_id, deadline) as cursor:
            cursor.execute(
                f"UPDATE memory_vector SET {assignments}, updated_at = now() WHERE {OWN} "  # noqa: S608
                f"AND item_id = ANY(%(ids)s) {guard}",
                {**change.fields, **self._names(user_id), "ids": list(ids)},
            )

    def delete(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> None:
        with self._cursor(user_id, deadline) as cursor:
            cursor.execute(DELETE, {**self._names(user_id), "ids": list(ids)})

    def search(self, vector: Vector, filter: IndexFilter, limit: int, deadline: Deadline) -> list[VectorMatch]:
        literal = format_vector(vector, self.dimensions, VECTOR)
        if filter.matches_nothing or limit <= 0:
            return []
        where, values = self._where(filter)
        values |= {"vector": literal, "limit": limit}
        statements, breadth = self._build_statements(where), max(SEARCH_BREADTH, 2 * limit)
        with self._cursor(filter.user_id, deadline, breadth) as cursor:
            if filter.rows:
                statements, values, by_graph = self._narrow(cursor, filter, where, values)
            else:
                rows, table = self._count(cursor, filter, where, values)
                by_graph = nearest.is_graph_cheaper(rows, table, breadth)

            def renew_timeout() -> None:
                set_local(cursor, cancel_after(deadline.require(VECTOR)))

            return _sort_matches(
                statements.fetch(cursor, values, limit, by_graph=by_graph, before_second=renew_timeout)
            )

    def _narrow(
        self, cursor: CursorWrapper, filter: IndexFilter, where: str, values: dict[str, Any]
    ) -> tuple[NearestRows, dict[str, Any], bool]:
        """The statements for a filter on the rows: over the few that pass, or over the graph where they are many."""
        passing = list_passing(cursor, filter, nearest.EXACT_UP_TO + 1)
        if len(passing) <= nearest.EXACT_UP_TO:
            return self._build_statements(f"{OWN}{NAMED}"), values | {"ids": passing}, False
        conditions, further = filter.rows.build_sql(filter.user_id)
        return self._build_statements(where + PASSES.format(conditions=conditions)), values | further, True

    def scroll(self, user_id: int) -> Iterator[tuple[UUID, str]]:
        last = UUID(int=0)
        while True:
            with self._cursor(user_id, Deadline.none()) as cursor:
                cursor.execute(
                    f"SELECT item_id, vector_hash FROM memory_vector WHERE {OWN} "  # noqa: S608
                    "AND item_id > %(last)s ORDER BY item_id LIMIT %(page)s",
                    {**self._names(user_id), "last": last, "page": SCROLL_PAGE},
                )
                page = cursor.fetchall()
            yield from page
            if len(page) < SCROLL_PAGE:
                return
            last = page[-1][0]

    def fetch_points(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> list[StoredPoint]:
        with self._cursor(user_id, deadline) as cursor:
            cursor.execute(POINTS, {**self._names(user_id), "ids": list(ids)})
            return [StoredPoint(*row) for row in cursor.fetchall()]

    def fetch_vectors(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> dict[UUID, Vector]:
        with self._cursor(user_id, deadline) as cursor:
            cursor.execute(VECTORS, {**self._names(user_id), "ids": list(ids)})
            return {item_id: _unpack_vector(sent) for item_id, sent in cursor.fetchall()}

    def count(self, user_id: int, deadline: Deadline) -> int:
        with self._cursor(user_id, deadline) as cursor:
            cursor.execute(f"SELECT count(*) FROM memory_vector WHERE {OWN}", self._names(user_id))  # noqa: S608
            return int(cursor.fetchone()[0])

    def list_strays(self, user_id: int, *, remove: bool) -> list[UUID]:
        """A row has one key, and its owner is part of it: a foreign point cannot carry this user's mark."""
        require_user(user_id)
        return []

    def make_live(self) -> None:
        """Nothing to do here: no name outside the product's own tables points at a collection."""

    def drop(self, users: Iterable[int]) -> None:
        for user_id in users:
            removed = DROP_PAGE
            while removed == DROP_PAGE:
                with self._cursor(user_id, Deadline(DROP_TIMEOUT_S)) as cursor:
                    cursor.execute(DROP, {**self._names(user_id), "page": DROP_PAGE})
                    removed = cursor.rowcount

    def erase(self, user_id: int) -> None:
        """Every collection: what is erased must not come back with an older one."""
        with self._cursor(user_id, Deadline.none()) as cursor:
            cursor.execute("DELETE FROM memory_vector WHERE user_id = %s", [user_id])

    def state(self) -> IndexState:
        """The number of points is the planner's estimate: no role of the application may count across users. Until the
        table is analysed for the first time there is none."""
        try:
            self.ensure()
            with connection.cursor() as cursor:
                cursor.execute(ESTIMATE, [f"%USING hnsw%halfvec({self.dimensions})%"])
                points, is_indexed = cursor.fetchone()
        except (Unavailable, OperationalError, InterfaceError, InternalError) as error:
            return IndexState(ok=False, backend="pgvector", dimensions=self.dimensions, points=None, problem=str(error))
        problem = None if is_indexed else f"no HNSW index for {self.dimensions} dimensions: large users are slow"
        return IndexState(
            ok=True,
            backend="pgvector",
            dimensions=self.dimensions,
            points=points if points > 0 else None,
            problem=problem,
        )

    def close(self) -> None:
        """Nothing of its own: the connections are Django's."""

    def _cursor(self, user_id: int, deadline: Deadline, breadth: int = 0) -> AbstractContextManager[CursorWrapper]:
        settings = {}
        if breadth:
            settings["hnsw.iterative_scan"] = "relaxed_order"
            settings["hnsw.ef_search"] = str(min(breadth, 1000))
            settings["hnsw.max_scan_tuples"] = str(MAX_SCAN_TUPLES)
        return open_bounded_cursor(VECTOR, require_user(user_id), deadline, settings)

    def _build_statements(self, where: str) -> NearestRows:
        return NearestRows(
            exact=NEAREST_EXACT.format(dims=self.dimensions, where=where),
            graph=NEAREST.format(dims=self.dimensions, where=where),
        )

    def _count(self, cursor: CursorWrapper, filter: IndexFilter, where: str, values: dict[str, Any]) -> tuple[int, int]:
        """How many rows the filter lets through, up to one more than may be read one by one, and how many there are of
        everybody. Kept for a minute: what a minute adds is read in a few milliseconds, and to count took four of each
        search of 10,000."""
        now = time.monotonic()
        rows, table, until = self._counted.get(filter, (0, 0, 0.0))
        if until > now:
            return rows, table
        cursor.execute(COUNT_UP_TO.format(where=where), {**values, "most": nearest.EXACT_UP_TO + 1})
        rows, table = cursor.fetchone()
        if len(self._counted) >= MAX_CACHED_COUNTS:
            self._counted.clear()
        self._counted[filter] = rows, table, now + COUNT_TTL_S
        return rows, table

    def _build_columns(self, user_id: int, points: Sequence[VectorPoint]) -> dict[str, Any]:
        return {
            "user": user_id,
            "collection": self.collection,
            "dims": self.dimensions,
            "ids": [point.id for point in points],
            "tiers": [point.tier for point in points],
            "statuses": [point.status for point in points],
            "vectors": [format_vector(point.vector, self.dimensions, VECTOR) for point in points],
            "hashes": [point.vector_hash for point in points],
            "revisions": [point.revision for point in points],
        }

    def _names(self, user_id: int) -> dict[str, Any]:
        return {"user": user_id, "collection": self.collection}

    def _where(self, filter: IndexFilter) -> tuple[str, dict[str, Any]]:
        where = f"{OWN} AND status = ANY(%(statuses)s)"
        values = self._names(filter.user_id) | {"statuses": sorted(filter.statuses)}
        if filter.tiers is not None:
            where += " AND tier = ANY(%(tiers)s)"
            values["tiers"] = sorted(filter.tiers)
        scope, seen = build_scope_sql(filter.scope)
        return where + scope, values | seen


def _unpack_vector(sent: bytes) -> Vector:
    return np.frombuffer(sent, ">f2", offset=SENT_HEADER).astype(np.float32)


def _sort_matches(rows: Sequence[tuple[Any, ...]]) -> list[VectorMatch]:
    """The graph's order is only nearly right, and says nothing of ties."""
    return sorted((VectorMatch(id, float(distance)) for id, distance in rows), key=attrgetter("distance", "id"))
