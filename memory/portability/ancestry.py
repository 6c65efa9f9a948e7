"""Whether anything descends from itself: what follows descent upwards must come to an end."""

import sqlite3
from array import array
from collections.abc import Sequence

# Only those rows whose ancestor is in the file as well; a row that is gone is nobody's descendant.
EDGES = """
SELECT child.place, parent.place FROM descent
JOIN place AS child ON child.id = descent.id JOIN place AS parent ON parent.id = descent.ancestor
WHERE descent.type = ? ORDER BY parent.place
"""


def find_cycle(store: sqlite3.Connection, kind: str) -> bytes | None:
    """The id of a row that descends from itself, None when there is none."""
    store.execute("DROP TABLE IF EXISTS place")
    store.execute("CREATE TEMP TABLE place (place INTEGER PRIMARY KEY, id BLOB UNIQUE)")
    store.execute("INSERT INTO place (id) SELECT DISTINCT id FROM descent WHERE type = ?", (kind,))
    children, parents = array("L"), array("L")
    for child, parent in store.execute(EDGES, (kind,)):
        children.append(child)
        parents.append(parent)
    left = find_circular(children, parents)
    return store.execute("SELECT id FROM place WHERE place = ?", (left,)).fetchone()[0] if left else None


def find_circular(children: Sequence[int], parents: Sequence[int]) -> int:
    """One that is part of a circle or descends from one, 0 for none. Takes out whoever has no ancestor left.

    ``parents`` is in order, so that the children of one stand side by side.
    """
    most = max(max(children, default=0), max(parents, default=0))
    waiting = array("L", bytes(array("L").itemsize * (most + 1)))
    first: dict[int, int] = {}
    for place, (child, parent) in enumerate(zip(children, parents, strict=True)):
        waiting[child] += 1
        first.setdefault(parent, place)
    free = [one for one in first if not waiting[one]]
    while free:
        parent = free.pop()
        place = first[parent]
        while place < len(parents) and parents[place] == parent:
            waiting[children[place]] -= 1
            if not waiting[children[place]] and children[place] in first:
                free.append(children[place])
            place += 1
    return next((child for child in children if waiting[child]), 0)
