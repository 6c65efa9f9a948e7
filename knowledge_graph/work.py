"""The work list of changed memories, and the per-user mark that work is pending."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from django.db import connection
from django.db.models import F

from knowledge_graph.models import GraphWork
from memory.access.locks import lock_for_transaction
from memory.models import EndUser
from memory.store import rows
from memory.tiers import Tier
from outcomes.models import ActionTaken, OutcomeEvent

# Where what is kept is worth knowing whom and what it names.
CONTENT_TIERS = frozenset({Tier.MEMORY_BANK, Tier.PATTERNS, Tier.BOOKS})
REMOVED = "removed"
ARCHIVED = "archived"
PROMOTED = "promoted"

ENQUEUE_ALL = """
INSERT INTO graph_work (user_id, item_id, kind, at) SELECT %s, item_id, %s, %s FROM unnest(%s::uuid[]) AS item_id
"""
ENQUEUE_KNOWN = """
INSERT INTO graph_work (user_id, item_id, kind, at)
SELECT %s, graphed.item_id, %s, %s FROM graphed_item AS graphed
WHERE graphed.user_id = %s AND graphed.item_id = ANY(%s::uuid[])
"""


def enqueue_changes(user: EndUser, kind: str, items: Iterable[tuple[uuid.UUID, Tier]], now: datetime) -> None:
    """Note changed memories, in the transaction of the change; of other tiers only what may have traces.

    What moves out of a tier of ours arrives under another one: it is looked at if it was ever looked at before.
    """
    of_content_tiers, moved = [], []
    for item_id, tier in items:
        if tier in CONTENT_TIERS or kind == REMOVED:
            of_content_tiers.append(item_id)
        elif kind == PROMOTED:
            moved.append(item_id)
    enqueued = 0
    with connection.cursor() as cursor:
        if of_content_tiers:
            cursor.execute(ENQUEUE_ALL, [user.pk, kind, now, of_content_tiers])
            enqueued += cursor.rowcount
        if moved:
            cursor.execute(ENQUEUE_KNOWN, [user.pk, kind, now, user.pk, moved])
            enqueued += cursor.rowcount
    if enqueued:
        rows.mark_learning_due(user, now)


def lock_graphs(user: EndUser) -> None:
    """Lock the user's graphs for writing until the transaction ends."""
    lock_for_transaction("graphs", user)


def has_pending(user: EndUser) -> bool:
    """Whether work is pending. Needs the user's scope."""
    return (
        GraphWork.objects.filter(user=user).exists()
        or OutcomeEvent.objects.filter(user=user, learned_at__isnull=True).exists()
        or ActionTaken.objects.filter(user=user).exclude(verdict=F("learned")).exists()
    )


def clear_user_mark(user: EndUser) -> bool:
    """Clear the user's mark if nothing is pending. False if something is, or a writer takes too long."""
    return rows.LEARNING.clear(user, has_pending)


def list_due_users() -> list[int]:
    return rows.LEARNING.list_users()
