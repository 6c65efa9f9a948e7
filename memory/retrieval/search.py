"""One search: embed, nearest vectors, matching words, fusion, hydration, order. Each stage within its time.

The answer is complete without any one stage. What was left out stands in ``debug.fallbacks_used``.
"""

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import structlog
from django.db import connection

from memory import store
from memory.access import user_scope
from memory.conf import memory_conf
from memory.indexes import lexical_index, vector_index
from memory.indexes.base import Filter, LexicalMatch, Match
from memory.indexes.ghosts import ghosts
from memory.inference import embedder
from memory.models import EndUser, MemoryItem, Turn
from memory.resilience import BadReply, Deadline, Unavailable, breaker_states
from memory.retrieval.fusion import Candidate, fuse_rrf, fuse_zscore, gather
from memory.scoring import similarity, wilson_lower_bound
from memory.text import SPACES, preview
from memory.tiers import Tier

logger = structlog.get_logger(__name__)
T = TypeVar("T")

VECTOR, LEXICAL = "vector", "lexical"
STAGES = frozenset({VECTOR, LEXICAL})
RELEVANCE, RECENCY, SCORE = "relevance", "recency", "score"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """``tiers`` None means all; ``metadata`` keeps items that contain it; ``stages`` is for measuring halves alone."""

    query: str
    tiers: frozenset[Tier] | None = None
    limit: int = 5
    sort_by: str = RELEVANCE
    metadata: dict[str, Any] | None = None
    thread_id: str = ""
    turn_id: uuid.UUID | None = None
    stages: frozenset[str] = STAGES
    deadline_s: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    position: int
    item: MemoryItem
    final_score: float
    explain: dict[str, Any]

    @property
    def preview(self) -> str:
        return preview(self.item.text)

    def summary(self, now: datetime) -> dict[str, Any]:
        """The score summary of the API: how good the match, what experience says, how old."""
        item = self.item
        return {
            "final_score": round(self.final_score, 6),
            "wilson_score": round(wilson_lower_bound(item.worked, item.failed, item.partial), 4),
            "uses": item.uses,
            "last_outcome": item.last_outcome or None,
            "age_s": max(0, int((now - item.occurred_at).total_seconds())),
        }


@dataclass(slots=True)
class Debug:
    """What a search did and left out."""

    normalized_query: str
    tiers_considered: list[str]
    tiers_used: list[str] = field(default_factory=list)
    fallbacks_used: list[str] = field(default_factory=list)
    stage_timings_ms: dict[str, float] = field(default_factory=dict)
    errors: list[dict[str, str | None]] = field(default_factory=list)
    retrieval_confidence: str = "low"
    vector_stage_status: str = "enabled"

    def as_dict(self) -> dict[str, Any]:
        return {
            "retrieval_confidence": self.retrieval_confidence,
            "normalized_query": self.normalized_query,
            "tiers_considered": self.tiers_considered,
            "tiers_used": self.tiers_used,
            "fallbacks_used": self.fallbacks_used,
            "stage_timings_ms": self.stage_timings_ms,
            "errors": self.errors,
            "vector_stage_status": self.vector_stage_status,
        }

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self.stage_timings_ms[stage] = round((time.perf_counter() - started) * 1000, 3)

    def attempt(self, stage: str, call: Callable[[], T], otherwise: T) -> T:
        """What the stage returns; its substitute, with the failure named, when it is unavailable."""
        with self.timed(stage):
            try:
                return call()
            except Unavailable as error:
                self.fallbacks_used.append(f"{stage}_skipped")
                self.errors.append({"stage": stage, "message": error.reason, "code": type(error).__name__})
                if stage in {"embed", VECTOR}:
                    self.vector_stage_status = status_after(error)
                logger.warning("search stage skipped", stage=stage, dependency=error.dependency, reason=error.reason)
                return otherwise


def status_after(error: Unavailable) -> str:
    if isinstance(error, BadReply):
        return "disabled_schema_mismatch"
    return "disabled_breaker_open" if breaker_states().get(error.dependency) == "open" else "enabled"


@dataclass(frozen=True, slots=True)
class SearchResult:
    turn_id: uuid.UUID
    hits: list[Hit]
    debug: Debug


def search(user: EndUser, request: SearchRequest, *, now: datetime, remember: bool = True) -> SearchResult:
    """The best memories for a query, explained. ``remember`` keeps the positions for later outcomes of the turn."""
    started = time.perf_counter()
    conf = memory_conf()
    asked_s = conf.deadlines.default_s if request.deadline_s is None else request.deadline_s
    deadline = Deadline(min(asked_s, conf.deadlines.hard_s))
    tiers = request.tiers or frozenset(Tier)
    debug = Debug(
        normalized_query=SPACES.sub(" ", request.query).strip(),
        tiers_considered=[tier.value for tier in Tier if tier in tiers],
    )
    candidates = find_candidates(user, request, debug, deadline)
    with debug.timed("rank"):
        fuse(candidates)
        hits = order(hydrate(user, candidates, request, now), request)
    debug.tiers_used = [tier.value for tier in Tier if any(hit.item.tier == tier for hit in hits)]
    debug.retrieval_confidence = confidence(hits)
    turn_id = request.turn_id or uuid.uuid4()
    if remember:
        with debug.timed("remember"):
            remember_turn(user, turn_id, request, hits, debug, now)
    debug.stage_timings_ms["total"] = round((time.perf_counter() - started) * 1000, 3)
    return SearchResult(turn_id, hits, debug)


def find_candidates(user: EndUser, request: SearchRequest, debug: Debug, deadline: Deadline) -> list[Candidate]:
    conf = memory_conf()
    wanted = Filter(user.pk, frozenset(request.tiers) if request.tiers else None)
    depth = max(conf.ranking.candidates_floor, request.limit * conf.ranking.candidates_factor)
    if request.metadata:
        # The indexes do not know metadata: look deeper, since hydration will drop what does not hold it.
        depth *= 4
    if not debug.normalized_query:
        return []
    near: list[tuple[uuid.UUID, float]] = []
    worded: list[tuple[uuid.UUID, float]] = []
    if VECTOR not in request.stages:
        debug.vector_stage_status = "disabled_config"
    else:
        vector = debug.attempt(
            "embed",
            lambda: embedder().embed_query(debug.normalized_query, deadline.slice(conf.deadlines.embed_s)),
            None,
        )
        if vector is not None:
            matches: list[Match] = debug.attempt(
                VECTOR,
                lambda: vector_index().search(vector, wanted, depth, deadline.slice(conf.deadlines.vector_s)),
                [],
            )
            near = [(match.id, match.distance) for match in matches]
    if LEXICAL in request.stages and conf.flags["bm25"]:
        found: list[LexicalMatch] = debug.attempt(
            LEXICAL,
            lambda: lexical_index().search(
                debug.normalized_query, wanted, depth, deadline.slice(conf.deadlines.lexical_s)
            ),
            [],
        )
        worded = [(match.id, match.score) for match in found]
    candidates = gather(near, worded, conf.ranking.rrf_k)
    gone = ghosts().among(user.pk, [candidate.id for candidate in candidates])
    return [candidate for candidate in candidates if candidate.id not in gone]


def fuse(candidates: list[Candidate]) -> None:
    ranking = memory_conf().ranking
    if ranking.fusion == "rrf":
        fuse_rrf(candidates, ranking.rrf_k)
    else:
        fuse_zscore(candidates)


def hydrate(user: EndUser, candidates: Sequence[Candidate], request: SearchRequest, now: datetime) -> list[Hit]:
    """The candidates that exist: active, not expired, the user's own, in a wanted tier. The index is not believed."""
    by_id = {candidate.id: candidate for candidate in candidates}
    with user_scope(user):
        rows = MemoryItem.objects.for_user(user).active().within_time(now).filter(pk__in=list(by_id)).defer("lexemes")
        if request.tiers:
            rows = rows.filter(tier__in=request.tiers)
        if request.metadata:
            rows = rows.filter(metadata__contains=request.metadata)
        items = list(rows)
    minimum = memory_conf().ranking.min_score
    hits = [Hit(0, item, by_id[item.pk].relevance, explanation(by_id[item.pk])) for item in items]
    return [hit for hit in hits if hit.final_score >= minimum]


def explanation(candidate: Candidate) -> dict[str, Any]:
    """Every number that placed a hit."""
    conf = memory_conf().ranking
    return {
        "vector_rank": candidate.vector_rank,
        "text_rank": candidate.text_rank,
        "rrf": round(candidate.rrf, 6),
        "distance": None if candidate.distance is None else round(candidate.distance, 6),
        "similarity": None if candidate.distance is None else round(similarity(candidate.distance), 6),
        "text_score": None if candidate.text_score is None else round(candidate.text_score, 6),
        "fusion": conf.fusion,
        "relevance": round(candidate.relevance, 6),
        "weights": {},
        "boosts": {},
        "ce": None,
    }


def order(hits: list[Hit], request: SearchRequest) -> list[Hit]:
    """A total order: final score, then when it was said, then id. Other orders are taken among the most relevant."""
    hits.sort(key=lambda hit: (-hit.final_score, -hit.item.occurred_at.timestamp(), hit.item.pk))
    if request.sort_by == RECENCY:
        pool = hits[: request.limit * memory_conf().ranking.candidates_factor]
        hits = sorted(pool, key=lambda hit: (-hit.item.occurred_at.timestamp(), -hit.final_score, hit.item.pk))
    elif request.sort_by == SCORE:
        pool = hits[: request.limit * memory_conf().ranking.candidates_factor]
        hits = sorted(pool, key=lambda hit: (-hit.item.score, -hit.final_score, hit.item.pk))
    return [
        Hit(position, hit.item, hit.final_score, hit.explain) for position, hit in enumerate(hits[: request.limit], 1)
    ]


SURE_DISTANCE = 0.95
FAIR_DISTANCE = 1.15
AGREEING_RANK = 5


def confidence(hits: Sequence[Hit]) -> str:
    """High when meaning and words agree on a near first hit, medium when either stands behind it."""
    if not hits:
        return "low"
    first = hits[0].explain
    distance = first["distance"]
    agree = all(rank is not None and rank <= AGREEING_RANK for rank in (first["vector_rank"], first["text_rank"]))
    if distance is not None and (distance <= SURE_DISTANCE or (agree and distance <= FAIR_DISTANCE)):
        return "high"
    return "medium" if first["text_rank"] == 1 or (distance is not None and distance <= FAIR_DISTANCE) else "low"


def remember_turn(
    user: EndUser, turn_id: uuid.UUID, request: SearchRequest, hits: Sequence[Hit], debug: Debug, now: datetime
) -> None:
    """Keep which memory stood where, so that an outcome can name positions; count the showing."""
    with user_scope(user):
        with connection.cursor() as cursor:
            # Losing the last moment's positions in a power cut is acceptable; waiting for the disk here is not.
            cursor.execute("SET LOCAL synchronous_commit = off")
        turn = Turn(
            user=user,
            turn_id=turn_id,
            thread_id=request.thread_id,
            query=request.query,
            positions=[[str(hit.item.pk), hit.item.tier] for hit in hits],
            debug=debug.as_dict(),
            created_at=now,
        )
        Turn.objects.bulk_create(
            [turn],
            update_conflicts=True,
            unique_fields=["user", "turn_id"],
            update_fields=["thread_id", "query", "positions", "debug", "created_at"],
        )
        store.count_retrievals(user, [hit.item.pk for hit in hits])
