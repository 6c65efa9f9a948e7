"""A collection of Qdrant: its shape, its alias, and how its failures are told."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import httpx
from qdrant_client import QdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from memory.indexes.base import IndexState
from memory.platform import http
from memory.platform.breakers import get_breaker
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected, Unavailable

T = TypeVar("T")

VECTOR = "vector"
# Euclidean on unit vectors, as everywhere else: what Qdrant calls the score is then the distance itself.
METRIC = models.Distance.EUCLID
# Fields that filters name, and whether each value is a world of its own.
PAYLOAD_INDEXES = {"user_id": True, "tier": False, "status": False, "agent_id": False, "project_id": False}
STATE_TIMEOUT_S = 1.0
ENSURE_TIMEOUT_S = 10.0
TRANSIENT_STATUSES = frozenset({408, 429})
# What the client lets through when a reply is no JSON, or not the JSON it takes for granted.
PARSE_ERRORS = (ValueError, TypeError, KeyError, AttributeError, AssertionError, RecursionError)
UNEXPECTED_REPLY = "Qdrant's reply has not the promised form"


class CollectionMissing(RequestRejected):
    """The collection is not there."""


class QdrantCollection:
    """The collection itself: its shape, and how its failures are told."""

    def __init__(self, client: QdrantClient, name: str, dimensions: int) -> None:
        self.name = name
        self.dimensions = dimensions
        self._client = client

    def ensure(self) -> None:
        """Made whole also where whoever began to make it was cut off."""
        deadline = Deadline(ENSURE_TIMEOUT_S)
        try:
            info = self.ask(self._describe, deadline)
        except CollectionMissing:
            self.ask(self._create, deadline)
            info = self.ask(self._describe, deadline)
        if problem := self._problem(info):
            raise BadReply(VECTOR, problem)
        for name in PAYLOAD_INDEXES:
            if name not in (info.payload_schema or {}):
                self.ask(partial(self._create_payload_index, name), deadline)

    def point_alias(self, alias: str, deadline: Deadline) -> None:
        """Both steps are one request: no search falls between them."""
        turn: list[models.AliasOperations] = [
            models.DeleteAliasOperation(delete_alias=models.DeleteAlias(alias_name=alias)),
            models.CreateAliasOperation(create_alias=models.CreateAlias(collection_name=self.name, alias_name=alias)),
        ]
        self.ask(lambda: self._client.update_collection_aliases(turn), deadline)

    def has_alias(self, alias: str, deadline: Deadline) -> bool:
        """Whether the alias exists, wherever it points."""
        known = self.ask(self._client.get_aliases, deadline)
        return any(entry.alias_name == alias for entry in known.aliases)

    def state(self, name: str) -> IndexState:
        try:
            info = self.ask(lambda: self._client.get_collection(name), Deadline(STATE_TIMEOUT_S))
            problem, points = self._problem(info), info.points_count
        except Unavailable as error:
            problem, points = error.reason, None
        return IndexState(
            ok=problem is None, backend="qdrant", dimensions=self.dimensions, points=points, problem=problem
        )

    def call(self, ask: Callable[[], T], deadline: Deadline) -> T:
        deadline.require(VECTOR)
        return get_breaker(VECTOR).call(lambda: self.ask(ask, deadline))

    def ask(self, ask: Callable[[], T], deadline: Deadline) -> T:
        try:
            with http.limit_to_deadline(deadline):
                return ask()
        except UnexpectedResponse as error:
            raise self._build_refusal(error.status_code or 0, error.content) from error
        except ResponseHandlingException as error:
            raise _wrap_unreadable(error.source) from error
        except (ApiException, QdrantException, httpx.HTTPError) as error:
            raise Unavailable(VECTOR, str(error) or type(error).__name__) from error
        except PARSE_ERRORS as error:
            # A missing collection is a plain ValueError in the client's local mode.
            if "not found" in str(error):
                raise CollectionMissing(VECTOR, str(error)) from error
            raise BadReply(VECTOR, UNEXPECTED_REPLY) from error

    def _build_refusal(self, status: int, reason: bytes) -> Unavailable:
        if status == 400 and b"dimension error" in reason:
            return BadReply(VECTOR, f"the collection {self.name} has other dimensions than {self.dimensions}")
        if status == 404:
            return CollectionMissing(VECTOR, f"the collection {self.name} is missing: rebuild the index")
        if 400 <= status < 500 and status not in TRANSIENT_STATUSES:
            return RequestRejected(VECTOR, f"Qdrant refused the request ({status})")
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

    def _create_payload_index(self, name: str) -> None:
        if is_local(self._client):
            return  # it has no payload indexes and warns about each
        schema = models.KeywordIndexParams(
            type=models.KeywordIndexType.KEYWORD, is_tenant=PAYLOAD_INDEXES[name] or None
        )
        self._client.create_payload_index(self.name, name, field_schema=schema, wait=True)


def is_local(client: QdrantClient) -> bool:
    """Whether this is the client's own mode without a server, as tests use it."""
    return not client.init_options.get("url")


def _wrap_unreadable(source: Exception) -> Unavailable:
    if isinstance(source, httpx.TimeoutException):
        return Unavailable(VECTOR, "Qdrant did not answer in time")
    if isinstance(source, httpx.HTTPError):
        return Unavailable(VECTOR, str(source) or type(source).__name__)
    return BadReply(VECTOR, UNEXPECTED_REPLY)
