"""Remembers what a search answered with, so that an outcome can name it later."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import connection

from memory.access.scope import user_scope
from memory.models import EndUser, Turn
from memory.retrieval.results import SearchDebug, SearchHit, SearchRequest

COUNT_RETRIEVALS = """
WITH free AS (
    SELECT id FROM memory_item WHERE user_id = %s AND id = ANY(%s) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE memory_item SET retrieved = retrieved + 1 FROM free WHERE memory_item.user_id = %s AND memory_item.id = free.id
"""


def count_retrievals(user: EndUser, ids: Sequence[uuid.UUID]) -> None:
    """Count what a search returned in ``retrieved``. Locked rows are skipped: it is only a statistic."""
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(COUNT_RETRIEVALS, [user.pk, list(ids), user.pk])


def record_turn(
    user: EndUser,
    turn_id: uuid.UUID,
    request: SearchRequest,
    hits: Sequence[SearchHit],
    debug: SearchDebug,
    now: datetime,
) -> None:
    """Keep which memory was at which position, so that an outcome can name positions; count the retrievals."""
    with user_scope(user):
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
        count_retrievals(user, [hit.item.pk for hit in hits])
