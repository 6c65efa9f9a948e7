"""Shortest paths between two entities, along memories that name both of two neighbours.

Looked for in Postgres, not in networkx: from both ends a path takes some six look-ups in an index. Among 50,000 edges
that took 4 to 93 ms, where handing every edge to the library first took 290 to 650.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection

from knowledge_graph.queries import browsing
from memory.access.scope import user_scope
from memory.models import EndUser

# The longest path; entities further apart count as unconnected.
LONGEST = 6
# Entities looked at in one step, the most strongly connected first.
WIDEST = 2_000

STEP = """
SELECT source, target, kind, weight FROM graph_edge
WHERE user_id = %(user)s AND source = ANY(%(from)s)
UNION ALL
SELECT target, source, kind, weight FROM graph_edge
WHERE user_id = %(user)s AND target = ANY(%(from)s)
ORDER BY 4 DESC, 1, 2, 3 LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True)
class PathStep:
    """From one entity to the next."""

    source: str
    target: str
    kind: str
    weight: int


@dataclass(frozen=True, slots=True)
class EntityPath:
    """A path between two entities; ``steps`` is None when they are not connected. ``labels`` are the names on it."""

    start: str
    end: str
    steps: list[PathStep] | None
    labels: dict[str, str]


def find_entity_path(user: EndUser, start: str, end: str) -> EntityPath | None:
    """The path between two entities by their names; None when either is unknown."""
    with user_scope(user):
        first, last = browsing.find_entity(user, start), browsing.find_entity(user, end)
        if first is None or last is None:
            return None
        steps = find_shortest_path(user, first.key, last.key)
        keys = {first.key, last.key, *(step.target for step in steps or ())}
        return EntityPath(first.key, last.key, steps, browsing.load_labels(user, keys))


def find_shortest_path(user: EndUser, start: str, end: str) -> list[PathStep] | None:
    """The steps between two entities, empty if they are the same; None if there is no path within the limit."""
    # Breadth first from both ends, always expanding the smaller frontier: one well-known entity has thousands of edges.
    if start == end:
        return []
    reached: tuple[dict[str, PathStep | None], dict[str, PathStep | None]] = ({start: None}, {end: None})
    frontiers: tuple[list[str], list[str]] = ([start], [end])
    with user_scope(user):
        for _ in range(LONGEST):
            side = 0 if len(frontiers[0]) <= len(frontiers[1]) else 1
            found = expand_frontier(user, frontiers[side], reached[side])
            if meeting := next((key for key in found if key in reached[1 - side]), None):
                return join_paths(meeting, reached)
            if not found:
                return None
            frontiers[side][:] = found
    return None


def expand_frontier(user: EndUser, frontier: list[str], reached: dict[str, PathStep | None]) -> list[str]:
    """The new entities one step further, each with the step that reached it."""
    with connection.cursor() as cursor:
        cursor.execute(STEP, {"user": user.pk, "from": frontier, "most": WIDEST})
        rows = cursor.fetchall()
    new = []
    for source, target, kind, weight in rows:
        if target not in reached:
            reached[target] = PathStep(source, target, kind, weight)
            new.append(target)
    return new


def join_paths(
    meeting_key: str, reached: tuple[Mapping[str, PathStep | None], Mapping[str, PathStep | None]]
) -> list[PathStep]:
    path: list[PathStep] = []
    key = meeting_key
    while (step := reached[0][key]) is not None:
        path.insert(0, step)
        key = step.source
    key = meeting_key
    while (step := reached[1][key]) is not None:
        # Steps found from the other end are reversed.
        path.append(PathStep(step.target, step.source, step.kind, step.weight))
        key = step.source
    return path
