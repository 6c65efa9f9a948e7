"""The vector index in Qdrant: one collection for all users; every query carries a mandatory user filter.

Searches go through an alias, which one request turns to another collection; writes name their collection.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, Self
from uuid import UUID, uuid5

import numpy as np
from qdrant_client import QdrantClient, models

from memory.access.cursors import open_bounded_cursor
from memory.conf import MemoryConf
from memory.indexes.base import (
    IndexFilter,
    IndexState,
    PayloadChange,
    StoredPoint,
    VectorMatch,
    VectorPoint,
    require_user,
)
from memory.indexes.qdrant_collection import ENSURE_TIMEOUT_S, VECTOR, CollectionMissing, QdrantCollection, is_local
from memory.inference.base import Vector
from memory.models.conditions import list_passing
from memory.platform import http
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply

ALIAS_SUFFIX = "_live"
PAGE = 1000
UPSERT_BATCH = 256
SEARCH_BREADTH = 128
# Ids of the rows that pass a filter, 40 bytes each; where more pass, they are common enough to be met further down.
MOST_NAMED = 20_000
DEEPENING = 4


class QdrantEngine:
    """The server, with all its collections."""

    backend = "qdrant"

    def __init__(self, client: QdrantClient) -> None:
        self._client = client

    @classmethod
    def from_conf(cls, conf: MemoryConf) -> Self:
        client = QdrantClient(
            url=conf.vector.qdrant_url,
            api_key=conf.vector.qdrant_api_key or None,
            # The check asks the server before anybody set a deadline.
            check_compatibility=False,
            transport=http.DeadlineTransport(),
            trust_env=False,
        )
        return cls(client)

    def open(self, collection: str, dimensions: int, alias: str = "") -> "QdrantIndex":
        return QdrantIndex(self._client, collection, dimensions, alias and alias + ALIAS_SUFFIX)

    def close(self) -> None:
        self._client.close()


class QdrantIndex:
    """A VectorIndex over one Qdrant collection."""

    def __init__(self, client: QdrantClient, collection: str, dimensions: int, alias: str = "") -> None:
        self.dimensions = dimensions
        self._client = client
        self._collection = QdrantCollection(client, collection, dimensions)
        self.collection = collection
        self._alias = alias
        self._searched = alias or collection

    def ensure(self) -> None:
        self._collection.ensure()
        if self._alias and not self._collection.has_alias(self._alias, Deadline(ENSURE_TIMEOUT_S)):
            self.make_live()

    def make_live(self) -> None:
        if self._alias:
            self._collection.point_alias(self._alias, Deadline(ENSURE_TIMEOUT_S))

    def drop(self, users: Iterable[int]) -> None:
        self._collection.ask(lambda: self._client.delete_collection(self.collection), Deadline(ENSURE_TIMEOUT_S))

    def upsert(self, points: Sequence[VectorPoint], deadline: Deadline) -> None:
        """A collection that was lost is made again: the rows will fill it."""
        # The guard is one filter for a whole request; nearly all rows are at one of a few revisions.
        for revision, group in groupby(sorted(points, key=attrgetter("revision")), key=attrgetter("revision")):
            structs = [self._build_point(point) for point in group]
            for start in range(0, len(structs), UPSERT_BATCH):
                batch = structs[start : start + UPSERT_BATCH]
                guard = models.Filter(must=[_build_revision_condition(revision)])
                write = partial(self._client.upsert, self.collection, batch, wait=True, update_filter=guard)
                try:
                    self._collection.call(write, deadline)
                except CollectionMissing:
                    self.ensure()
                    self._collection.call(write, deadline)

    def set_payload(self, user_id: int, ids: Collection[UUID], change: PayloadChange, deadline: Deadline) -> None:
        guard = [] if change.revision is None else [_build_revision_condition(change.revision)]
        chosen = _build_id_conditions(user_id, ids, *guard)
        if change.fields and ids:
            # By filter and not by ids: an id that is not there would fail the whole call.
            write = partial(self._client.set_payload, self.collection, change.fields, points=chosen, wait=True)
            self._write_where_it_exists(write, deadline)

    def delete(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> None:
        chosen = models.FilterSelector(filter=_build_id_conditions(user_id, ids))
        if ids:
            write = partial(self._client.delete, self.collection, points_selector=chosen, wait=True)
            self._write_where_it_exists(write, deadline)

    def _write_where_it_exists(self, write: Callable[[], object], deadline: Deadline) -> None:
        """In a collection that is gone there is nothing to change or remove."""
        with suppress(CollectionMissing):
            self._collection.call(write, deadline)

    def search(self, vector: Vector, filter: IndexFilter, limit: int, deadline: Deadline) -> list[VectorMatch]:
        components = self._list_components(vector)
        if filter.matches_nothing or limit <= 0:
            return []
        if not filter.rows:
            return self._query(components, _build_filter(filter), limit, deadline)
        passing = _list_passing(filter, deadline)
        if len(passing) <= MOST_NAMED:
            named = models.HasIdCondition(has_id=[_build_point_id(filter.user_id, id) for id in passing])
            # The rows have said which: a point may be a moment behind in its tier.
            own = models.Filter(must=[_build_user_condition(filter.user_id), named])
            return self._query(components, own, limit, deadline) if passing else []
        return self._search_deeper(components, filter, limit, deadline)

    def _search_deeper(
        self, components: list[float], filter: IndexFilter, limit: int, deadline: Deadline
    ) -> list[VectorMatch]:
        """For a filter that many rows pass: ever more of the nearest, until enough of them do."""
        depth = limit
        while True:
            depth *= DEEPENING
            nearest = self._query(components, _build_filter(filter), depth, deadline)
            passing = set(_list_passing(filter, deadline, [match.id for match in nearest]))
            found = [match for match in nearest if match.id in passing]
            if len(found) >= limit or len(nearest) < depth:
                return found[:limit]

    def _query(
        self, components: list[float], query_filter: models.Filter, limit: int, deadline: Deadline
    ) -> list[VectorMatch]:
        left = deadline.require(VECTOR)
        breadth = models.SearchParams(hnsw_ef=max(SEARCH_BREADTH, 2 * limit))
        reply = self._collection.call(
            lambda: self._client.query_points(
                self._searched,
                query=components,
                query_filter=query_filter,
                limit=limit,
                with_payload=["item_id"],
                search_params=None if is_local(self._client) else breadth,
                timeout=math.ceil(left) if left != math.inf else None,
            ),
            deadline,
        )
        matches = [VectorMatch(_read_item_id(point.payload), float(point.score)) for point in reply.points]
        if not all(math.isfinite(match.distance) for match in matches):
            raise BadReply(VECTOR, "a distance is not a finite number")
        return sorted(matches, key=lambda match: (match.distance, match.id))

    def scroll(self, user_id: int) -> Iterator[tuple[UUID, str]]:
        for record in self._records(user_id):
            yield _read_item_id(record.payload), str((record.payload or {}).get("vector_hash", ""))

    def _records(self, user_id: int) -> Iterator[models.Record]:
        own = models.Filter(must=[_build_user_condition(user_id)])
        offset: Any = None
        while True:
            read = partial(self._client.scroll, self.collection, own, limit=PAGE, offset=offset)
            records, offset = self._collection.call(
                partial(read, with_payload=["item_id", "vector_hash"]), Deadline.none()
            )
            yield from records
            if offset is None:
                return

    def fetch_points(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> list[StoredPoint]:
        if not ids:
            return []
        read = partial(
            self._client.scroll, self.collection, _build_id_conditions(user_id, ids), limit=len(ids), with_payload=True
        )
        records, _ = self._collection.call(read, deadline)
        return [_parse_payload(record.payload or {}, self.dimensions) for record in records]

    def fetch_vectors(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> dict[UUID, Vector]:
        if not ids:
            return {}
        read = partial(
            self._client.scroll,
            self.collection,
            _build_id_conditions(user_id, ids),
            limit=len(ids),
            with_payload=["item_id"],
            with_vectors=True,
        )
        records, _ = self._collection.call(read, deadline)
        return {_read_item_id(record.payload): np.array(record.vector, np.float32) for record in records}

    def count(self, user_id: int, deadline: Deadline) -> int:
        own = models.Filter(must=[_build_user_condition(user_id)])
        return self._collection.call(
            lambda: self._client.count(self.collection, count_filter=own, exact=True).count, deadline
        )

    def list_strays(self, user_id: int, *, remove: bool) -> list[UUID]:
        strays = {
            record.id: _read_item_id(record.payload)
            for record in self._records(user_id)
            if str(record.id) != _build_point_id(user_id, _read_item_id(record.payload))
        }
        if strays and remove:
            write = partial(self._client.delete, self.collection, points_selector=list(strays), wait=True)
            self._collection.call(write, Deadline.none())
        return list(strays.values())

    def erase(self, user_id: int) -> None:
        own = models.FilterSelector(filter=models.Filter(must=[_build_user_condition(user_id)]))
        write = partial(self._client.delete, self.collection, points_selector=own, wait=True)
        self._write_where_it_exists(write, Deadline.none())

    def state(self) -> IndexState:
        return self._collection.state(self._searched)

    def close(self) -> None:
        """The engine holds the connections."""

    def _build_point(self, point: VectorPoint) -> models.PointStruct:
        payload = {
            "user_id": str(point.user_id),
            "item_id": str(point.id),
            "tier": point.tier,
            "status": point.status,
            "vector_hash": point.vector_hash,
            "revision": point.revision,
        }
        # A point of no scope carries neither, as those do that were written before there were scopes.
        scope = {"agent_id": point.agent_id, "project_id": point.project_id}
        payload |= {column: value for column, value in scope.items() if value}
        return models.PointStruct(
            id=_build_point_id(point.user_id, point.id), vector=self._list_components(point.vector), payload=payload
        )

    def _list_components(self, vector: Vector) -> list[float]:
        if vector.shape != (self.dimensions,):
            raise BadReply(VECTOR, f"expected a vector of {self.dimensions} dimensions, got {vector.shape}")
        components: list[float] = vector.tolist()
        if not all(map(math.isfinite, components)):
            raise BadReply(VECTOR, "the vector holds a value that is not a finite number")
        return components


def _list_passing(filter: IndexFilter, deadline: Deadline, among: Collection[UUID] | None = None) -> list[UUID]:
    with open_bounded_cursor(VECTOR, filter.user_id, deadline, {}) as cursor:
        return list_passing(cursor, filter, MOST_NAMED + 1 if among is None else len(among), among)


def _build_user_condition(user_id: int) -> models.FieldCondition:
    return models.FieldCondition(key="user_id", match=models.MatchValue(value=str(require_user(user_id))))


def _build_id_conditions(user_id: int, ids: Collection[UUID], *further: models.Condition) -> models.Filter:
    points = models.HasIdCondition(has_id=[_build_point_id(user_id, id) for id in ids])
    return models.Filter(must=[_build_user_condition(user_id), points, *further])


def _build_revision_condition(revision: int) -> models.Filter:
    unmarked = models.IsEmptyCondition(is_empty=models.PayloadField(key="revision"))
    return models.Filter(
        should=[unmarked, models.FieldCondition(key="revision", range=models.Range(lte=float(revision)))]
    )


def _build_scope_condition(column: str, seen: Sequence[str]) -> models.Filter:
    should: list[models.Condition] = []
    if "" in seen:
        should.append(models.IsEmptyCondition(is_empty=models.PayloadField(key=column)))
    if named := [value for value in seen if value]:
        should.append(models.FieldCondition(key=column, match=models.MatchAny(any=named)))
    return models.Filter(should=should)


def _parse_payload(payload: dict[str, Any], dimensions: int) -> StoredPoint:
    try:
        revision = int(payload.get("revision", 0))
    except (ValueError, TypeError):
        revision = 0
    return StoredPoint(
        id=_read_item_id(payload),
        tier=str(payload.get("tier", "")),
        status=str(payload.get("status", "")),
        vector_hash=str(payload.get("vector_hash", "")),
        revision=revision,
        dimensions=dimensions,
    )


def _build_filter(filter: IndexFilter) -> models.Filter:
    must: list[models.Condition] = [
        _build_user_condition(filter.user_id),
        models.FieldCondition(key="status", match=models.MatchAny(any=sorted(filter.statuses))),
    ]
    if filter.tiers is not None:
        must.append(models.FieldCondition(key="tier", match=models.MatchAny(any=sorted(filter.tiers))))
    must += [_build_scope_condition(column, seen) for column, seen in filter.scope.columns]
    return models.Filter(must=must)


def _build_point_id(user_id: int, item_id: UUID) -> str:
    """A point of its own for each (user, item), so that no write under one user reaches the point of another."""
    return str(uuid5(item_id, str(user_id)))


def _read_item_id(payload: dict[str, Any] | None) -> UUID:
    try:
        return UUID((payload or {})["item_id"])
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BadReply(VECTOR, "a point carries no item id") from error
