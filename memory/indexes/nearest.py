"""Nearest vectors of one user in Postgres: every vector read where that is quick, the HNSW graph where it is not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.backends.utils import CursorWrapper

from memory.inference.base import Vector
from memory.platform.faults import BadReply

# Up to here every vector the filter lets through is read: full recall, 2 ms for 5,000 rows. Left to itself the
# planner takes the graph too early: for 1,000 rows of a user with 100,000 among a million it needed 220 ms and found
# 38 of 50, where reading them takes 1 ms; and without fresh statistics it cannot know at all.
EXACT_UP_TO = 20_000


@dataclass(frozen=True, slots=True)
class NearestRows:
    """Three statements over the same rows. ``count`` needs ``%(most)s``: it stops counting there.

    ``exact`` must hide its order from the graph, as by adding nothing to the distance.
    """

    count: str
    exact: str
    graph: str

    def count_rows(self, cursor: CursorWrapper, values: dict[str, Any]) -> int:
        """How many rows pass, at most one more than are read exactly."""
        cursor.execute(self.count, {**values, "most": EXACT_UP_TO + 1})
        return int(cursor.fetchone()[0])

    def fetch(
        self,
        cursor: CursorWrapper,
        values: dict[str, Any],
        limit: int,
        *,
        is_large: bool,
        before_second: Callable[[], object] = lambda: None,
    ) -> list[tuple[Any, ...]]:
        if is_large:
            cursor.execute(self.graph, values)
            found: list[tuple[Any, ...]] = cursor.fetchall()
            if len(found) >= limit:
                return found
            # The graph gave up before it met enough of this user's rows.
            before_second()
        cursor.execute(self.exact, values)
        return list(cursor.fetchall())


def format_vector(vector: Vector, dimensions: int, dependency: str) -> str:
    """The vector as Postgres reads it. Raises BadReply for a vector that no row can be compared with."""
    if vector.shape != (dimensions,):
        raise BadReply(dependency, f"expected a vector of {dimensions} dimensions, got {vector.shape}")
    if not np.isfinite(vector).all():
        raise BadReply(dependency, "the vector holds a value that is not a finite number")
    # Half precision keeps eleven bits; five digits are more than it can hold.
    return "[" + ",".join([f"{value:.5g}" for value in vector.tolist()]) + "]"
