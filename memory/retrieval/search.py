"""The search pipeline: understand, embed, vector and lexical search, read, fuse, rank; each with its deadline.

Any one stage may be missing; those left out are named in ``debug.fallbacks_used``.
"""

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from memory.access.cursors import GENERIC_PLAN
from memory.access.scope import user_scope
from memory.claims.voices.own_words import keep_own_words
from memory.conf import memory_conf
from memory.inference.base import EncodedQuery, QuestionVector
from memory.inference.conf import prompt_conf
from memory.language.text import estimate_tokens
from memory.models import EndUser, MemoryItem
from memory.platform import metrics
from memory.platform.deadline import Deadline
from memory.retrieval import late
from memory.retrieval.advice import SearchAdvice, load_adviser, request_advice
from memory.retrieval.candidates import RowFilter, read_pool
from memory.retrieval.confidence import LOW, estimate_confidence, load_models
from memory.retrieval.duplicates import DistinctCandidate, keep_distinct
from memory.retrieval.finding import find_matches
from memory.retrieval.foreign import mark_foreign
from memory.retrieval.fusion import OF_QUESTION, OF_REMARK, fuse_blend, fuse_rrf, fuse_zscore, guess_nearness
from memory.retrieval.pool import CandidateMemory, Pool
from memory.retrieval.query import Query, normalise_query, understand_query
from memory.retrieval.ranking import RankedCandidate, load_signals, rank_pool
from memory.retrieval.rating import rate
from memory.retrieval.reranking import get_quality_factor, rerank
from memory.retrieval.results import (
    RECENCY,
    RELEVANCE,
    SCORE,
    STAGES,
    SearchDebug,
    SearchHit,
    SearchRequest,
    SearchResult,
    SearchValidity,
    Superseded,
)
from memory.retrieval.spaces import SharedItems, add_shared, choose_spaces
from memory.retrieval.synonyms import expand_query, load_synonyms
from memory.retrieval.turns import new_turn_id, record_turn
from memory.retrieval.unindexed import add_newest, compare_unindexed
from memory.retrieval.validity import apply_validity
from memory.scoring import compute_cosine, similarity, wilson_lower_bound
from memory.store import speakers
from memory.tiers import Tier

__all__ = [
    "RECENCY",
    "RELEVANCE",
    "SCORE",
    "STAGES",
    "SearchDebug",
    "SearchHit",
    "SearchRequest",
    "SearchResult",
    "search",
]

# Of a hit: five turns of a conversation take 226. With a third more room three more of 174 questions to strangers'
# months have their answer in the context, for 27 tokens.
USUAL_TOKENS = 60
# Losing the positions of the last moment in a power cut is acceptable; waiting for the disk is not.
LOSABLE = {"synchronous_commit": "off"}


def search(user: EndUser, request: SearchRequest, *, now: datetime, remember: bool = True) -> SearchResult:
    """The best memories for a query, explained. ``remember`` keeps the positions for later outcomes of the turn."""
    started = time.perf_counter()
    deadline = start_deadline(request)
    debug = SearchDebug(normalise_query(request.query), [tier for tier in Tier if tier in (request.tiers or Tier)])
    with debug.time_stage("understand"):
        query = understand_for_user(user, debug.normalized_query, now)
    advice = request_advice(user, query, debug, deadline) if can_be_advised(request) else SearchAdvice()
    request = complete_request(request, query, advice, debug)
    spaces = choose_spaces(user, request)
    found = find_matches(user, query, request, debug, deadline, spaces)
    rows = RowFilter(user, now, request.tiers, request.conditions, request.dormant, request.scope)
    with debug.time_stage("rank"):
        with user_scope(user, settings=GENERIC_PLAN):
            pool = read_pool(rows, add_newest(rows, found.list_of(user.pk, user), found.vector), query.words)
            signs = late.read_signs(user, pool, found.encoded, debug, deadline)
        pool, shared = add_shared(pool, user, spaces, found, rows)
        pool = compare_unindexed(user, query, pool, found.vector, debug, deadline)
        # With no transaction open: the signals read every candidate's text, and the database ends a session that is
        # idle in a transaction.
        pool.advice = advice.boosts
        ranked = rank_candidates(query, pool, request, signs, found.encoded, debug)
    ranked = rerank(query.text, ranked, request, debug, deadline)
    ranked = rate(user, query.text, ranked, request, debug, deadline)
    turn_id = request.turn_id or new_turn_id(user)
    # What reads texts in here reads the few best alone, which is milliseconds: a transaction more would cost as much.
    with user_scope(user, settings=GENERIC_PLAN | (LOSABLE if remember else {})):
        with debug.time_stage("rank"):
            validity = order_by_validity(user, query, request, ranked, rows, found.vector)
            grade_confidence(query, pool, ranked, request, debug)
            hits = load_hits(user, ranked, request, validity.superseded, shared)
            hits = silence_low(hits, request, debug)
        debug.tiers_used = [tier.value for tier in Tier if any(hit.item.tier == tier for hit in hits)]
        if remember:
            with debug.time_stage("remember"):
                record_turn(user, turn_id, request, hits, debug, now)
    count_search(debug, hits, time.perf_counter() - started)
    near = {one.memory.id: compute_cosine(one.distance) for one in pool if one.distance is not None}
    return SearchResult(turn_id, hits, debug, found.vector, validity, near)


def silence_low(hits: list[SearchHit], request: SearchRequest, debug: SearchDebug) -> list[SearchHit]:
    """No hits where the confidence is low and the request wants silence then.

    Before the turn is written down: an outcome is about what was handed over.
    """
    return [] if request.is_silent_when_low and debug.retrieval_confidence == LOW else hits


def count_search(debug: SearchDebug, hits: Sequence[SearchHit], seconds: float) -> None:
    """Count a search in the diagnostics of its answer and in the metrics of the process."""
    debug.stage_timings_ms["total"] = round(seconds * 1000, 3)
    found_in = [hit.item.tier for hit in hits]
    metrics.record_search(debug.stage_timings_ms, debug.fallbacks_used, found_in, debug.retrieval_confidence)


def start_deadline(request: SearchRequest) -> Deadline:
    """The deadline of a request. Called first, as understanding the query takes of its time as well."""
    deadlines = memory_conf().deadlines
    allowed_s = deadlines.default_s if request.deadline_s is None else request.deadline_s
    return Deadline(min(allowed_s, deadlines.hard_s))


def warm_up() -> None:
    """Read the word lists and load the rules that a process's first search would wait for. Asks no neighbour."""
    ranking = memory_conf().ranking
    # Half past: "ten past eight" is told in no phrase, and those of all languages took 47 ms of the first that is.
    understand_query("when did it work at half past eight?", (), timezone.now())
    # The words by which a turn's voices are told apart take seconds to load.
    keep_own_words("when did it work?")
    load_signals(ranking.boosts)
    load_models()
    if ranking.adviser:
        load_adviser(ranking.adviser)


def can_be_advised(request: SearchRequest) -> bool:
    """Whether advice could change anything: neither tiers nor reasons to rank are settled by the caller."""
    return request.tiers is None or request.boosts != ()


def complete_request(request: SearchRequest, query: Query, advice: SearchAdvice, debug: SearchDebug) -> SearchRequest:
    """The request with what the caller left open: the limit, the planned tiers, and whether dormant memories count."""
    # Whoever names tiers asks for what is in them; what is dormant is in none.
    dormant = (request.tiers is None or request.dormant) and memory_conf().promotion.keeps_expired
    request = replace(request, limit=request.limit or query.limit, dormant=dormant)
    return limit_to_advised_tiers(request, advice, debug)


def limit_to_advised_tiers(request: SearchRequest, advice: SearchAdvice, debug: SearchDebug) -> SearchRequest:
    """The request limited to the advised tiers, where the caller named none."""
    if request.tiers is not None or advice.tiers is None:
        return request
    debug.tiers_considered = [tier.value for tier in Tier if tier in advice.tiers]
    return replace(request, tiers=advice.tiers)


def understand_for_user(user: EndUser, text: str, now: datetime) -> Query:
    with user_scope(user):
        names = speakers.list_speaker_names(user)
        groups = load_synonyms(user)
    return expand_query(understand_query(text, names, now), groups)


def rank_candidates(
    query: Query,
    pool: Pool,
    request: SearchRequest,
    signs: Mapping[uuid.UUID, bytes],
    encoded: EncodedQuery | None,
    debug: SearchDebug,
) -> list[RankedCandidate]:
    """The candidates with their final scores, by meaning, words, tokens and signals. Reads no row."""
    fuse_pool(query, pool, request.fusion)
    if encoded is not None and signs:
        with debug.time_stage(late.STAGE):
            late.compare_tokens(pool, signs, encoded)
    boosts = memory_conf().ranking.boosts if request.boosts is None else request.boosts
    return rank_pool(query, pool, load_signals(boosts))


def fuse_pool(query: Query, pool: Pool, fusion: str = "") -> None:
    ranking = memory_conf().ranking
    fusion = fusion or ranking.fusion
    guess_nearness(pool.candidates)
    if fusion == "rrf":
        fuse_rrf(pool.candidates, ranking.rrf_k)
    elif fusion == "blend":
        fuse_blend(pool.candidates, ranking.rrf_k)
    else:
        mark_foreign(query.text, pool.candidates)
        fuse_zscore(pool.candidates, OF_REMARK if query.is_remark else OF_QUESTION)


def order_by_validity(
    user: EndUser,
    query: Query,
    request: SearchRequest,
    ranked: list[RankedCandidate],
    rows: RowFilter,
    vector: QuestionVector | None,
) -> SearchValidity:
    """What has ended below what holds now, unless a part of the ranking is measured alone."""
    return SearchValidity() if request.boosts == () else apply_validity(user, query, ranked, rows, vector)


def grade_confidence(
    query: Query, pool: Pool, ranked: Sequence[RankedCandidate], request: SearchRequest, debug: SearchDebug
) -> None:
    """How likely it is that anything of this is about the question, as a grade and as a number."""
    grade, confidence = estimate_confidence(query, pool, ranked, memory_conf().embedding.model, request.said)
    debug.retrieval_confidence, debug.confidence = grade, round(confidence, 4)


def load_hits(
    user: EndUser,
    ranked: Sequence[RankedCandidate],
    request: SearchRequest,
    ended: Mapping[uuid.UUID, Superseded],
    shared: SharedItems,
) -> list[SearchHit]:
    """The best of the ranked in their order, read whole. ``ended`` says of which another holds now."""
    minimum = memory_conf().ranking.min_score
    ordered = sort_candidates([one for one in ranked if one.final >= minimum], request)
    most = max(request.limit, request.limit_of_short)
    # A part of the ranking that is measured alone is shown as it ranks.
    plain = [(one, ()) for one in ordered[:most]]
    best = keep_short(plain if request.boosts == () else keep_distinct(ordered, most), request.limit)
    rows = MemoryItem.objects.for_user(user).filter(
        status__in=request.statuses, pk__in=[one.candidate.memory.id for one, _ in best]
    )
    items = {item.pk: item for item in rows.defer("lexemes")} | {pk: one.item for pk, one in shared.items()}
    # A row may have been archived or deleted since the candidates were read.
    present = [(one, same) for one, same in best if one.candidate.memory.id in items]
    return [
        SearchHit(
            position,
            items[one.candidate.memory.id],
            one.final,
            build_explanation(one, shared, request.fusion),
            is_dormant=one.candidate.memory.is_dormant,
            superseded_by=ended.get(one.candidate.memory.id),
            duplicates=same,
            space=shared[one.candidate.memory.id].space if one.candidate.memory.id in shared else None,
        )
        for position, (one, same) in enumerate(present, 1)
    ]


def keep_short(best: Sequence[DistinctCandidate], limit: int) -> list[DistinctCandidate]:
    """As many hits as the limit says, and more as long as short ones leave the room that so many turns usually take."""
    if len(best) <= limit:
        return list(best)
    room = limit * USUAL_TOKENS
    kept: list[DistinctCandidate] = []
    for one, same in best:
        room -= estimate_tokens(one.candidate.memory.text)
        if len(kept) >= limit and room < 0:
            break
        kept.append((one, same))
    return kept


def sort_candidates(ranked: Sequence[RankedCandidate], request: SearchRequest) -> list[RankedCandidate]:
    """A total order: final score, then when it was said, then id. Other orders are taken among the most relevant."""

    def key(one: RankedCandidate) -> tuple[float, float, uuid.UUID]:
        memory = one.candidate.memory
        return (-one.final, -memory.occurred_at.timestamp(), memory.id)

    ordered = sorted(ranked, key=key)
    if request.sort_by != RELEVANCE:
        ordered = ordered[: request.limit * memory_conf().ranking.candidates_factor]
    if request.sort_by == RECENCY:
        ordered.sort(key=lambda one: one.candidate.memory.occurred_at, reverse=True)
    elif request.sort_by == SCORE:
        ordered.sort(key=lambda one: rate_effectiveness(one.candidate.memory), reverse=True)
    return ordered


def rate_effectiveness(memory: CandidateMemory) -> tuple[float, float]:
    """How well a memory did, for sorting: the Wilson bound of what was tried, the quality of a statement."""
    if memory.is_statement:
        return memory.quality, memory.score
    # What was never tried has no bound: it stands below all that helped, by its score among those that never did.
    tried = memory.worked + memory.failed + memory.partial
    return wilson_lower_bound(memory.worked, memory.failed, memory.partial) if tried else 0.0, memory.score


def build_explanation(one: RankedCandidate, shared: SharedItems, fusion: str = "") -> dict[str, Any]:
    """Every number that placed a hit: the relevance and the boosts add up to ``total``, which is squashed.

    Where a cross-encoder was asked, ``ce`` is its score and takes the share of the final one that ``weights`` tells;
    the sum is then multiplied by ``quality``, of a statement. ``rating`` is a language model's, blended in alike.
    """
    conf = memory_conf().ranking
    candidate = one.candidate
    place = shared.get(candidate.memory.id)
    return (
        ({} if place is None else {"space": place.space.slug})
        | {
            "vector_rank": candidate.vector_rank,
            "text_rank": candidate.text_rank,
            "rrf": round(candidate.rrf, 6),
            "distance": None if candidate.distance is None else round(candidate.distance, 6),
            "similarity": None if candidate.distance is None else round(similarity(candidate.distance), 6),
            "text_score": None if candidate.text_score is None else round(candidate.text_score, 6),
            "fusion": fusion or conf.fusion,
            "relevance": round(candidate.relevance, 6),
            "weights": list_weights(one),
            "boosts": one.boosts,
            "total": one.total,
            "ce": one.ce,
        }
        | ({} if one.rating is None else {"rating": one.rating})
    )


def list_weights(one: RankedCandidate) -> dict[str, float]:
    """The shares of those that looked a second time, in the order in which they were blended in."""
    factor = get_quality_factor(one.candidate.memory)
    weights = {} if one.ce is None else {"ce": memory_conf().reranker.weight}
    weights |= {"quality": round(factor, 9)} if one.ce is not None and factor != 1.0 else {}
    return weights if one.rating is None else weights | {"rating": prompt_conf().rating_weight}
