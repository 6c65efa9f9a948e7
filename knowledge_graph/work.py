"""The work list of changed memories, and the per-user mark that work is pending."""

import uuid
from collections.abc import Iterable
from datetime import datetime

from django.db import OperationalError, connection
from django.db.models import F
from psycopg.errors import LockNotAvailable

from knowledge_graph.models import GraphWork
from memory.access.scope import user_scope
from memory.models import EndUser
from memory.store import rows
from memory.tiers import Tier
from outcomes.models import ActionTaken, OutcomeEvent

CONTENT_TIERS = frozenset({Tier.MEMORY_BANK, Tier.PATTERNS, Tier.BOOKS})
"""Where what is kept is worth knowing whom and what it names."""
REMOVED = "removed"
ARCHIVED = "archived"
PROMOTED = "promoted"

LEAVE_ALL = """
INSERT INTO graph_work (user_id, item_id, kind, at) SELECT %s, item_id, %s, %s FROM unnest(%s::uuid[]) AS item_id
"""
LEAVE_KNOWN = """
INSERT INTO graph_work (user_id, item_id, kind, at)
SELECT %s, graphed.item_id, %s, %s FROM graphed_item AS graphed
WHERE graphed.user_id = %s AND graphed.item_id = ANY(%s::uuid[])
"""


def leave(user: EndUser, kind: str, items: Iterable[tuple[uuid.UUID, Tier]], now: datetime) -> None:
    """Leave word of changed memories, in the transaction of the change; of other tiers only what may have traces.

    What moves out of a tier of ours arrives under another one: it is looked at if it was ever looked at before.
    """
    wanted, passing = [], []
    for item_id, tier in items:
        if tier in CONTENT_TIERS or kind == REMOVED:
            wanted.append(item_id)
        elif kind == PROMOTED:
            passing.append(item_id)
    left = 0
    with connection.cursor() as cursor:
        if wanted:
            cursor.execute(LEAVE_ALL, [user.pk, kind, now, wanted])
            left += cursor.rowcount
        if passing:
            cursor.execute(LEAVE_KNOWN, [user.pk, kind, now, user.pk, passing])
            left += cursor.rowcount
    if left:
        rows.mark_learning_due(user, now)


def take_turns(user: EndUser) -> None:
    """Lock the user's graphs for writing until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended('graphs', %s))", [user.pk])


def is_waiting(user: EndUser) -> bool:
    """Whether work is pending. Needs the user's scope."""
    return (
        GraphWork.objects.filter(user=user).exists()
        or OutcomeEvent.objects.filter(user=user, learned_at__isnull=True).exists()
        or ActionTaken.objects.filter(user=user).exclude(verdict=F("learned")).exists()
    )


def settle(user: EndUser) -> bool:
    """Clear the user's mark if nothing is pending. False if something is, or a writer takes too long.

    The lock waits for every writer whose row is not visible yet (setting the mark locks the user's row in share mode)
    and blocks later ones, which then find the mark cleared and set it again.
    """
    try:
        with user_scope(user):
            locked = EndUser.objects.select_for_update().filter(pk=user.pk).first()
            if locked is None:
                return True
            if is_waiting(user):
                return False
            EndUser.objects.filter(pk=user.pk).update(learning_due_since=None)
        return True
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable):
            return False
        raise


def users_due(limit: int = 1000) -> list[int]:
    """Users with pending work, those that have waited longest first."""
    marked = EndUser.objects.filter(learning_due_since__isnull=False).order_by("learning_due_since")
    return list(marked.values_list("pk", flat=True)[:limit])
