"""Candidate generation: vector and lexical search beside each other, each with its own deadline."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from memory.conf import EmbeddingConf, memory_conf
from memory.indexes import lexical_index, vector_index
from memory.indexes.answering import choose_question_model
from memory.indexes.base import IndexFilter, LexicalMatch, VectorMatch, VectorShape
from memory.indexes.ghosts import ghost_registry
from memory.inference import choose_embedder
from memory.inference.base import EncodedQuery, QuestionVector, Vector
from memory.models import EndUser
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
    encoded: EncodedQuery | None
    vector: QuestionVector | None


def find_matches(
    user: EndUser, query: Query, request: SearchRequest, debug: SearchDebug, deadline: Deadline
) -> FoundMatches:
    """What either index found and nobody has deleted since, and the question as the models have it.

    The words are looked for while the question is embedded and the nearest are read.
    """
    # Beside the embedding: p50 fell from 30 to 27 ms at 10,000 memories on two cores.
    word_search = run_in_thread(LEXICAL, partial(search_words, user, query, request, debug, deadline), deadline)
    model = choose_question_model(deadline)
    # Tokens are kept of one model alone, and while another takes over of some turns only.
    is_settled = model.model == memory_conf().embedding.model
    encoded = late.encode_question(query, request, debug, deadline) if is_settled else None
    vector_matches, vector = search_meaning(user, query, request, debug, deadline, model, encoded)
    matches: list[LexicalMatch] = debug.skip_on_failure(LEXICAL, word_search, [])
    worded = [(match.id, match.score) for match in matches]
    crowding = find_crowding(user, query, [item_id for item_id, _ in vector_matches], model, debug, deadline)
    found = merge_rankings(vector_matches, worded, memory_conf().ranking.rrf_k, crowding)
    # Points whose deletion the vector index has not taken yet.
    deleted = ghost_registry().among(user.pk, [one.id for one in found])
    return FoundMatches([one for one in found if one.id not in deleted], encoded, vector)


def search_words(
    user: EndUser, query: Query, request: SearchRequest, debug: SearchDebug, deadline: Deadline
) -> list[LexicalMatch]:
    """Raises Unavailable."""
    conf = memory_conf()
    if not query.text or LEXICAL not in request.stages or not conf.flags["bm25"]:
        return []
    index_filter, depth = build_index_filter(user, request), choose_depth(request)
    with debug.time_stage(LEXICAL):
        return lexical_index().search(query.search_text, index_filter, depth, deadline.slice(conf.deadlines.lexical_s))


def search_meaning(
    user: EndUser,
    query: Query,
    request: SearchRequest,
    debug: SearchDebug,
    deadline: Deadline,
    model: EmbeddingConf,
    encoded: EncodedQuery | None,
) -> tuple[list[tuple[uuid.UUID, float]], QuestionVector | None]:
    """The nearest, and the question's vector. ``encoded`` is the question as the model has it, where that is known."""
    if VECTOR not in request.stages:
        debug.vector_stage_status = "disabled_config"
        return [], None
    if not query.text:
        return [], None
    index_filter, depth = build_index_filter(user, request), choose_depth(request)
    return search_nearest(query, index_filter, depth, debug, deadline, model, encoded)


def choose_depth(request: SearchRequest) -> int:
    """How many candidates each index is asked for."""
    ranking = memory_conf().ranking
    # Deeper pools (200 each) gained nothing, shallower ones (50) lost .007 of R@10.
    return max(ranking.candidates_floor, request.limit * ranking.candidates_factor)


def build_index_filter(user: EndUser, request: SearchRequest) -> IndexFilter:
    return IndexFilter(
        user.pk, frozenset(request.tiers) if request.tiers else None, request.statuses, request.conditions
    )


def search_nearest(
    query: Query,
    index_filter: IndexFilter,
    depth: int,
    debug: SearchDebug,
    deadline: Deadline,
    model: EmbeddingConf,
    encoded: EncodedQuery | None,
) -> tuple[list[tuple[uuid.UUID, float]], QuestionVector | None]:
    """The nearest to the question, or to any of the questions it is made of, nearest first; and its vector."""
    conf, emphasis = memory_conf(), choose_emphasis(query, model)

    def embed_parts() -> list[Vector]:
        time_left = deadline.slice(conf.deadlines.embed_s)
        service, text = choose_embedder(model.model), late.choose_embedded_text(query, model)
        whole = service.embed_query(text, time_left) if encoded is None else encoded.vector
        return [whole, *(service.embed_query(text, time_left) for text in query.parts)]

    def search() -> list[VectorMatch]:
        time_left = deadline.slice(conf.deadlines.vector_s)
        filters = split_by_tier(index_filter) if conf.ranking.tier_fairness else [index_filter]
        return [
            match
            for vector in map(emphasis.weigh, vectors)
            for filter in filters
            for match in vector_index().search(vector, filter, depth, time_left, shape=VectorShape.of_model(model))
        ]

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
