"""Finds the bank item that a text duplicates, by its vector."""

import uuid

import structlog

from memory.conf import memory_conf
from memory.indexes import vector_index
from memory.indexes.base import IndexFilter
from memory.inference import embedder
from memory.inference.base import Vector
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import Unavailable
from memory.scoring import similarity
from memory.tiers import Tier

logger = structlog.get_logger(__name__)

# Of a text that says the same: 1 / (1 + distance), which is a cosine of 0.969.
DUPLICATE_SIMILARITY = 0.80


def find_near_duplicate(
    user: EndUser, text: str, deadline: Deadline, *, besides: uuid.UUID | None = None
) -> uuid.UUID | None:
    """The bank item within the duplicate distance of a text; None also when the index is unavailable.

    ``besides`` is the item the text is for. Without an answer the write goes on: exact duplicates are still found by
    their hash.
    """
    try:
        [vector] = embedder().embed_passages([text], deadline.slice(memory_conf().deadlines.embed_s))
    except Unavailable as error:
        logger.info("bank duplicate check skipped", dependency=error.dependency, reason=error.reason)
        return None
    return find_duplicate_by_vector(user, vector, deadline, besides=besides)


def find_duplicate_by_vector(
    user: EndUser, vector: Vector, deadline: Deadline, *, besides: uuid.UUID | None = None
) -> uuid.UUID | None:
    """The same for a text that is embedded already."""
    time_left = deadline.slice(memory_conf().deadlines.vector_s)
    try:
        # Two, as the nearest may be the item itself.
        found = vector_index().search(vector, IndexFilter(user.pk, frozenset({Tier.MEMORY_BANK})), 2, time_left)
    except Unavailable as error:
        logger.info("bank duplicate check skipped", dependency=error.dependency, reason=error.reason)
        return None
    near = [one for one in found if one.id != besides]
    if not near:
        return None
    distance = memory_conf().embedding.calibrate_distance(near[0].distance)
    return near[0].id if similarity(distance) >= DUPLICATE_SIMILARITY else None
