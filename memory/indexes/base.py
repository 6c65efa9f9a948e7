"""The two index ports and the values they exchange.

An index can be rebuilt from Postgres at any time, and every id it returns is read again from the rows. Distances are
Euclidean on unit vectors, nearest first, ties by id; lexical scores are higher for better, of equals the newest said
first, then by id. When an engine fails, is late or returns something unusable, the adapter raises `Unavailable` and
nothing else.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self
from uuid import UUID

from memory.access.confinement import ScopeFilter, see_current_scope
from memory.conf import MemoryConf
from memory.embedding_conf import EmbeddingConf
from memory.inference.base import Vector
from memory.models.conditions import RowConditions
from memory.platform.deadline import Deadline

ACTIVE_ONLY = frozenset({"active"})


def require_user(user_id: int | None) -> int:
    """The id itself. An index queried without a user must fail, not search everybody's data."""
    if isinstance(user_id, bool) or not isinstance(user_id, int) or user_id <= 0:
        raise ValueError(f"an index is asked for one user, not for {user_id!r}")
    return user_id


@dataclass(frozen=True, slots=True)
class VectorShape:
    """What vectors must have in common to be comparable: model, dimensions and passage prefix."""

    model: str
    dimensions: int
    passage_prefix: str = ""

    @classmethod
    def from_conf(cls, conf: MemoryConf) -> Self:
        return cls.of_model(conf.embedding)

    @classmethod
    def of_model(cls, conf: EmbeddingConf) -> Self:
        return cls(conf.model, conf.dimensions, conf.passage_prefix)

    def __str__(self) -> str:
        return f"{self.model} with {self.dimensions} dimensions"


@dataclass(frozen=True, slots=True)
class PayloadChange:
    """What is written to points beside their vectors. With a revision, points of a later one are left alone."""

    tier: str | None = None
    status: str | None = None
    revision: int | None = None

    @property
    def fields(self) -> dict[str, str | int]:
        """By name, without what stays. Empty when neither tier nor status changes: a revision alone is no change."""
        if self.tier is None and self.status is None:
            return {}
        named = (("tier", self.tier), ("status", self.status), ("revision", self.revision))
        return {name: value for name, value in named if value is not None}


@dataclass(frozen=True, slots=True)
class VectorPoint:
    """One memory as a vector index holds it. `vector_hash` tells whether the vector is still the right one.

    `revision` is the item's when it was read. A point is never replaced by one of an earlier revision, so a delayed
    write does no harm when it arrives.
    """

    id: UUID
    user_id: int
    tier: str
    status: str
    vector: Vector
    vector_hash: str
    revision: int = 0
    agent_id: str = ""
    project_id: str = ""

    def __post_init__(self) -> None:
        require_user(self.user_id)


@dataclass(frozen=True, slots=True)
class IndexFilter:
    """Which memories may be found. No tiers means every tier; an empty set of tiers or statuses means none.

    What ``rows`` asks for is compared with the rows themselves, in the search and not after its cut. ``scope`` is what
    the caller's scope sees, unless it is asked for otherwise.
    """

    user_id: int
    tiers: frozenset[str] | None = None
    statuses: frozenset[str] = field(default=ACTIVE_ONLY)
    rows: RowConditions = field(default_factory=RowConditions)
    scope: ScopeFilter = field(default_factory=see_current_scope)

    def __post_init__(self) -> None:
        require_user(self.user_id)

    @property
    def matches_nothing(self) -> bool:
        return not self.statuses or (self.tiers is not None and not self.tiers)


@dataclass(frozen=True, slots=True)
class StoredPoint:
    """What an index stores of one memory, without the vector."""

    id: UUID
    tier: str
    status: str
    vector_hash: str
    revision: int
    dimensions: int


@dataclass(frozen=True, slots=True)
class VectorMatch:
    id: UUID
    distance: float


@dataclass(frozen=True, slots=True)
class LexicalMatch:
    id: UUID
    score: float


@dataclass(frozen=True, slots=True)
class IndexState:
    """The state of an index for the health report. `problem` is a sentence for the operator, or None."""

    ok: bool
    backend: str
    dimensions: int | None
    points: int | None
    problem: str | None


class VectorIndex(Protocol):
    """Nearest memories of one user."""

    @property
    def collection(self) -> str:
        """The name of the collection; an engine can store several."""

    def ensure(self) -> None:
        """Create the collection if it is missing. Raises BadReply if one exists with other dimensions or metric."""

    def upsert(self, points: Sequence[VectorPoint], deadline: Deadline) -> None:
        """Write the points. Those with the same id are replaced unless they are newer. Users may differ."""

    def set_payload(self, user_id: int, ids: Collection[UUID], change: PayloadChange, deadline: Deadline) -> None:
        """Change tier or status without the vector. Ids that are not there are passed over, and so are newer points."""

    def delete(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> None:
        """Remove the points of this user. Ids that are not there are passed over."""

    def search(self, vector: Vector, filter: IndexFilter, limit: int, deadline: Deadline) -> list[VectorMatch]:
        """The nearest `limit` points that pass the filter, or all of them if there are fewer."""

    def scroll(self, user_id: int) -> Iterator[tuple[UUID, str]]:
        """Every id of the user with its vector hash, whatever its status, in no particular order."""

    def fetch_points(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> list[StoredPoint]:
        """What is stored of these ids."""

    def fetch_vectors(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> dict[UUID, Vector]:
        """The vectors of these ids, as far as they are there, in the precision that is kept."""

    def count(self, user_id: int, deadline: Deadline) -> int:
        """How many points the user has, whatever their status."""

    def list_strays(self, user_id: int, *, remove: bool) -> list[UUID]:
        """Points marked as this user's that were not written as such: copies, or points whose owner was changed.
        Returns the ids of their items."""

    def erase(self, user_id: int) -> None:
        """Remove everything of this user."""

    def state(self) -> IndexState:
        """Never raises."""

    def close(self) -> None:
        """Let go of connections."""


class StoredCollection(VectorIndex, Protocol):
    """A vector index that is one collection of an engine and can take the place of another."""

    def make_live(self) -> None:
        """Point the alias to this collection, atomically. Idempotent."""

    def drop(self, users: Iterable[int]) -> None:
        """Remove the collection and its content. `users` are all users, for an engine that sees one at a time.
        Idempotent."""


class VectorEngine(Protocol):
    """An engine that stores collections."""

    backend: str

    def open(self, collection: str, dimensions: int, alias: str = "") -> StoredCollection:
        """A collection by its name; creates nothing. With an alias, searches go where the alias points."""

    def close(self) -> None:
        """Let go of connections."""


class LexicalIndex(Protocol):
    """Memories of one user that share words with a query."""

    def search(self, query: str, filter: IndexFilter, limit: int, deadline: Deadline) -> list[LexicalMatch]:
        """The best `limit` matches; none when the query has no word."""

    def invalidate(self, user_id: int) -> None:
        """Notice that rows of this user were written; called after the commit. Never raises."""
