"""Compares the question with what was found by its words before the worker has embedded it.

A memory is searchable by words the moment it is stored and by meaning seconds later. Until then its nearness is
unknown: in a store of four "The ladder is in the shed" stood behind "I live in Zurich." when asked where the ladder is.
What was stored last is compared whether or not it shares a word with the question: "What can I cook?" shares none with
"I'm a vegetarian."
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
from memory.retrieval.candidates import RowFilter, list_newest_waiting
from memory.retrieval.emphasis import choose_emphasis
from memory.retrieval.fusion import FusedMatch
from memory.retrieval.pool import Candidate, Pool
from memory.retrieval.query import Query
from memory.retrieval.results import SearchDebug

STAGE = "unindexed"
# The best by their words. What is embedded here is found in the cache when the worker comes to it, so nothing is done
# twice; but a search waits for it, some 6 ms a text.
MOST = 4
# Of what was stored last, that the words did not find: what one turn leaves, the exchange and what was read in it.
NEWEST = 4
# A longer text takes the embedder longer than a search may wait.
MOST_CHARS = 1_500


def add_newest(rows: RowFilter, matches: Sequence[FusedMatch], vector: QuestionVector | None) -> list[FusedMatch]:
    """The matches with the newest memories that no index has yet. In the user's scope."""
    if not is_comparable(vector):
        return list(matches)
    found = {match.id for match in matches}
    newest = list_newest_waiting(rows, NEWEST, MOST_CHARS)
    return [*matches, *(FusedMatch(item_id) for item_id in newest if item_id not in found)]


def compare_unindexed(
    user: EndUser, query: Query, pool: Pool, vector: QuestionVector | None, debug: SearchDebug, deadline: Deadline
) -> Pool:
    """Set the distance of those that are not in the vector index yet: of the best, and of the newest. What could not be
    compared and shares no word with the question is left out. With no transaction open."""
    waiting = choose_waiting(pool)
    if vector is None or not waiting or not is_comparable(vector):
        return pool
    known: dict[UUID, float] = {}
    if not deadline.is_expired:
        known = debug.attempt(STAGE, lambda: measure_distances(user, query, waiting, vector, deadline), known)
    for candidate in waiting:
        candidate.distance = known.get(candidate.memory.id)
    unknown = {one.memory.id for one in waiting if one.distance is None and one.text_rank is None}
    if not unknown:
        return pool
    return Pool([one for one in pool if one.memory.id not in unknown], pool.now, pool.words, pool.advice)


def is_comparable(vector: QuestionVector | None) -> bool:
    """Whether the question was embedded by the model that embeds what is stored."""
    return vector is not None and vector.model == memory_conf().embedding.model


def choose_waiting(pool: Pool) -> list[Candidate]:
    """Candidates that no index has yet: the best by their words, and of those without any match the newest."""
    waiting = [one for one in pool if one.memory.is_waiting and one.distance is None]
    short = [one for one in waiting if len(one.memory.text) <= MOST_CHARS]
    worded = sorted((one for one in short if one.text_rank is not None), key=lambda one: one.text_rank or 0)
    newest = sorted((one for one in short if one.text_rank is None), key=lambda one: one.memory.occurred_at)
    return [*worded[:MOST], *newest[-NEWEST:]]


def measure_distances(
    user: EndUser, query: Query, waiting: Sequence[Candidate], question: QuestionVector, deadline: Deadline
) -> dict[UUID, float]:
    """The distance of each by its id, on the scale of the index. Raises Unavailable."""
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
