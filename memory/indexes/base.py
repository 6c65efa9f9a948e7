"""The two index ports and the values that cross them.

An index is rebuilt from Postgres and never believed: every id it returns is read again from the rows. Distances are
Euclidean on unit vectors, nearest first, ties by id; lexical scores are higher for better, ties by id. When an engine
fails, is late or holds something unusable, the adapter raises `Unavailable` and nothing else.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self
from uuid import UUID

from memory.conf import MemoryConf
from memory.inference.base import Vector
from memory.resilience import Deadline

ACTIVE_ONLY = frozenset({"active"})


def require_user(user_id: int | None) -> int:
    """The id itself. An index asked without a user must fail, not answer for everybody."""
    if isinstance(user_id, bool) or not isinstance(user_id, int) or user_id <= 0:
        raise ValueError(f"an index is asked for one user, not for {user_id!r}")
    return user_id


@dataclass(frozen=True, slots=True)
class Shape:
    """What vectors must share to be comparable: the model they come from, its width, what it was told of passages."""

    model: str
    dimensions: int
    passage_prefix: str = ""

    @classmethod
    def from_conf(cls, conf: MemoryConf) -> Self:
        return cls(conf.embedding.model, conf.embedding.dimensions, conf.embedding.passage_prefix)

    def __str__(self) -> str:
        return f"{self.model} with {self.dimensions} dimensions"


@dataclass(frozen=True, slots=True)
class Point:
    """One memory as a vector index holds it. `vector_hash` tells whether the vector is still the right one.

    `revision` is the item's when it was read. A point is never replaced by one of an earlier revision, so a write that
    was held up somewhere does no harm when it arrives.
    """

    id: UUID
    user_id: int
    tier: str
    status: str
    vector: Vector
    vector_hash: str
    revision: int = 0

    def __post_init__(self) -> None:
        require_user(self.user_id)


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories may be found. No tiers means every tier; an empty set of tiers or statuses means none."""

    user_id: int
    tiers: frozenset[str] | None = None
    statuses: frozenset[str] = field(default=ACTIVE_ONLY)

    def __post_init__(self) -> None:
        require_user(self.user_id)

    @property
    def matches_nothing(self) -> bool:
        return not self.statuses or (self.tiers is not None and not self.tiers)


@dataclass(frozen=True, slots=True)
class Held:
    """What an index holds of one memory, but for the vector."""

    id: UUID
    tier: str
    status: str
    vector_hash: str
    revision: int
    dimensions: int


@dataclass(frozen=True, slots=True)
class Match:
    id: UUID
    distance: float


@dataclass(frozen=True, slots=True)
class LexicalMatch:
    id: UUID
    score: float


@dataclass(frozen=True, slots=True)
class IndexState:
    """What health shows of an index. `problem` is a sentence for the operator, None when all is well."""

    ok: bool
    backend: str
    dimensions: int | None
    points: int | None
    problem: str | None


class VectorIndex(Protocol):
    """Nearest memories of one user."""

    @property
    def collection(self) -> str:
        """The name of what is searched; an engine keeps several beside one another."""

    def ensure(self) -> None:
        """Make what is missing. Raises BadReply when what exists has another size or metric."""

    def upsert(self, points: Sequence[Point], deadline: Deadline) -> None:
        """Write the points, replacing those with the same id but for newer ones. All users of a call may differ."""

    def set_payload(
        self,
        user_id: int,
        ids: Collection[UUID],
        *,
        tier: str | None = None,
        status: str | None = None,
        revision: int | None = None,
        deadline: Deadline,
    ) -> None:
        """Change tier or status without the vector. Ids that are not there are passed over, and so are points newer
        than the revision, if one is given."""

    def delete(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> None:
        """Remove the points of this user. Ids that are not there are passed over."""

    def search(self, vector: Vector, filter: Filter, limit: int, deadline: Deadline) -> list[Match]:
        """The nearest `limit` of what the filter lets through, or all of it when it is fewer."""

    def scroll(self, user_id: int) -> Iterator[tuple[UUID, str]]:
        """Every id of the user with its vector hash, whatever its status, in no particular order."""

    def held(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> list[Held]:
        """What there is of these ids."""

    def count(self, user_id: int, deadline: Deadline) -> int:
        """How many points the user has, whatever their status."""

    def strays(self, user_id: int, *, remove: bool) -> list[UUID]:
        """Points that bear this user's mark and were not written as this user's: copies, or another's points whose
        owner was changed. Returns the items they speak of."""

    def erase(self, user_id: int) -> None:
        """Remove everything of this user."""

    def state(self) -> IndexState:
        """Never raises."""

    def close(self) -> None:
        """Let go of connections."""


class StoredCollection(VectorIndex, Protocol):
    """A vector index that is one collection of an engine and can take the place of another."""

    def make_live(self) -> None:
        """Let searches under the alias come here, in one step. Doing so again changes nothing."""

    def drop(self, users: Iterable[int]) -> None:
        """Remove the collection with all that is in it. `users` are all there are, for an engine that sees one user
        at a time. Doing so again changes nothing."""


class VectorEngine(Protocol):
    """What keeps collections."""

    backend: str

    def open(self, collection: str, dimensions: int, alias: str = "") -> StoredCollection:
        """A collection by its name; makes nothing. With an alias, searches go where the alias points."""

    def close(self) -> None:
        """Let go of connections."""


class LexicalIndex(Protocol):
    """Memories of one user that share words with a query."""

    def search(self, query: str, filter: Filter, limit: int, deadline: Deadline) -> list[LexicalMatch]:
        """The best `limit` matches; none when the query has no word."""

    def changed(self, user_id: int) -> None:
        """Rows of this user were written; told after the commit. Never raises."""
