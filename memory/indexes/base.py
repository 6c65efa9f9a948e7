"""The two index ports and the values that cross them.

An index is rebuilt from Postgres and never believed: every id it returns is read again from the rows. Distances are
Euclidean on unit vectors, nearest first, ties by id; lexical scores are higher for better, ties by id. When an engine
fails, is late or holds something unusable, the adapter raises `Unavailable` and nothing else.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from memory.inference.base import Vector
from memory.resilience import Deadline

ACTIVE_ONLY = frozenset({"active"})


def require_user(user_id: int | None) -> int:
    """The id itself. An index asked without a user must fail, not answer for everybody."""
    if isinstance(user_id, bool) or not isinstance(user_id, int) or user_id <= 0:
        raise ValueError(f"an index is asked for one user, not for {user_id!r}")
    return user_id


@dataclass(frozen=True, slots=True)
class Point:
    """One memory as a vector index holds it. `vector_hash` tells whether the vector is still the right one."""

    id: UUID
    user_id: int
    tier: str
    status: str
    vector: Vector
    vector_hash: str

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

    def ensure(self) -> None:
        """Make what is missing. Raises BadReply when what exists has another size or metric."""

    def upsert(self, points: Sequence[Point], deadline: Deadline) -> None:
        """Write the points, replacing those with the same id. All users of a call may differ."""

    def set_payload(
        self,
        user_id: int,
        ids: Collection[UUID],
        *,
        tier: str | None = None,
        status: str | None = None,
        deadline: Deadline,
    ) -> None:
        """Change tier or status without the vector. Ids that are not there are passed over."""

    def delete(self, user_id: int, ids: Collection[UUID], deadline: Deadline) -> None:
        """Remove the points of this user. Ids that are not there are passed over."""

    def search(self, vector: Vector, filter: Filter, limit: int, deadline: Deadline) -> list[Match]:
        """The nearest `limit` of what the filter lets through, or all of it when it is fewer."""

    def scroll(self, user_id: int) -> Iterator[tuple[UUID, str]]:
        """Every id of the user with its vector hash, whatever its status, in no particular order."""

    def erase(self, user_id: int) -> None:
        """Remove everything of this user."""

    def state(self) -> IndexState:
        """Never raises."""

    def close(self) -> None:
        """Let go of connections."""


class LexicalIndex(Protocol):
    """Memories of one user that share words with a query."""

    def search(self, query: str, filter: Filter, limit: int, deadline: Deadline) -> list[LexicalMatch]:
        """The best `limit` matches; none when the query has no word."""
