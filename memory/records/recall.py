"""Recall: the nearest personal records to a query. A failing stage fails the call with its code; no fallbacks."""

import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import DatabaseError, InterfaceError, connection

from memory.access.scope import user_scope
from memory.access.users import is_stranger
from memory.conf import memory_conf
from memory.indexes import nearest
from memory.indexes.nearest import NearestRows, format_vector
from memory.inference.base import Vector
from memory.inference.emphasis import Emphasis
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import CodedFailure, Unavailable
from memory.records.choosing import Omission, RecallOptions, RecordCandidate, RecordHit, choose_hits
from memory.records.embedding import (
    NAME,
    find_former_embedder,
    load_records_conf,
    load_records_embedder,
    name_embedding_model,
)
from memory.records.models import DIMENSIONS, RecallLog
from memory.records.texts import Kind, strip_markup

logger = structlog.get_logger(__name__)

# A wrong or missing embedder is an error with a code and not an answer in part: words alone would look like an
# answer from meaning.
EMBEDDING_AWAY, SEARCH_FAILED, READ_FAILED = "EMBEDDING_MODEL_UNAVAILABLE", "VECTOR_SEARCH_FAILED", "DB_READ_FAILED"
LOG_RETENTION = timedelta(days=30)
TOOL = "memory.search"
# So many of the nearest are weighed by age: beyond them a boost of 15 % changes nothing that would be shown.
CANDIDATES = 100
# Of those left out so many are described, the nearest.
DETAILED = 20

DEFAULTS = RecallOptions()

# Asks in the same statement whether a model before may have vectors left: only while the user's rows wait, or before
# the sweep has seen the change. To look through the rows took a statement of its own in every recall.
COUNT = """
SELECT count(*), EXISTS(SELECT FROM kind_waiting WHERE end_user_id = %(user)s AND since IS NOT NULL)
    OR NOT EXISTS(SELECT FROM kind_model WHERE tag = %(tag)s)
FROM (SELECT FROM kind_embedding WHERE user_id = %(user)s AND vector IS NOT NULL LIMIT %(most)s) AS own
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
STATEMENTS = NearestRows(exact=EXACT, graph=NEAREST)
READ = """
SELECT ref_id, kind, snippet, created_at FROM kind_embedding
WHERE user_id = %(user)s AND vector IS NOT NULL AND ref_id = ANY(%(refs)s)
"""


class RecallFailed(CodedFailure):
    """``code`` is one of the three that clients know."""


@dataclass(frozen=True, slots=True)
class RecallResult:
    hits: Sequence[RecordHit]
    duration_ms: float
    options: RecallOptions = DEFAULTS
    model: str = ""
    omitted: Sequence[tuple[RecordHit, Omission]] = ()

    def as_card(self, *, with_details: bool = False) -> dict[str, Any]:
        """The answer of the call and of the tool, in the shape that chat clients show as a card."""
        return {
            "status": "ok",
            "type": "card",
            "title": "Memory hits",
            "body": "Top results attached." if self.hits else "Nothing was found.",
            "meta": {"kind": "info"},
            "persisted_ids": {},
            "diagnostics": {
                "tool": TOOL,
                "duration_ms": self.duration_ms,
                "results": [describe_hit(hit) for hit in self.hits],
                **({"developer": self.as_developer_card()} if with_details else {}),
            },
        }

    def as_developer_card(self) -> dict[str, Any]:
        """How each place came about, and what was near and is not shown."""
        return {
            "model": self.model,
            "candidates": len(self.hits) + len(self.omitted),
            "asked": self.options.as_json(),
            "factors": [describe_factors(hit) for hit in self.hits],
            "omitted": [
                {**describe_hit(hit), **describe_factors(hit), "why": why.value} for hit, why in self.omitted[:DETAILED]
            ],
        }


def describe_hit(hit: RecordHit) -> dict[str, Any]:
    return {
        "kind": hit.kind.value,
        "ref_id": str(hit.ref_id),
        "snippet": hit.snippet,
        "score": round(hit.score, 6),
        "created_at": hit.created_at.isoformat(),
    }


def describe_factors(hit: RecordHit) -> dict[str, Any]:
    """What the score is the product of."""
    factors = {"similarity": hit.similarity, "recency": hit.recency, "preference": hit.preference}
    return {"ref_id": str(hit.ref_id), **{name: round(value, 6) for name, value in factors.items()}}


def recall_records(
    user: EndUser, query: str, *, now: datetime, options: RecallOptions = DEFAULTS, tool: str = TOOL
) -> RecallResult:
    """The best of the user's own records. Raises RecallFailed. Every call is logged, also a failed one.

    Except for a stranger, whom no log can name.
    """
    started = time.perf_counter()
    status, shown = "ok", 0
    tag = name_embedding_model()
    try:
        choice = choose_hits(find_candidates(user, query, tag, options.kinds), options, now=now)
        shown = len(choice.shown)
    except RecallFailed as error:
        status = error.code
        raise
    finally:
        spent_ms = round((time.perf_counter() - started) * 1000, 3)
        if not is_stranger(user):
            note = RecallLog(user=user, tool=tool, status=status, duration_ms=spent_ms, top_k_effective=shown, at=now)
            note.filters = options.as_json()
            record_recall(user, note)
    return RecallResult(choice.shown, spent_ms, options, tag, choice.omitted)


def find_candidates(user: EndUser, query: str, tag: str, kinds: Sequence[Kind]) -> list[RecordCandidate]:
    deadlines = memory_conf().deadlines
    deadline = Deadline(deadlines.default_s)
    text = strip_markup(query) or query
    try:
        vector = load_records_embedder().embed_query(text, deadline.slice(deadlines.embed_s))
    except Unavailable as error:
        raise RecallFailed(EMBEDDING_AWAY, error.reason) from error
    near, is_changing = find_nearest_records(user, vector, tag, kinds, deadline)
    for former in list_former_tags(user, tag) if is_changing else ():
        near |= find_former_records(user, text, former, kinds, deadline)
    return read_snippets(user, near)


Place = tuple[uuid.UUID, str]


def list_former_tags(user: EndUser, tag: str) -> list[str]:
    """The marks of the models before, while the user's records are embedded anew."""
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(FORMER_TAGS, {"user": user.pk, "tag": tag})
        return [former for (former,) in cursor.fetchall()]


def find_former_records(
    user: EndUser, text: str, tag: str, kinds: Sequence[Kind], deadline: Deadline
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
    return find_nearest_records(user, vector, tag, kinds, deadline)[0]


def find_nearest_records(
    user: EndUser, vector: Vector, tag: str, kinds: Sequence[Kind], deadline: Deadline
) -> tuple[dict[Place, float], bool]:
    """Calibrated cosines, and whether a model before may have embedded more."""
    emphasis = Emphasis.as_stored(load_records_conf(tag))
    values: dict[str, Any] = {
        "user": user.pk,
        "vector": format_vector(emphasis.weigh(vector), DIMENSIONS, NAME),
        "tag": tag,
        "kinds": [kind.value for kind in kinds],
        "limit": CANDIDATES,
    }
    try:
        with user_scope(user), connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, true)", [f"{count_remaining_ms(deadline)}ms"])
            cursor.execute(COUNT, {**values, "most": nearest.EXACT_UP_TO + 1})
            number, is_changing = cursor.fetchone()
            rows = STATEMENTS.fetch(cursor, values, CANDIDATES, by_graph=number > nearest.EXACT_UP_TO)
    except (DatabaseError, InterfaceError) as error:
        raise RecallFailed(SEARCH_FAILED, read_first_line(error)) from error
    cosines = {(ref_id, kind): emphasis.read_cosine(1.0 - distance) for ref_id, kind, distance in rows}
    return cosines, is_changing


def count_remaining_ms(deadline: Deadline) -> int:
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
        raise RecallFailed(READ_FAILED, read_first_line(error)) from error
    return [
        RecordCandidate(Kind(kind), ref_id, snippet, cosines[ref_id, kind], created_at)
        for ref_id, kind, snippet, created_at in rows
        if (ref_id, kind) in cosines
    ]


def read_first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]


def record_recall(user: EndUser, note: RecallLog) -> None:
    try:
        with user_scope(user):
            note.save(force_insert=True)
    except (DatabaseError, InterfaceError) as error:
        # A failure to write the log must not fail the call.
        logger.warning("recall not noted", reason=read_first_line(error))


def purge_recalls(user_id: int, *, now: datetime) -> int:
    """Delete expired log rows. Returns how many."""
    with user_scope(user_id):
        return RecallLog.objects.filter(user_id=user_id, at__lt=now - LOG_RETENTION).delete()[0]
