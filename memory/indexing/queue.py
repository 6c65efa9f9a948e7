"""Turns rows into vectors. The rows are the queue: whatever is ``pending`` remains to be done.

Every step is idempotent, also under concurrency and after a crash: vectors are upserted by id, and a row is marked
ready only if it has not changed since it was embedded.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import connection

from memory.access.outbox import PendingRows
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.indexes import vector_index
from memory.indexes.base import PayloadChange
from memory.indexing.passages import (
    build_points_ahead,
    load_previous_turns,
    prefix_model,
    set_indexing_deadline,
    vector_hash,
)
from memory.inference import embedder
from memory.models import EndUser, MemoryItem, Tombstone
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected, Unavailable
from memory.store import rows
from memory.tiers import Indexing

# Rows taken at once: a few embedder batches, so that the database is asked rarely.
BATCH = 128
# Batch size with contextual prefixes: small enough for each row to be described in time.
PREFIXED_BATCH = 16
EMBEDDER = "embedder"
PENDING = PendingRows(MemoryItem, "indexing", "index_after", "index_attempts", "index_error", stamp="version")


@dataclass(frozen=True, slots=True)
class IndexCounts:
    pending: int = 0
    ready: int = 0
    failed: int = 0


def count_indexing(user: EndUser, total: int | None = None) -> IndexCounts:
    """How far the user's active memories are on their way into the index. ``total``: how many there are, if known.

    Pending and failed rows have an index each; reading the state of all rows is ten times slower.
    """
    with user_scope(user):
        active = MemoryItem.objects.for_user(user).active()
        pending = active.filter(indexing=Indexing.PENDING).count()
        failed = active.filter(indexing=Indexing.FAILED).count()
        total = active.count() if total is None else total
    return IndexCounts(pending=pending, ready=max(0, total - pending - failed), failed=failed)


def retry_item(user: EndUser, item_id: uuid.UUID, *, now: datetime) -> bool:
    """Try a row again that was given up. False when there is none such."""
    with user_scope(user):
        given_up = MemoryItem.objects.for_user(user).filter(pk=item_id, indexing=Indexing.FAILED)
        if not given_up.update(indexing=Indexing.PENDING, index_attempts=0, index_error="", index_after=now):
            return False
        rows.mark_index_due(user, now)
    return True


def index_batch(user: EndUser, *, now: datetime, limit: int = BATCH) -> int:
    """Index up to ``limit`` pending rows of a user and purge as many deleted ones.

    Returns how many were taken; 0 means nothing is due now. Raises Unavailable when the embedder or the index is:
    the rows stay pending and are tried again after a pause.
    """
    # Deletions first: what a person took away must not be found while a long import is embedded.
    purged = purge_vectors(user, now=now)
    items = PENDING.list_due(user, now, min(limit, PREFIXED_BATCH) if prefix_model() else limit)
    if not items:
        return purged
    try:
        index_items(user, items, now=now)
    except (RequestRejected, BadReply) as error:
        # A wrong key or a sign-in page once made every waiting row fail for good within a minute.
        if not is_text_rejected(error):
            PENDING.postpone(user, items, now, error)
            raise
        index_one_by_one(user, items, now=now)
    except Unavailable as error:
        PENDING.postpone(user, items, now, error)
        raise
    return len(items) + purged


def index_items(user: EndUser, items: Sequence[MemoryItem], *, now: datetime) -> None:
    hashes = {item.pk: vector_hash(item) for item in items}
    changed = [item for item in items if item.vector_hash != hashes[item.pk]]
    deadline = set_indexing_deadline(len(changed))
    for points in build_points_ahead(changed, load_previous_turns(user, changed), deadline):
        vector_index().upsert(points, deadline)
    # Only tier or status changed: the payload is written and the embedder is not asked.
    moved = [item for item in items if item.vector_hash == hashes[item.pk]]
    for change, ids in group_by_payload(moved).items():
        vector_index().set_payload(user.pk, ids, change, deadline)
    mark_ready(user, items, hashes, now)


def group_by_payload(items: Sequence[MemoryItem]) -> dict[PayloadChange, list[uuid.UUID]]:
    groups: dict[PayloadChange, list[uuid.UUID]] = {}
    for item in items:
        groups.setdefault(PayloadChange(item.tier, item.status, item.revision), []).append(item.pk)
    return groups


MARK_READY = """
UPDATE memory_item AS item
SET indexing = 'ready', vector_hash = done.digest, indexed_at = %s, index_attempts = 0, index_error = ''
FROM unnest(%s::uuid[], %s::bigint[], %s::text[]) AS done(id, revision, digest)
WHERE item.user_id = %s AND item.id = done.id AND item.indexing = 'pending' AND item.revision = done.revision
"""


def mark_ready(user: EndUser, items: Sequence[MemoryItem], hashes: dict[uuid.UUID, str], now: datetime) -> None:
    """Mark rows ready. Rows that changed since they were read stay pending and are taken again."""
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(
            MARK_READY,
            [
                now,
                [item.pk for item in items],
                [item.revision for item in items],
                [hashes[item.pk] for item in items],
                user.pk,
            ],
        )


def is_text_rejected(error: Unavailable) -> bool:
    """Whether the embedder accepts other texts. A wrong key or a login page rejects all, and is no fault of a row.

    The index receives only numbers, so its refusals are never about a text.
    """
    if error.dependency != EMBEDDER:
        return False
    try:
        # Never the same text twice: the answer must not come from the cache.
        embedder().embed_passages([f"probe {uuid.uuid4()}"], Deadline(memory_conf().embedding.query_timeout_s))
    except Unavailable:
        return False
    return True


def index_one_by_one(user: EndUser, items: Sequence[MemoryItem], *, now: datetime) -> None:
    """Try each row alone, so that one bad text does not block its batch; only its own attempts are counted."""
    for item in items:
        try:
            index_items(user, [item], now=now)
        except (RequestRejected, BadReply) as error:
            PENDING.record_failure(user, item, now, error)


def purge_vectors(user: EndUser, *, now: datetime) -> int:
    """Remove the vectors of deleted items, a batch of them. Returns how many."""
    with user_scope(user):
        ids = list(Tombstone.objects.filter(user=user, purged_at=None).values_list("item_id", flat=True)[:BATCH])
    if ids:
        vector_index().delete(user.pk, ids, Deadline(10))
        with user_scope(user):
            Tombstone.objects.filter(user=user, item_id__in=ids).update(purged_at=now)
    return len(ids)


def has_pending(user: EndUser) -> bool:
    """Whether the index lacks anything of this user's, or has too much. Needs the user's scope."""
    return PENDING.has_any(user) or Tombstone.objects.filter(user=user, purged_at=None).exists()


def clear_user_mark(user: EndUser) -> bool:
    """Clear the user's mark if nothing is pending. False if something is, or a writer takes too long."""
    return rows.INDEXING.clear(user, has_pending)


def list_due_users() -> list[int]:
    return rows.INDEXING.list_users()
