"""The registry of vector collections: the live one, one being built, and those kept or retired.

The rows of `VectorCollection` decide, for every engine. Writers read them at each write, so new data goes into a
collection as soon as its build begins. Searches use a copy that may be a moment old.
"""

import threading
import time
import uuid
from datetime import datetime
from hashlib import sha256

from django.db import DatabaseError, InterfaceError, transaction
from redis import Redis

from memory.indexes.base import VectorShape
from memory.models import VectorCollection
from memory.platform import redis as shared
from memory.platform.faults import Unavailable

VECTOR = "vector"
# How long a search uses its copy before it asks Redis whether the registry has changed.
CACHE_S = 0.5
# How long it trusts Redis before it reads the rows again.
MAX_CACHE_S = 15.0

Role = VectorCollection.Role


class CollectionRegistry:
    """The collections of one alias in one engine."""

    def __init__(self, backend: str, alias: str) -> None:
        self.backend = backend
        self.alias = alias
        self._lock = threading.Lock()
        self._live: VectorCollection | None = None
        self._edition: bytes | str | None = None
        self._asked_at = self._read_at = -MAX_CACHE_S

    def find_live(self) -> VectorCollection | None:
        """The live collection, possibly a moment old; None before the first write."""
        now = time.monotonic()
        if self._live is not None and now - self._asked_at < CACHE_S:
            return self._live
        edition = shared.call_or_default(lambda client: client.get(self._key()) or b"0", None)
        with self._lock:
            is_believed = self._live is not None and now - self._read_at < MAX_CACHE_S
            if edition is None or edition != self._edition or not is_believed:
                self._live = next((row for row in self.list_rows() if row.role == Role.LIVE), None)
                self._read_at = now
            self._edition, self._asked_at = edition, now
            return self._live

    def list_rows(self) -> list[VectorCollection]:
        """All of them, as they are now."""
        try:
            return list(VectorCollection.objects.filter(backend=self.backend, alias=self.alias).order_by("pk"))
        except (DatabaseError, InterfaceError) as error:
            raise Unavailable(VECTOR, " ".join(str(error).split()) or type(error).__name__) from error

    def adopt(self, shape: VectorShape) -> VectorCollection:
        """The live collection; when there is none yet, one that bears the alias' own name."""
        first = VectorCollection(
            backend=self.backend,
            alias=self.alias,
            name=self.alias,
            model=shape.model,
            dimensions=shape.dimensions,
            passage_prefix=shape.passage_prefix,
            role=Role.LIVE,
        )
        VectorCollection.objects.bulk_create([first], ignore_conflicts=True)
        self.invalidate()
        return VectorCollection.objects.get(backend=self.backend, alias=self.alias, role=Role.LIVE)

    def begin(self, shape: VectorShape, *, now: datetime) -> VectorCollection:
        """Register a new collection to be built; from now on it receives all writes."""
        digest = sha256(repr(shape).encode()).hexdigest()[:8]
        with transaction.atomic():
            self._lock_rows()
            row = VectorCollection.objects.create(
                backend=self.backend,
                alias=self.alias,
                name=f"{self.alias[:100]}_{digest}_{uuid.uuid4().hex[:8]}",
                model=shape.model,
                dimensions=shape.dimensions,
                passage_prefix=shape.passage_prefix,
                role=Role.BUILDING,
                created_at=now,
            )
        self.invalidate()
        return row

    def swap(self, target: VectorCollection, *, keep_until: datetime) -> None:
        """Make the target live and keep the previous collection. Idempotent."""
        with transaction.atomic():
            rows = self._lock_rows()
            if rows.get(Role.LIVE, target).pk == target.pk and Role.BUILDING not in rows:
                return
            self._turn(rows.get(Role.PREVIOUS), Role.REMOVING)
            self._turn(rows.get(Role.LIVE), Role.PREVIOUS, keep_until)
            self._turn(target, Role.LIVE)
        self.invalidate()

    def restore(self) -> VectorCollection:
        """Make the previous collection live again and retire the current one. Raises LookupError without a previous."""
        with transaction.atomic():
            rows = self._lock_rows()
            previous = rows.get(Role.PREVIOUS)
            if previous is None:
                raise LookupError("no previous collection is kept")
            self._turn(rows.get(Role.LIVE), Role.REMOVING)
            self._turn(previous, Role.LIVE)
        self.invalidate()
        return previous

    def give_up(self, row: VectorCollection) -> None:
        """Stop writing to it; a sweep removes it."""
        self._turn(row, Role.REMOVING)
        self.invalidate()

    def list_overdue(self, now: datetime) -> list[VectorCollection]:
        """Collections to be removed: abandoned ones, and those past their rollback window."""
        for row in self.list_rows():
            if row.role == Role.PREVIOUS and row.keep_until is not None and row.keep_until <= now:
                self.give_up(row)
        return [row for row in self.list_rows() if row.role == Role.REMOVING]

    def invalidate(self) -> None:
        """Invalidate the copies of all processes, this one's at once."""
        self._forget()
        transaction.on_commit(self._announce)

    def _announce(self) -> None:
        def write(client: Redis) -> None:
            client.incr(self._key())

        shared.call_or_default(write, None)
        self._forget()

    def _forget(self) -> None:
        with self._lock:
            self._live = None
            self._asked_at = self._read_at = -MAX_CACHE_S

    def _lock_rows(self) -> dict[str, VectorCollection]:
        rows = VectorCollection.objects.select_for_update().filter(backend=self.backend, alias=self.alias)
        return {row.role: row for row in rows.order_by("pk") if row.role != Role.REMOVING}

    @staticmethod
    def _turn(row: VectorCollection | None, role: str, keep_until: datetime | None = None) -> None:
        if row is not None:
            row.role, row.keep_until = role, keep_until
            row.save(update_fields=["role", "keep_until"])

    def _key(self) -> str:
        return shared.build_key("collections", self.backend, self.alias)


def shape_of(row: VectorCollection) -> VectorShape:
    return VectorShape(row.model, row.dimensions, row.passage_prefix)
