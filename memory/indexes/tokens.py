"""Stores token vectors (as sign bits) beside the rows; they are deleted with the rows."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from django.db import connection

from memory.access.cursors import open_bounded_cursor
from memory.access.scope import user_scope
from memory.platform.deadline import Deadline

TOKENS = "tokens"

# An item that was deleted meanwhile is left out; one that is there stays until this is committed.
WRITE = """
INSERT INTO memory_token_vectors (user_id, item_id, model, signs, revision)
SELECT item.user_id, item.id, %s, new.signs, new.revision
FROM unnest(%s::uuid[], %s::bytea[], %s::bigint[]) AS new(id, signs, revision)
JOIN memory_item AS item ON item.user_id = %s AND item.id = new.id
FOR KEY SHARE OF item
ON CONFLICT (user_id, item_id) DO UPDATE
SET model = EXCLUDED.model, signs = EXCLUDED.signs, revision = EXCLUDED.revision
WHERE memory_token_vectors.revision <= EXCLUDED.revision
"""
DROP = "DELETE FROM memory_token_vectors WHERE user_id = %s AND item_id = ANY(%s)"
# Only turns of a thread: statements of the bank rank worse for being compared token by token.
LACKING = """
FROM memory_item AS item WHERE item.user_id = %s AND item.thread_id <> '' AND item.status IN ('active', 'dormant')
  AND item.indexing = 'ready' AND NOT EXISTS (
    SELECT FROM memory_token_vectors AS kept
    WHERE kept.user_id = item.user_id AND kept.item_id = item.id AND kept.model = %s
)
"""
READ = "SELECT item_id, signs FROM memory_token_vectors WHERE user_id = %s AND item_id = ANY(%s) AND model = %s"


def store_tokens(user_id: int, model: str, signs: Mapping[UUID, bytes | None], revisions: Mapping[UUID, int]) -> None:
    """Keep the signs of these items' tokens, also that there are none; None drops what was kept."""
    with_tokens = [item_id for item_id, rows in signs.items() if rows is not None]
    without = [item_id for item_id, rows in signs.items() if rows is None]
    with user_scope(user_id), connection.cursor() as cursor:
        if with_tokens:
            rows = [signs[item_id] for item_id in with_tokens]
            cursor.execute(WRITE, [model, with_tokens, rows, [revisions[one] for one in with_tokens], user_id])
        if without:
            cursor.execute(DROP, [user_id, without])


def read_tokens(user_id: int, model: str, ids: Sequence[UUID], deadline: Deadline) -> dict[UUID, bytes]:
    """The stored sign bits of these items for this model. Raises Unavailable."""
    with open_bounded_cursor(TOKENS, user_id, deadline, {}) as cursor:
        cursor.execute(READ, [user_id, list(ids), model])
        return {item_id: bytes(signs) for item_id, signs in cursor.fetchall()}


def count_items_without_tokens(user_id: int, model: str) -> int:
    """How many of the user's turns in the index have no tokens of this model."""
    with user_scope(user_id), connection.cursor() as cursor:
        cursor.execute("SELECT count(*) " + LACKING, [user_id, model])
        return int(cursor.fetchone()[0])


def list_items_without_tokens(user_id: int, model: str, limit: int) -> list[UUID]:
    """Some of them, the latest first."""
    with user_scope(user_id), connection.cursor() as cursor:
        cursor.execute(f"SELECT item.id {LACKING} ORDER BY item.arrival DESC LIMIT %s", [user_id, model, limit])
        return [item_id for (item_id,) in cursor.fetchall()]
