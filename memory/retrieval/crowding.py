"""How crowded it is around what is near to a remark: how near the nearest of the others found are to each.

What is near to many texts is small talk and called to mind by nothing in particular; what explains a remark stands
rather by itself. Reads the vectors of what was found, so it is asked for remarks alone: of questions it gave nothing.
"""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

import numpy as np

from memory.inference.base import Vector
from memory.inference.emphasis import Emphasis

# Of remarks .29 instead of .23 had what they meant among the nearest ten; 10 and 30 neighbours gave as much.
NEIGHBOURS: Final = 5


def measure_crowding(vectors: Mapping[UUID, Vector], emphasis: Emphasis) -> dict[UUID, float]:
    """On the scale of cosines, but for what all have in common; nothing of too few."""
    if len(vectors) <= NEIGHBOURS:
        return {}
    rows = np.array(list(vectors.values()))
    nearness = emphasis.compare_rows(rows)
    np.fill_diagonal(nearness, -np.inf)
    nearest = np.partition(nearness, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:]
    return dict(zip(vectors, nearest.mean(axis=1).tolist(), strict=True))
