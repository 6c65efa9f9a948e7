"""Candidate generation: vector and lexical search beside each other, each with its own deadline."""

import uuid
from collections.abc import Sequence
from functools import partial

from memory.conf import memory_conf
from memory.indexes import lexical_index, vector_index
from memory.indexes.base import Filter, LexicalMatch, Match
from memory.indexes.ghosts import ghosts
from memory.inference import embedder
from memory.inference.base import EncodedQuery, Vector
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.threads import beside
from memory.retrieval import late
from memory.retrieval.fusion import Found, gather
from memory.retrieval.query import Query
from memory.retrieval.results import LEXICAL, VECTOR, Debug, SearchRequest
from memory.tiers import Tier


def find(
    user: EndUser, query: Query, request: SearchRequest, debug: Debug, deadline: Deadline
) -> tuple[list[Found], EncodedQuery | None]:
    """What either index found and nobody has deleted since, and the question as the model of tokens has it.

    The words are looked for while the question is embedded and the nearest are read.
    """
    worded = beside(LEXICAL, partial(by_words, user, query, request, debug, deadline), deadline)
    asked = late.ask(query, request, debug, deadline)
    near = by_meaning(user, query, request, debug, deadline, asked)
    matches: list[LexicalMatch] = debug.forgiven(LEXICAL, worded, [])
    found = gather(near, [(match.id, match.score) for match in matches], memory_conf().ranking.rrf_k)
    gone = ghosts().among(user.pk, [one.id for one in found])
    return [one for one in found if one.id not in gone], asked


def by_words(
    user: EndUser, query: Query, request: SearchRequest, debug: Debug, deadline: Deadline
) -> list[LexicalMatch]:
    """Raises Unavailable."""
    conf = memory_conf()
    if not query.text or LEXICAL not in request.stages or not conf.flags["bm25"]:
        return []
    wanted, depth = wanted_by(user, request), depth_of(request)
    with debug.timed(LEXICAL):
        return lexical_index().search(query.sought, wanted, depth, deadline.slice(conf.deadlines.lexical_s))


def by_meaning(
    user: EndUser,
    query: Query,
    request: SearchRequest,
    debug: Debug,
    deadline: Deadline,
    asked: EncodedQuery | None,
) -> list[tuple[uuid.UUID, float]]:
    """``asked`` is the question as the model has it, where that is known already."""
    if VECTOR not in request.stages:
        debug.vector_stage_status = "disabled_config"
        return []
    if not query.text:
        return []
    return nearest(query, wanted_by(user, request), depth_of(request), debug, deadline, asked)


def depth_of(request: SearchRequest) -> int:
    """How many candidates each index is asked for."""
    ranking = memory_conf().ranking
    depth = max(ranking.candidates_floor, request.limit * ranking.candidates_factor)
    # The indexes do not know metadata: look deeper, since reading will drop what does not hold it.
    return depth * 4 if request.metadata else depth


def wanted_by(user: EndUser, request: SearchRequest) -> Filter:
    return Filter(user.pk, frozenset(request.tiers) if request.tiers else None)


def nearest(
    query: Query, wanted: Filter, depth: int, debug: Debug, deadline: Deadline, asked: EncodedQuery | None
) -> list[tuple[uuid.UUID, float]]:
    """The nearest to the question, or to any of the questions it is made of, nearest first."""
    conf = memory_conf()

    def embed() -> list[Vector]:
        left = deadline.slice(conf.deadlines.embed_s)
        whole = embedder().embed_query(query.embedded, left) if asked is None else asked.vector
        return [whole, *(embedder().embed_query(text, left) for text in query.parts)]

    def search() -> list[Match]:
        left = deadline.slice(conf.deadlines.vector_s)
        filters = by_tier(wanted) if conf.ranking.tier_fairness else [wanted]
        return [
            match
            for vector in vectors
            for filter in filters
            for match in vector_index().search(vector, filter, depth, left)
        ]

    vectors: list[Vector] = debug.attempt("embed", embed, [])
    matches: list[Match] = debug.attempt(VECTOR, search, []) if vectors else []
    return merged(matches)


def by_tier(wanted: Filter) -> list[Filter]:
    """One filter a tier: then a large tier does not crowd out a small one before anything is ranked."""
    tiers = wanted.tiers if wanted.tiers is not None else frozenset(Tier)
    return [Filter(wanted.user_id, frozenset({tier}), wanted.statuses) for tier in sorted(tiers)]


def merged(matches: Sequence[Match]) -> list[tuple[uuid.UUID, float]]:
    """Each id once, with its smallest distance, ordered by distance, then id."""
    least: dict[uuid.UUID, float] = {}
    for match in matches:
        least[match.id] = min(match.distance, least.get(match.id, match.distance))
    return sorted(least.items(), key=lambda pair: (pair[1], pair[0]))
