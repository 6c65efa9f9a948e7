"""Compares the question with what was found by its words before the worker has embedded it.

A memory is searchable by words the moment it is stored and by meaning seconds later. Until then its nearness is
unknown: in a store of four "The ladder is in the shed" stood behind "I live in Zurich." when asked where the ladder is.
"""

import math
from collections.abc import Sequence
from uuid import UUID

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.indexing.passages import build_passage
from memory.inference import embedder
from memory.inference.base import QuestionVector
from memory.models import EndUser, MemoryItem
from memory.platform.deadline import Deadline
from memory.retrieval.emphasis import choose_emphasis
from memory.retrieval.pool import Candidate, Pool
from memory.retrieval.query import Query
from memory.retrieval.results import SearchDebug

STAGE = "unindexed"
# The best by their words. What is embedded here is found in the cache when the worker comes to it, so nothing is done
# twice; but a search waits for it, some 6 ms a text.
MOST = 4
# A longer text takes the embedder longer than a search may wait.
MOST_CHARS = 1_500


def compare_unindexed(
    user: EndUser, query: Query, pool: Pool, vector: QuestionVector | None, debug: SearchDebug, deadline: Deadline
) -> None:
    """Set the distance of the best candidates that are not in the vector index yet. With no transaction open."""
    waiting = choose_waiting(pool)
    if vector is None or not waiting or vector.model != memory_conf().embedding.model or deadline.is_expired:
        return
    known: dict[UUID, float] = {}
    distances = debug.attempt(STAGE, lambda: measure_distances(user, query, waiting, vector, deadline), known)
    for candidate in waiting:
        candidate.distance = distances.get(candidate.memory.id)


def choose_waiting(pool: Pool) -> list[Candidate]:
    waiting = [one for one in pool if one.memory.is_waiting and one.distance is None and one.text_rank is not None]
    short = [one for one in waiting if len(one.memory.text) <= MOST_CHARS]
    return sorted(short, key=lambda one: one.text_rank or 0)[:MOST]


def measure_distances(
    user: EndUser, query: Query, waiting: Sequence[Candidate], question: QuestionVector, deadline: Deadline
) -> dict[UUID, float]:
    """By id, on the scale of the index's own. Raises Unavailable."""
    conf = memory_conf()
    emphasis = choose_emphasis(query, conf.embedding)
    asked = emphasis.weigh(question.vector)
    with user_scope(user):
        items = list(MemoryItem.objects.for_user(user).filter(pk__in=[one.memory.id for one in waiting]))
    texts = ["".join(build_passage(item)) for item in items]
    vectors = embedder().embed_passages(texts, deadline.slice(conf.deadlines.embed_s)) if texts else []
    return {
        item.pk: emphasis.read_distance(math.sqrt(max(0.0, 2.0 - 2.0 * float(asked @ vector))))
        for item, vector in zip(items, vectors, strict=True)
    }
