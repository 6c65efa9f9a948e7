"""Candidate generation: vector and lexical search beside each other, each with its own deadline."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from memory.access.confinement import see_current_scope
from memory.access.membership import act_as_member
from memory.access.spaces import SpaceAccess
from memory.conf import memory_conf
from memory.embedding_conf import EmbeddingConf
from memory.indexes import lexical_index, vector_index
from memory.indexes.answering import choose_question_model
from memory.indexes.base import IndexFilter, LexicalMatch, VectorMatch, VectorShape
from memory.inference import choose_embedder
from memory.inference.base import EncodedQuery, QuestionVector, Vector
from memory.models import EndUser
from memory.models.spaces import is_space
from memory.platform.deadline import Deadline
from memory.platform.threads import run_in_thread
from memory.retrieval import late
from memory.retrieval.crowding import measure_crowding
from memory.retrieval.emphasis import choose_emphasis
from memory.retrieval.fusion import FusedMatch, merge_rankings
from memory.retrieval.query import Query
from memory.retrieval.results import LEXICAL, VECTOR, SearchDebug, SearchRequest
from memory.tiers import Tier

CROWDING = "crowding"


@dataclass(frozen=True, slots=True)
class FoundMatches:
    """``vector`` is the question's; None where it was not embedded. ``encoded`` has its tokens too, where offered."""

    matches: list[FusedMatch]
    # Whose those of spaces are, by id.
    owners: dict[uuid.UUID, int]
    encoded: EncodedQuery | None
    vector: QuestionVector | None

    def list_of(self, partition: int, user: EndUser) -> list[FusedMatch]:
        """Those of the user, or of one of their spaces."""
        return [match for match in self.matches if self.owners.get(match.id, user.pk) == partition]


def find_matches(
    user: EndUser,
    query: Query,
    request: SearchRequest,
    debug: SearchDebug,
    deadline: Deadline,
    spaces: Sequence[SpaceAccess] = (),
) -> FoundMatches:
    """What either index found, and the question as the models have it. What was deleted since is left out where the
    rows are read.

    The words are looked for while the question is embedded and the nearest are read.
    """
    with act_as_member(user.pk):
        return find_in_partitions(
            user, query, request, debug, deadline, [user.pk, *(space.space_id for space in spaces)]
        )


def find_in_partitions(
    user: EndUser,
    query: Query,
    request: SearchRequest,
    debug: SearchDebug,
    deadline: Deadline,
    partitions: Sequence[int],
) -> FoundMatches:
    index_filters = [build_index_filter(partition, request) for partition in partitions]
    owners: dict[uuid.UUID, int] = {}
    # Beside the embedding: p50 fell from 30 to 27 ms at 10,000 memories on two cores.
    word_search = run_in_thread(
        LEXICAL, partial(search_words, index_filters, query, request, debug, deadline, owners), deadline
    )
    model = choose_question_model(deadline)
    # Tokens are kept of one model alone, and while another takes over of some turns only.
    is_settled = model.model == memory_conf().embedding.model
    encoded = late.encode_question(query, request, debug, deadline) if is_settled else None
    vector_matches, vector = search_meaning(index_filters, query, request, debug, deadline, model, encoded, owners)
    matches: list[LexicalMatch] = debug.skip_on_failure(LEXICAL, word_search, [])
    worded = [(match.id, match.score) for match in matches]
    crowding = find_crowding(user, query, [item_id for item_id, _ in vector_matches], model, debug, deadline)
    found = merge_rankings(vector_matches, worded, memory_conf().ranking.rrf_k, crowding)
    return FoundMatches(found, owners, encoded, vector)


def search_words(
    index_filters: Sequence[IndexFilter],
    query: Query,
    request: SearchRequest,
    debug: SearchDebug,
    deadline: Deadline,
    owners: dict[uuid.UUID, int],
) -> list[LexicalMatch]:
    """Raises Unavailable."""
    conf = memory_conf()
    if not query.text or LEXICAL not in request.stages or not conf.flags["bm25"]:
        return []
    depth, time_left = choose_depth(request), deadline.slice(conf.deadlines.lexical_s)
    found: list[LexicalMatch] = []
    with debug.time_stage(LEXICAL):
        for index_filter in index_filters:
            matches = lexical_index().search(query.search_text, index_filter, depth, time_left)
            note_owner(owners, index_filter, [match.id for match in matches])
            found += matches
    # One list of each index, as it gave it, unless there are several to be put in order.
    return found if len(index_filters) == 1 else sorted(found, key=lambda match: -match.score)


def note_owner(owners: dict[uuid.UUID, int], index_filter: IndexFilter, ids: Sequence[uuid.UUID]) -> None:
    if is_space(index_filter.user_id):
        owners.update(dict.fromkeys(ids, index_filter.user_id))


def search_meaning(
    index_filters: Sequence[IndexFilter],
    query: Query,
    request: SearchRequest,
    debug: SearchDebug,
    deadline: Deadline,
    model: EmbeddingConf,
    encoded: EncodedQuery | None,
    owners: dict[uuid.UUID, int],
) -> tuple[list[tuple[uuid.UUID, float]], QuestionVector | None]:
    """The nearest, and the question's vector. ``encoded`` is the question as the model has it, where that is known."""
    if VECTOR not in request.stages:
        debug.vector_stage_status = "disabled_config"
        return [], None
    if not query.text:
        return [], None
    return search_nearest(query, index_filters, choose_depth(request), debug, deadline, model, encoded, owners)


def choose_depth(request: SearchRequest) -> int:
    """How many candidates each index is asked for."""
    ranking = memory_conf().ranking
    # Deeper pools (200 each) gained nothing, shallower ones (50) lost .007 of R@10.
    return max(ranking.candidates_floor, request.limit * ranking.candidates_factor)


def build_index_filter(partition: int, request: SearchRequest) -> IndexFilter:
    return IndexFilter(
        partition,
        frozenset(request.tiers) if request.tiers else None,
        request.statuses,
        request.conditions,
        see_current_scope() if request.scope is None else request.scope,
    )


def search_nearest(
    query: Query,
    index_filters: Sequence[IndexFilter],
    depth: int,
    debug: SearchDebug,
    deadline: Deadline,
    model: EmbeddingConf,
    encoded: EncodedQuery | None,
    owners: dict[uuid.UUID, int],
) -> tuple[list[tuple[uuid.UUID, float]], QuestionVector | None]:
    """The nearest to the question, or to any of the questions it is made of, nearest first; and its vector."""
    conf, emphasis = memory_conf(), choose_emphasis(query, model)

    def embed_parts() -> list[Vector]:
        time_left = deadline.slice(conf.deadlines.embed_s)
        service, text = choose_embedder(model.model), late.choose_embedded_text(query, model)
        if encoded is None:
            return service.embed_queries([text, *query.parts], time_left)
        return [encoded.vector, *service.embed_queries(query.parts, time_left)]

    def search() -> list[VectorMatch]:
        time_left = deadline.slice(conf.deadlines.vector_s)
        is_fair, shape = conf.ranking.tier_fairness, VectorShape.of_model(model)
        found: list[VectorMatch] = []
        for vector in map(emphasis.weigh, vectors):
            for whole in index_filters:
                for filter in split_by_tier(whole) if is_fair else [whole]:
                    matches = vector_index().search(vector, filter, depth, time_left, shape=shape)
                    note_owner(owners, filter, [match.id for match in matches])
                    found += matches
        return found

    vectors: list[Vector] = debug.attempt("embed", embed_parts, [])
    matches: list[VectorMatch] = debug.attempt(VECTOR, search, []) if vectors else []
    near = [(item_id, emphasis.read_distance(distance)) for item_id, distance in merge_matches(matches)]
    return near, QuestionVector(vectors[0], model.model) if vectors else None


def find_crowding(
    user: EndUser,
    query: Query,
    ids: Sequence[uuid.UUID],
    model: EmbeddingConf,
    debug: SearchDebug,
    deadline: Deadline,
) -> dict[uuid.UUID, float]:
    """Of remarks, how crowded it is around each of the nearest."""
    if not query.is_remark or not ids:
        return {}
    time_left = deadline.slice(memory_conf().deadlines.late_s)

    def measure() -> dict[uuid.UUID, float]:
        return measure_crowding(vector_index().fetch_vectors(user.pk, ids, time_left), choose_emphasis(query, model))

    return debug.attempt(CROWDING, measure, {})


def split_by_tier(index_filter: IndexFilter) -> list[IndexFilter]:
    """One filter a tier: then a large tier does not crowd out a small one before anything is ranked."""
    tiers = index_filter.tiers if index_filter.tiers is not None else frozenset(Tier)
    return [replace(index_filter, tiers=frozenset({tier})) for tier in sorted(tiers)]


def merge_matches(matches: Sequence[VectorMatch]) -> list[tuple[uuid.UUID, float]]:
    """Each id once, with its smallest distance, ordered by distance, then id."""
    least: dict[uuid.UUID, float] = {}
    for match in matches:
        least[match.id] = min(match.distance, least.get(match.id, match.distance))
    return sorted(least.items(), key=lambda pair: (pair[1], pair[0]))
