"""Fills users directly, for sizes that would take hours through the API.

Texts are synthetic notes, all different. Vectors are real embeddings of a pool of notes, each moved a little in a
random direction, so that they lie in clusters as real ones do; a row's vector is near that of some note, not of its
own text. The rows are complete otherwise: lexemes, hashes and state are what the write path makes.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from uuid import UUID

import numpy as np
import psutil
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from numpy.typing import NDArray

from config.runtime.postgres import MEGABYTE, measure_memory
from memory.access.scope import UNHURRIED, allow_statements, user_scope
from memory.benchmarks.synthetic import NoteWriter, SyntheticNote
from memory.conf import memory_conf
from memory.inference import embedder
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.store import rows
from memory.store.admission import NewMemory
from memory.tiers import Indexing, Tier

POOL = 4000
DIRECTIONS = 1000
# A note and its moved copy have a cosine of about 0.9, as two notes about the same thing have.
SPREAD = 0.48
CHUNK = 1000
EMBED_TIMEOUT_S = 60.0
HOW = (
    f"loaded directly: distinct synthetic texts; vectors are embeddings of {POOL} of them, each moved towards one of "
    f"{DIRECTIONS} random directions (cosine about 0.9 to where it was)"
)
MARK = "benchmark"
TABLES = ("memory_item", "memory_vector")
VECTORS = """
INSERT INTO memory_vector
    (user_id, item_id, collection, dims, tier, status, embedding, vector_hash, updated_at)
SELECT %(user)s, row.id, %(collection)s, %(dims)s, %(tier)s, 'active', l2_normalize(pool.v + way.v), %(hash)s, %(now)s
FROM unnest(%(ids)s::uuid[], %(places)s::int[], %(ways)s::int[]) AS row(id, place, way)
JOIN bench_pool pool ON pool.n = row.place
JOIN bench_direction way ON way.n = row.way
"""
VECTOR_INDEX = """
CREATE INDEX IF NOT EXISTS memory_vector_hnsw_{dims} ON memory_vector
USING hnsw ((embedding::halfvec({dims})) halfvec_l2_ops) WHERE dims = {dims}
"""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class VectorCloud:
    """What vectors are made of."""

    pool: NDArray[np.float32]
    directions: NDArray[np.float32]


def build_cloud(writer: NoteWriter, seed: int) -> VectorCloud:
    texts = [note.text for note in writer.notes(POOL)]
    size = memory_conf().embedding.batch_size
    vectors: list[NDArray[np.float32]] = []
    for start in range(0, len(texts), size):
        vectors += embedder().embed_passages(texts[start : start + size], Deadline(EMBED_TIMEOUT_S))
    pool = np.stack(vectors)
    directions = np.random.default_rng(seed).standard_normal((DIRECTIONS, pool.shape[1])).astype(np.float32)
    directions *= SPREAD / np.linalg.norm(directions, axis=1, keepdims=True)
    return VectorCloud(pool, directions)


class BulkLoader:
    """Fills users with rows whose vectors are made inside the database."""

    def __init__(self, cloud: VectorCloud, seed: int) -> None:
        self.rng = random.Random(f"bulk {seed}")  # noqa: S311  (places in a cloud, not secrets)
        self.dims = int(cloud.pool.shape[1])
        # The cloud lies in temporary tables of this connection, so that a vector costs the client two numbers.
        with allow_statements(UNHURRIED["statement_timeout"]):
            self._keep("bench_pool", cloud.pool)
            self._keep("bench_direction", cloud.directions)

    def _keep(self, table: str, rows: NDArray[np.float32]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS pg_temp.{table}")
            cursor.execute(f"CREATE TEMPORARY TABLE {table} (n int PRIMARY KEY, v halfvec({self.dims}))")
            cursor.executemany(
                f"INSERT INTO {table} VALUES (%s, %s::halfvec)",  # noqa: S608  (a name of our own)
                [(number, "[" + ",".join(f"{value:.6f}" for value in row) + "]") for number, row in enumerate(rows)],
            )

    def fill(self, user: EndUser, notes: Iterator[SyntheticNote], count: int, now: datetime) -> None:
        for start in range(0, count, CHUNK):
            rows = [build_ready_row(user, note, now) for note in islice(notes, min(CHUNK, count - start))]
            with user_scope(user, settings=UNHURRIED):
                MemoryItem.objects.bulk_create(rows)
                self.write_vectors(user, [row.pk for row in rows], now)

    def write_vectors(self, user: EndUser, ids: Sequence[UUID], now: datetime) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                VECTORS,
                {
                    "user": user.pk,
                    "collection": memory_conf().vector.collection,
                    "dims": self.dims,
                    "tier": Tier.HISTORY,
                    "hash": MARK,
                    "now": now,
                    "ids": list(ids),
                    "places": [self.rng.randrange(POOL) for _ in ids],
                    "ways": [self.rng.randrange(DIRECTIONS) for _ in ids],
                },
            )


def build_ready_row(user: EndUser, note: SyntheticNote, now: datetime, tier: Tier = Tier.HISTORY) -> MemoryItem:
    """The row as the write path makes it, in the state that indexing leaves."""
    said_at = now - timedelta(days=note.days_ago)
    new = NewMemory(note.text, tier=tier, tags=(note.topic,), occurred_at=said_at)
    row = rows.build_row(user, new, now, actor=MARK)
    row.indexing, row.vector_hash, row.indexed_at = Indexing.READY, MARK, now
    return row


@contextmanager
def defer_vector_index(owner: BaseDatabaseWrapper, dims: int, say: Say) -> Iterator[None]:
    """Load without the vector index and build it at the end."""
    # Row by row a million would take hours. It is built also when the loading fails, and by the next run when this one
    # was killed.
    with owner.cursor() as cursor:
        cursor.execute(f"DROP INDEX IF EXISTS memory_vector_hnsw_{dims}")
        try:
            yield
        finally:
            say("building the vector index")
            cursor.execute(f"SET maintenance_work_mem = '{choose_build_memory()}MB'")
            # Parallel builders share memory through /dev/shm, which is small in most containers.
            cursor.execute("SET max_parallel_maintenance_workers = 0")
            cursor.execute(VECTOR_INDEX.format(dims=dims))


def choose_build_memory() -> int:
    """Mebibytes: of a graph that does not fit the rest is built row by row; that of 3 million vectors takes 8 GB."""
    return min(int(psutil.virtual_memory().available), measure_memory()) // (2 * MEGABYTE)


def refresh_statistics(owner: BaseDatabaseWrapper) -> None:
    """What autovacuum would do some minutes later."""
    with owner.cursor() as cursor:
        for table in TABLES:
            cursor.execute(f"VACUUM ANALYZE {table}")
