"""The vector index that callers use: routes reads to the live collection and writes to every collection."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from uuid import UUID

from memory.indexes.base import (
    IndexFilter,
    IndexState,
    PayloadChange,
    StoredCollection,
    StoredPoint,
    VectorEngine,
    VectorMatch,
    VectorPoint,
    VectorShape,
)
from memory.indexes.collections import CollectionRegistry, Role, shape_of
from memory.inference.base import Vector
from memory.models import VectorCollection
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, Unavailable

VECTOR = "vector"
WRITTEN = frozenset({Role.LIVE, Role.BUILDING})


class RoutedIndex:
    """A VectorIndex over the collections of one alias.

    Vectors are written to the collections, live or being built, that belong to the configured model. Deletions apply to
    all collections, including kept ones.
    """

    def __init__(self, engine: VectorEngine, alias: str, shape: VectorShape) -> None:
        self.engine = engine
        self.alias = alias
        self.model = shape.model
        self.dimensions = shape.dimensions
        self.passage_prefix = shape.passage_prefix
        self.registry = CollectionRegistry(engine.backend, alias)
        self._opened: dict[tuple[str, int, bool], StoredCollection] = {}
        self._ensured: set[str] = set()

    @property
    def shape(self) -> VectorShape:
        """Of the vectors that are computed now."""
        return VectorShape(self.model, self.dimensions, self.passage_prefix)

    @property
    def collection(self) -> str:
        row = self.registry.find_live()
        return row.name if row else self.alias

    def open(self, row: VectorCollection) -> StoredCollection:
        """A collection by itself."""
        # Searches of the live collection go through the alias, if the engine has one.
        key = (row.name, row.dimensions, row.role == Role.LIVE)
        found = self._opened.get(key)
        if found is None:
            found = self._opened[key] = self.engine.open(row.name, row.dimensions, self.alias if key[2] else "")
        return found

    @property
    def live_shape(self) -> VectorShape:
        """Of the vectors that the live collection can be searched with, of a model before as long as it is live."""
        row = self.registry.find_live()
        return shape_of(row) if row else self.shape

    def find_mismatch(self, shape: VectorShape | None = None) -> str | None:
        """Why the live collection cannot be searched with such vectors, by default the configured model's, if so."""
        row = self.registry.find_live()
        if row is None or shape_of(row) == (shape or self.shape):
            return None
        return f"the index was built by {shape_of(row)}, the settings name {self.shape}: run manage.py reindex"

    def ensure(self) -> None:
        self.open(self.registry.find_live() or self.registry.adopt(self.shape)).ensure()

    def upsert(self, points: Sequence[VectorPoint], deadline: Deadline) -> None:
        for collection in self._open_fitting():
            collection.upsert(points, deadline)

    def set_payload(self, user_id: int, ids: Collection[UUID], change: PayloadChange, deadline: Deadline) -> None:
        for collection in self._open_fitting():
            collection.set_payload(user_id, ids, change, deadline)

    def delete(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> None:
        for collection in self._open_all():
            collection.delete(user_id, ids, deadline)

    def search(
        self, vector: Vector, filter: IndexFilter, limit: int, deadline: Deadline, *, shape: VectorShape | None = None
    ) -> list[VectorMatch]:
        if problem := self.find_mismatch(shape):
            raise BadReply(VECTOR, problem)
        return self._open_live().search(vector, filter, limit, deadline)

    def scroll(self, user_id: int) -> Iterator[tuple[UUID, str]]:
        return self._open_live().scroll(user_id)

    def fetch_points(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> list[StoredPoint]:
        return self._open_live().fetch_points(user_id, ids, deadline)

    def fetch_vectors(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> dict[UUID, Vector]:
        return self._open_live().fetch_vectors(user_id, ids, deadline)

    def count(self, user_id: int, deadline: Deadline) -> int:
        return self._open_live().count(user_id, deadline)

    def list_strays(self, user_id: int, *, remove: bool) -> list[UUID]:
        return self._open_live().list_strays(user_id, remove=remove)

    def erase(self, user_id: int) -> None:
        for collection in self._open_all():
            collection.erase(user_id)

    def state(self) -> IndexState:
        try:
            problem = self.find_mismatch()
            seen = self._open_live().state()
        except Unavailable as error:
            seen, problem = (
                IndexState(
                    ok=False, backend=self.engine.backend, dimensions=self.dimensions, points=None, problem=None
                ),
                error.reason,
            )
        return replace(seen, ok=False, problem=problem) if problem else seen

    def close(self) -> None:
        self.engine.close()

    def _open_live(self) -> StoredCollection:
        row = self.registry.find_live()
        return self.open(row) if row else self.engine.open(self.alias, self.dimensions, self.alias)

    def _open_fitting(self) -> list[StoredCollection]:
        """Where vectors of this model belong. Raises Unavailable when that is nowhere: the rows wait."""
        rows = self.registry.list_rows()
        if not any(row.role == Role.LIVE for row in rows):
            rows = [self.registry.adopt(self.shape)]
        fitting = [row for row in rows if row.role in WRITTEN and shape_of(row) == self.shape]
        if not fitting:
            raise Unavailable(VECTOR, self.find_mismatch() or "no collection takes vectors of this model")
        collections = [self.open(row) for row in fitting]
        for collection in collections:
            if collection.collection not in self._ensured:
                collection.ensure()
                self._ensured.add(collection.collection)
        return collections

    def _open_all(self) -> list[StoredCollection]:
        rows = self.registry.list_rows()
        return [self.open(row) for row in rows] or [self._open_live()]
