"""Finds the bank item that a text duplicates, by its vector."""

import uuid

import structlog

from memory.access.confinement import RowScope, ScopeFilter
from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.indexes import vector_index
from memory.indexes.answering import choose_question_model
from memory.indexes.base import IndexFilter, VectorShape
from memory.inference import choose_embedder
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
    user: EndUser, text: str, scope: RowScope, deadline: Deadline, *, besides: uuid.UUID | None = None
) -> uuid.UUID | None:
    """The bank item of a scope within the duplicate distance of a text; None also when the index is unavailable.

    ``besides`` is the item the text is for. Without an answer the write goes on: exact duplicates are still found by
    their hash.
    """
    model = choose_question_model(deadline)
    try:
        service = choose_embedder(model.model)
        [vector] = service.embed_passages([text], deadline.slice(memory_conf().deadlines.embed_s))
    except Unavailable as error:
        logger.info("bank duplicate check skipped", dependency=error.dependency, reason=error.reason)
        return None
    return find_duplicate_by_vector(user, vector, scope, deadline, besides=besides, model=model)


def find_duplicate_by_vector(
    user: EndUser,
    vector: Vector,
    scope: RowScope,
    deadline: Deadline,
    *,
    model: EmbeddingConf,
    besides: uuid.UUID | None = None,
) -> uuid.UUID | None:
    """The same for a text that a model has embedded already."""
    time_left = deadline.slice(memory_conf().deadlines.vector_s)
    try:
        # Two, as the nearest may be the item itself.
        bank = IndexFilter(user.pk, frozenset({Tier.MEMORY_BANK}), scope=ScopeFilter.only(scope))
        found = vector_index().search(vector, bank, 2, time_left, shape=VectorShape.of_model(model))
    except Unavailable as error:
        logger.info("bank duplicate check skipped", dependency=error.dependency, reason=error.reason)
        return None
    near = [one for one in found if one.id != besides]
    if not near:
        return None
    distance = model.calibrate_distance(near[0].distance)
    return near[0].id if similarity(distance) >= DUPLICATE_SIMILARITY else None
