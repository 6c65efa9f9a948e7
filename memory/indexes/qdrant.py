"""Vectors in Qdrant: one collection for everybody, each query bound to one user by a filter it cannot leave out."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, Self, TypeVar
from uuid import UUID, uuid5

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from memory import http
from memory.conf import MemoryConf
from memory.indexes.base import Filter, IndexState, Match, Point, require_user
from memory.inference.base import Vector
from memory.resilience import BadReply, Deadline, Rejected, Unavailable, breaker

T = TypeVar("T")

VECTOR = "vector"
# Euclidean on unit vectors, as everywhere else: what Qdrant calls the score is then the distance itself.
METRIC = models.Distance.EUCLID
PAGE = 1000
UPSERT_BATCH = 256
SEARCH_BREADTH = 128
STATE_TIMEOUT_S = 1.0
ENSURE_TIMEOUT_S = 10.0
NOT_OUR_FAULT = frozenset({408, 429})
# What the client lets through when a reply is no JSON, or not the JSON it takes for granted.
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, AssertionError, RecursionError)
UNEXPECTED = "Qdrant's reply has not the promised form"


class _Missing(Rejected):
    """The collection is not there."""


class _Collection:
    """The collection itself: its shape, and how its failures are told."""

    def __init__(self, client: QdrantClient, name: str, dimensions: int) -> None:
        self.name = name
        self.dimensions = dimensions
        self._client = client

    def ensure(self) -> None:
        deadline = Deadline(ENSURE_TIMEOUT_S)
        try:
            problem = self._problem(self.ask(self._describe, deadline))
        except _Missing:
            self.ask(self._create, deadline)
            problem = self._problem(self.ask(self._describe, deadline))
        if problem:
            raise BadReply(VECTOR, problem)

    def state(self) -> IndexState:
        try:
            info = self.ask(self._describe, Deadline(STATE_TIMEOUT_S))
            problem, points = self._problem(info), info.points_count
        except Unavailable as error:
            problem, points = error.reason, None
        return IndexState(
            ok=problem is None, backend="qdrant", dimensions=self.dimensions, points=points, problem=problem
        )

    def call(self, ask: Callable[[], T], deadline: Deadline) -> T:
        deadline.require(VECTOR)
        return breaker(VECTOR).call(lambda: self.ask(ask, deadline))

    def ask(self, ask: Callable[[], T], deadline: Deadline) -> T:
        try:
            with http.within(deadline):
                return ask()
        except UnexpectedResponse as error:
            raise self._refusal(error.status_code or 0) from error
        except ResponseHandlingException as error:
            raise _broken(error.source) from error
        except (ApiException, QdrantException, httpx.HTTPError) as error:
            raise Unavailable(VECTOR, str(error) or type(error).__name__) from error
        except UNREADABLE as error:
            # A missing collection is a plain ValueError in the client's local mode.
            if "not found" in str(error):
                raise _Missing(VECTOR, str(error)) from error
            raise BadReply(VECTOR, UNEXPECTED) from error

    def _refusal(self, status: int) -> Unavailable:
        if status == 404:
            return _Missing(VECTOR, f"the collection {self.name} is missing: rebuild the index")
        if 400 <= status < 500 and status not in NOT_OUR_FAULT:
            return Rejected(VECTOR, f"Qdrant refused the request ({status})")
        return Unavailable(VECTOR, f"Qdrant answered {status}")

    def _describe(self) -> models.CollectionInfo:
        return self._client.get_collection(self.name)

    def _problem(self, info: models.CollectionInfo) -> str | None:
        params = info.config.params.vectors
        if not isinstance(params, models.VectorParams):
            return f"the collection {self.name} has named vectors, one unnamed vector is expected"
        if params.size != self.dimensions:
            return f"the collection {self.name} has {params.size} dimensions, the model {self.dimensions}"
        if params.distance != METRIC:
            return f"the collection {self.name} measures {params.distance.value}, {METRIC.value} is expected"
        return None

    def _create(self) -> None:
        # No graph over everybody, one per user: no query ever leaves its user.
        per_user = models.HnswConfigDiff(m=0, payload_m=16)
        try:
            self._client.create_collection(
                self.name,
                vectors_config=models.VectorParams(size=self.dimensions, distance=METRIC),
                hnsw_config=per_user,
            )
        except UnexpectedResponse as error:
            if error.status_code != 409:  # another process was first
                raise
        for name, is_tenant in (("user_id", True), ("tier", False), ("status", False)):
            self._create_payload_index(name, is_tenant=is_tenant)

    def _create_payload_index(self, name: str, *, is_tenant: bool) -> None:
        if _is_local(self._client):
            return  # it has no payload indexes and warns about each
        schema = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=is_tenant or None)
        self._client.create_payload_index(self.name, name, field_schema=schema, wait=True)


class QdrantIndex:
    """A VectorIndex over one Qdrant collection."""

    def __init__(self, client: QdrantClient, collection: str, dimensions: int) -> None:
        self.dimensions = dimensions
        self._client = client
        self._collection = _Collection(client, collection, dimensions)
        self.collection = collection

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
        return cls(client, conf.vector.collection, conf.embedding.dimensions)

    def ensure(self) -> None:
        self._collection.ensure()

    def upsert(self, points: Sequence[Point], deadline: Deadline) -> None:
        """A collection that was lost is made again: the rows will fill it."""
        structs = [self._struct(point) for point in points]
        for start in range(0, len(structs), UPSERT_BATCH):
            batch = structs[start : start + UPSERT_BATCH]
            write = partial(self._client.upsert, self.collection, batch, wait=True)
            try:
                self._collection.call(write, deadline)
            except _Missing:
                self._collection.ensure()
                self._collection.call(write, deadline)

    def set_payload(
        self,
        user_id: int,
        ids: Collection[UUID],
        *,
        tier: str | None = None,
        status: str | None = None,
        deadline: Deadline,
    ) -> None:
        changes = {name: value for name, value in (("tier", tier), ("status", status)) if value is not None}
        chosen = _chosen(user_id, ids)
        if changes and ids:
            # By filter and not by ids: an id that is not there would fail the whole call.
            self._collection.call(
                lambda: self._client.set_payload(self.collection, changes, points=chosen, wait=True), deadline
            )

    def delete(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> None:
        chosen = models.FilterSelector(filter=_chosen(user_id, ids))
        if ids:
            self._collection.call(
                lambda: self._client.delete(self.collection, points_selector=chosen, wait=True), deadline
            )

    def search(self, vector: Vector, filter: Filter, limit: int, deadline: Deadline) -> list[Match]:
        components = self._components(vector)
        if filter.matches_nothing or limit <= 0:
            return []
        left = deadline.require(VECTOR)
        breadth = models.SearchParams(hnsw_ef=max(SEARCH_BREADTH, 2 * limit))
        reply = self._collection.call(
            lambda: self._client.query_points(
                self.collection,
                query=components,
                query_filter=_filter(filter),
                limit=limit,
                with_payload=["item_id"],
                search_params=None if _is_local(self._client) else breadth,
                timeout=math.ceil(left) if left != math.inf else None,
            ),
            deadline,
        )
        matches = [Match(_item_id(point.payload), float(point.score)) for point in reply.points]
        if not all(math.isfinite(match.distance) for match in matches):
            raise BadReply(VECTOR, "a distance is not a finite number")
        return sorted(matches, key=lambda match: (match.distance, match.id))

    def scroll(self, user_id: int) -> Iterator[tuple[UUID, str]]:
        own = models.Filter(must=[_owner(user_id)])
        offset: Any = None
        while True:
            read = partial(self._client.scroll, self.collection, own, limit=PAGE, offset=offset)
            records, offset = self._collection.call(
                partial(read, with_payload=["item_id", "vector_hash"]), Deadline.none()
            )
            for record in records:
                yield _item_id(record.payload), str((record.payload or {}).get("vector_hash", ""))
            if offset is None:
                return

    def erase(self, user_id: int) -> None:
        own = models.FilterSelector(filter=models.Filter(must=[_owner(user_id)]))
        try:
            self._collection.call(
                lambda: self._client.delete(self.collection, points_selector=own, wait=True), Deadline.none()
            )
        except _Missing:
            return

    def state(self) -> IndexState:
        return self._collection.state()

    def close(self) -> None:
        self._client.close()

    def _struct(self, point: Point) -> models.PointStruct:
        payload = {
            "user_id": str(point.user_id),
            "item_id": str(point.id),
            "tier": point.tier,
            "status": point.status,
            "vector_hash": point.vector_hash,
        }
        return models.PointStruct(
            id=_point_id(point.user_id, point.id), vector=self._components(point.vector), payload=payload
        )

    def _components(self, vector: Vector) -> list[float]:
        if vector.shape != (self.dimensions,):
            raise BadReply(VECTOR, f"expected a vector of {self.dimensions} dimensions, got {vector.shape}")
        components: list[float] = vector.tolist()
        if not all(map(math.isfinite, components)):
            raise BadReply(VECTOR, "the vector holds a value that is not a finite number")
        return components


def _is_local(client: QdrantClient) -> bool:
    """Whether this is the client's own mode without a server, as tests use it."""
    return not client.init_options.get("url")


def _owner(user_id: int) -> models.FieldCondition:
    return models.FieldCondition(key="user_id", match=models.MatchValue(value=str(require_user(user_id))))


def _chosen(user_id: int, ids: Collection[UUID]) -> models.Filter:
    points = models.HasIdCondition(has_id=[_point_id(user_id, id) for id in ids])
    return models.Filter(must=[_owner(user_id), points])


def _filter(filter: Filter) -> models.Filter:
    must: list[models.Condition] = [
        _owner(filter.user_id),
        models.FieldCondition(key="status", match=models.MatchAny(any=sorted(filter.statuses))),
    ]
    if filter.tiers is not None:
        must.append(models.FieldCondition(key="tier", match=models.MatchAny(any=sorted(filter.tiers))))
    return models.Filter(must=must)


def _point_id(user_id: int, item_id: UUID) -> str:
    """A point of its own for each (user, item), so that no write under one user reaches the point of another."""
    return str(uuid5(item_id, str(user_id)))


def _item_id(payload: dict[str, Any] | None) -> UUID:
    try:
        return UUID((payload or {})["item_id"])
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BadReply(VECTOR, "a point carries no item id") from error


def _broken(source: Exception) -> Unavailable:
    if isinstance(source, httpx.TimeoutException):
        return Unavailable(VECTOR, "Qdrant did not answer in time")
    if isinstance(source, httpx.HTTPError):
        return Unavailable(VECTOR, str(source) or type(source).__name__)
    return BadReply(VECTOR, UNEXPECTED)
