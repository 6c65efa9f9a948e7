"""Recall: the nearest personal records to a query. A failing stage fails the call with its code; no fallbacks."""

import time
import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError, connection

from memory.access.scope import user_scope
from memory.access.users import is_stranger
from memory.conf import memory_conf
from memory.indexes import nearest
from memory.indexes.nearest import NearestRows, vector_literal
from memory.inference.base import Vector
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import CodedFailure, Unavailable
from memory.records.embedding import (
    NAME,
    embedding_model,
    find_former_embedder,
    records_conf,
    records_embedder,
)
from memory.records.models import DIMENSIONS, RecallLog
from memory.records.texts import Kind, RecordCandidate, RecordHit, choose_hits, strip_markup

logger = structlog.get_logger(__name__)

# A wrong or missing embedder is an error with a code and not an answer in part: words alone would look like an
# answer from meaning.
EMBEDDING_AWAY, SEARCH_FAILED, READ_FAILED = "EMBEDDING_MODEL_UNAVAILABLE", "VECTOR_SEARCH_FAILED", "DB_READ_FAILED"
LOG_RETENTION = timedelta(days=30)
# So many of the nearest are weighed by age: beyond them a boost of 15 % changes nothing that would be shown.
CANDIDATES = 100

COUNT = """
SELECT count(*) FROM (SELECT FROM kind_embedding WHERE user_id = %(user)s AND vector IS NOT NULL LIMIT %(most)s) AS own
"""
NEAREST = """
SELECT ref_id, kind, vector <=> %(vector)s::halfvec AS distance FROM kind_embedding
WHERE user_id = %(user)s AND vector IS NOT NULL AND state <> 'failed' AND model_tag = %(tag)s AND kind = ANY(%(kinds)s)
ORDER BY vector <=> %(vector)s::halfvec LIMIT %(limit)s
"""
FORMER_TAGS = """
SELECT DISTINCT model_tag FROM kind_embedding
WHERE user_id = %(user)s AND vector IS NOT NULL AND state <> 'failed' AND model_tag <> %(tag)s
"""
# Adding nothing hides the order from the index.
EXACT = NEAREST.replace("ORDER BY vector <=> %(vector)s::halfvec", "ORDER BY (vector <=> %(vector)s::halfvec) + 0.0")
# Reading exactly takes about 2 microseconds a record.
STATEMENTS = NearestRows(count=COUNT, exact=EXACT, graph=NEAREST)
READ = """
SELECT ref_id, kind, snippet, created_at FROM kind_embedding
WHERE user_id = %(user)s AND vector IS NOT NULL AND ref_id = ANY(%(refs)s)
"""


class RecallFailed(CodedFailure):
    """``code`` is one of the three that clients know."""


@dataclass(frozen=True, slots=True)
class RecallResult:
    hits: list[RecordHit]
    duration_ms: float

    def as_card(self) -> dict[str, Any]:
        """The answer of the call and of the tool, in the shape that chat clients show as a card."""
        return {
            "status": "ok",
            "type": "card",
            "title": "Memory hits",
            "body": "Top results attached." if self.hits else "Nothing was found.",
            "meta": {"kind": "info"},
            "persisted_ids": {},
            "diagnostics": {
                "tool": "memory.search",
                "duration_ms": self.duration_ms,
                "results": [
                    {
                        "kind": hit.kind.value,
                        "ref_id": str(hit.ref_id),
                        "snippet": hit.snippet,
                        "score": round(hit.score, 6),
                        "created_at": hit.created_at.isoformat(),
                    }
                    for hit in self.hits
                ],
            },
        }


def recall_records(
    user: EndUser, query: str, *, now: datetime, kinds: Collection[Kind] | None = None, top_k: int = 8
) -> RecallResult:
    """The best of the user's own records. Raises RecallFailed. Every call is logged, also a failed one.

    Except for a stranger, whom no log can name.
    """
    started = time.perf_counter()
    searched = [kind for kind in Kind if kinds is None or kind in kinds]
    status = "ok"
    hits: list[RecordHit] = []
    try:
        hits = find_records(user, query, searched, now=now, top_k=top_k)
    except RecallFailed as error:
        status = error.code
        raise
    finally:
        spent_ms = round((time.perf_counter() - started) * 1000, 3)
        if not is_stranger(user):
            filters = {"kinds": [kind.value for kind in searched], "top_k": top_k}
            record_recall(user, status, spent_ms, len(hits), filters, now)
    return RecallResult(hits, spent_ms)


def find_records(user: EndUser, query: str, kinds: list[Kind], *, now: datetime, top_k: int) -> list[RecordHit]:
    deadlines = memory_conf().deadlines
    deadline = Deadline(deadlines.default_s)
    tag, text = embedding_model(), strip_markup(query) or query
    try:
        vector = records_embedder().embed_query(text, deadline.slice(deadlines.embed_s))
    except Unavailable as error:
        raise RecallFailed(EMBEDDING_AWAY, error.reason) from error
    near = nearest_records(user, vector, tag, kinds, deadline)
    for former in list_former_tags(user, tag):
        near |= find_former_records(user, text, former, kinds, deadline)
    return choose_hits(read_snippets(user, near), now=now, top_k=top_k)


Place = tuple[uuid.UUID, str]


def list_former_tags(user: EndUser, tag: str) -> list[str]:
    """The marks of the models before, while the user's records are embedded anew."""
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(FORMER_TAGS, {"user": user.pk, "tag": tag})
        return [former for (former,) in cursor.fetchall()]


def find_former_records(
    user: EndUser, text: str, tag: str, kinds: list[Kind], deadline: Deadline
) -> dict[Place, float]:
    """Those that have no vector of the new model yet; none where the model before is gone."""
    service = find_former_embedder(tag)
    if service is None:
        return {}
    try:
        vector = service.embed_query(text, deadline.slice(memory_conf().deadlines.embed_s))
    except Unavailable as error:
        logger.info("records of a former model not searched", model=tag, reason=error.reason)
        return {}
    return nearest_records(user, vector, tag, kinds, deadline)


def nearest_records(
    user: EndUser, vector: Vector, tag: str, kinds: list[Kind], deadline: Deadline
) -> dict[Place, float]:
    """Calibrated cosines."""
    values: dict[str, Any] = {
        "user": user.pk,
        "vector": vector_literal(vector, DIMENSIONS, NAME),
        "tag": tag,
        "kinds": [kind.value for kind in kinds],
        "limit": CANDIDATES,
    }
    try:
        with user_scope(user), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{remaining_ms(deadline)}ms"])
            is_large = STATEMENTS.count_rows(cursor, values) > nearest.EXACT_UP_TO
            rows = STATEMENTS.fetch(cursor, values, CANDIDATES, is_large=is_large)
    except (DatabaseError, InterfaceError) as error:
        raise RecallFailed(SEARCH_FAILED, first_line(error)) from error
    calibrate = records_conf(tag).calibrate_cosine
    return {(ref_id, kind): calibrate(1.0 - distance, asked=True) for ref_id, kind, distance in rows}


def remaining_ms(deadline: Deadline) -> int:
    return max(1, int(min(deadline.remaining(), memory_conf().deadlines.vector_s) * 1000))


def read_snippets(user: EndUser, cosines: dict[Place, float]) -> list[RecordCandidate]:
    """The snippets of the hits, read from the rows: records deleted meanwhile are left out."""
    if not cosines:
        return []
    try:
        with user_scope(user), connection.cursor() as cursor:
            cursor.execute(READ, {"user": user.pk, "refs": [ref_id for ref_id, _ in cosines]})
            rows = cursor.fetchall()
    except (DatabaseError, InterfaceError) as error:
        raise RecallFailed(READ_FAILED, first_line(error)) from error
    return [
        RecordCandidate(Kind(kind), ref_id, snippet, cosines[ref_id, kind], created_at)
        for ref_id, kind, snippet, created_at in rows
        if (ref_id, kind) in cosines
    ]


def first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


def record_recall(
    user: EndUser, status: str, spent_ms: float, shown: int, filters: dict[str, Any], now: datetime
) -> None:
    try:
        with user_scope(user):
            RecallLog.objects.create(
                user=user, status=status, duration_ms=spent_ms, top_k_effective=shown, filters=filters, at=now
            )
    except (DatabaseError, InterfaceError) as error:
        # A failure to write the log must not fail the call.
        logger.warning("recall not noted", reason=first_line(error))


def purge_recalls(user_id: int, *, now: datetime) -> int:
    """Delete expired log rows. Returns how many."""
    with user_scope(user_id):
        return RecallLog.objects.filter(user_id=user_id, at__lt=now - LOG_RETENTION).delete()[0]
