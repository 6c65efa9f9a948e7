"""Nearest vectors of one user in Postgres: every vector read where that is quick, the HNSW graph where it is not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.backends.utils import CursorWrapper

from memory.inference.base import Vector
from memory.platform.faults import BadReply

# Beyond, the rows of one person are never all read. Left to itself the planner takes the graph too early: for 1,000
# rows of a user with 100,000 among a million it needed 220 ms and found 38 of 50, where reading them takes 1 ms; and
# without fresh statistics it cannot know at all.
EXACT_UP_TO = 20_000
# A row met in the graph takes as long as reading eight of the table (8 µs and 1 µs, of 896 numbers each); and twice as
# many are met where the rows of others lie nearer to the question than these.
MET_COST = 16


@dataclass(frozen=True, slots=True)
class NearestRows:
    """Two statements over the same rows. ``exact`` must hide its order from the graph, as by adding nothing to the
    distance."""

    exact: str
    graph: str

    def fetch(
        self,
        cursor: CursorWrapper,
        values: dict[str, Any],
        limit: int,
        *,
        by_graph: bool,
        before_second: Callable[[], object] = lambda: None,
    ) -> list[tuple[Any, ...]]:
        if by_graph:
            cursor.execute(self.graph, values)
            found: list[tuple[Any, ...]] = cursor.fetchall()
            if len(found) >= limit:
                return found
            # The graph gave up before it met enough of this user's rows.
            before_second()
        cursor.execute(self.exact, values)
        return list(cursor.fetchall())


def is_graph_cheaper(rows: int, table: int, breadth: int) -> bool:
    """Whether the graph finds the nearest of so many rows sooner than reading them all does.

    It is of everybody's rows, ``table`` of them, so for the ``breadth`` that it keeps it meets as many more as these
    are rarer. Of 10,000 rows of one person alone it takes 1.6 ms in place of 9.9, with 989 of 1,000 among the nearest
    hundred and 998 among the nearest twenty.
    """
    return rows > EXACT_UP_TO or rows**2 > MET_COST * breadth * table > 0


def format_vector(vector: Vector, dimensions: int, dependency: str) -> str:
    """The vector as Postgres reads it. Raises BadReply for a vector that no row can be compared with."""
    if vector.shape != (dimensions,):
        raise BadReply(dependency, f"expected a vector of {dimensions} dimensions, got {vector.shape}")
    if not np.isfinite(vector).all():
        raise BadReply(dependency, "the vector holds a value that is not a finite number")
    # Half precision keeps eleven bits; five digits are more than it can hold.
    return "[" + ",".join([f"{value:.5g}" for value in vector.tolist()]) + "]"
