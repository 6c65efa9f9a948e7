"""The embedding queue of personal records: rows are added with the record and embedded later.

Every step is idempotent and may be interrupted: a row becomes ready only if it has not changed since it was embedded.
"""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from memory.access.outbox import Outbox, PendingRows
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.indexes.nearest import format_vector
from memory.inference.base import Vector
from memory.models import EndUser
from memory.platform.deadline import Deadline
from memory.platform.faults import BadReply, RequestRejected, Unavailable
from memory.records.embedding import NAME, load_records_embedder, name_embedding_model
from memory.records.models import DIMENSIONS, ModelInUse, RecordEmbedding, RecordsDue
from memory.records.texts import Kind, RecordText
from memory.tiers import Indexing

BATCH = 128
# What is due longest is taken first, and an archive of 160,000 messages is 1,250 batches: a to-do of now does not wait
# for them.
AHEAD_OF_IMPORTS = timedelta(hours=1)
WAITING = Outbox(RecordsDue, "since")
PENDING = PendingRows(RecordEmbedding, "state", "due_at", "attempts", "error", stamp="revision")

ENQUEUE = """
INSERT INTO kind_embedding (user_id, kind, ref_id, memory_id, text, snippet, model_tag, created_at, state, revision,
                            attempts, due_at, error)
SELECT %(user)s, %(kind)s, ref, memory, text, snippet, '', created, 'pending', 1, 0, %(due)s, ''
FROM unnest(%(refs)s::uuid[], %(memories)s::uuid[], %(texts)s::text[], %(snippets)s::text[],
            %(created)s::timestamptz[]) AS new (ref, memory, text, snippet, created)
ON CONFLICT (user_id, kind, ref_id) DO UPDATE SET
    text = EXCLUDED.text, snippet = EXCLUDED.snippet, created_at = EXCLUDED.created_at, vector = NULL,
    state = 'pending', revision = kind_embedding.revision + 1, attempts = 0, due_at = EXCLUDED.due_at, error = ''
WHERE (kind_embedding.text, kind_embedding.snippet, kind_embedding.created_at, kind_embedding.state = 'failed')
    IS DISTINCT FROM (EXCLUDED.text, EXCLUDED.snippet, EXCLUDED.created_at, false)
"""
MARK_EVERYBODY = """
INSERT INTO kind_waiting AS mark (end_user_id, since) SELECT id, %s FROM end_user
ON CONFLICT (end_user_id) DO UPDATE SET since = excluded.since WHERE mark.since IS NULL
"""
COUNT_FAILURES = """
INSERT INTO kind_waiting AS mark (end_user_id, since, failed)
SELECT %(user)s, NULL, number
FROM (SELECT count(*) AS number FROM kind_embedding WHERE user_id = %(user)s AND state = 'failed') AS given_up
WHERE number > 0 OR EXISTS(SELECT FROM kind_waiting WHERE end_user_id = %(user)s AND failed > 0)
ON CONFLICT (end_user_id) DO UPDATE SET failed = excluded.failed WHERE mark.failed <> excluded.failed
"""
STORE_VECTORS = """
UPDATE kind_embedding AS row SET vector = done.vector, model_tag = %(tag)s, state = 'ready', attempts = 0, error = ''
FROM unnest(%(ids)s::bigint[], %(revisions)s::bigint[], %(vectors)s::halfvec[]) AS done (id, revision, vector)
WHERE row.user_id = %(user)s AND row.id = done.id AND row.revision = done.revision AND row.state = 'pending'
"""


@dataclass(frozen=True, slots=True)
class RecordWords:
    """What of a record is embedded. ``memory_id`` is the memory a message goes with."""

    ref_id: uuid.UUID
    words: RecordText
    created_at: datetime
    memory_id: uuid.UUID | None = None


def enqueue_texts(
    user: EndUser, kind: Kind, given: Sequence[RecordWords], *, now: datetime, is_import: bool = False
) -> bool:
    """Queue the text of records for embedding, in the transaction that writes them. Empty text is not queued.

    True when nothing of the user's waited before.
    """
    empty = [one.ref_id for one in given if not one.words.embedded]
    if empty:
        delete_embeddings(user, kind, empty)
    rows = [one for one in given if one.words.embedded]
    if not rows:
        return False
    values: dict[str, Any] = {
        "user": user.pk,
        "kind": kind.value,
        "refs": [one.ref_id for one in rows],
        "memories": [one.memory_id for one in rows],
        "texts": [one.words.embedded for one in rows],
        "snippets": [one.words.snippet for one in rows],
        "created": [one.created_at for one in rows],
        "due": now if is_import else now - AHEAD_OF_IMPORTS,
    }
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(ENQUEUE, values)
        return WAITING.mark(user, now)


def delete_embeddings(user: EndUser, kind: Kind, ref_ids: Collection[uuid.UUID]) -> None:
    """Remove these records from recall."""
    with user_scope(user):
        RecordEmbedding.objects.filter(user=user, kind=kind, ref_id__in=ref_ids).delete()


def delete_memory_embeddings(user: EndUser, memory_ids: Collection[uuid.UUID]) -> None:
    """Remove the messages that belong to these memories."""
    with user_scope(user):
        RecordEmbedding.objects.filter(user=user, memory_id__in=memory_ids).delete()


def embed_batch(user: EndUser, *, now: datetime) -> int:
    """Embed up to a batch of a user's waiting rows. Returns how many were taken.

    Raises Unavailable when there is no embedder: the rows wait on, and a pause keeps them from being tried at once.
    """
    rows = PENDING.list_due(user, now, BATCH, without=["vector"])
    if not rows:
        return 0
    try:
        store_vectors(user, rows, embed_rows(rows))
    except (RequestRejected, BadReply):
        embed_one_by_one(user, rows, now)
    except Unavailable as error:
        PENDING.postpone(user, rows, now, error)
        raise
    return len(rows)


def embed_rows(rows: Sequence[RecordEmbedding]) -> list[Vector]:
    deadline = Deadline(memory_conf().embedding.batch_timeout_s * max(1, len(rows) // 8))
    return load_records_embedder().embed_passages([row.text for row in rows], deadline)


def store_vectors(user: EndUser, rows: Sequence[RecordEmbedding], vectors: Sequence[Vector]) -> None:
    values: dict[str, Any] = {
        "user": user.pk,
        "tag": name_embedding_model(),
        "ids": [row.pk for row in rows],
        "revisions": [row.revision for row in rows],
        "vectors": [format_vector(vector, DIMENSIONS, NAME) for vector in vectors],
    }
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(STORE_VECTORS, values)


def embed_one_by_one(user: EndUser, rows: Sequence[RecordEmbedding], now: datetime) -> None:
    """Embed row by row, so that one bad text does not block its batch. If all fail, the server is at fault."""
    refused: list[tuple[RecordEmbedding, Unavailable]] = []
    for row in rows:
        try:
            store_vectors(user, [row], embed_rows([row]))
        except (RequestRejected, BadReply) as error:
            refused.append((row, error))
    # Of several texts not all are bad: then it is the server that refuses, and no attempt is counted.
    if len(refused) == len(rows) > 1:
        PENDING.postpone(user, rows, now, refused[0][1])
        raise Unavailable(NAME, refused[0][1].reason)
    for row, refusal in refused:
        PENDING.record_failure(user, row, now, refusal)


def save_failure_count(user: EndUser | int) -> None:
    """Note how many records were given up, where health can see it without the user's scope."""
    user_id = user if isinstance(user, int) else user.pk
    with user_scope(user), connection.cursor() as cursor:
        cursor.execute(COUNT_FAILURES, {"user": user_id})


def list_failing_users() -> list[int]:
    return list(RecordsDue.objects.filter(failed__gt=0).order_by("pk").values_list("pk", flat=True)[:1000])


def retry_failures(user: EndUser, *, now: datetime) -> int:
    """Queue what was given up once more. Returns how many."""
    with user_scope(user):
        failed = RecordEmbedding.objects.filter(user=user, state=Indexing.FAILED)
        number = failed.update(state=Indexing.PENDING, attempts=0, due_at=now, error="")
        if number:
            WAITING.mark(user, now)
    return number


def clear_user_mark(user: EndUser) -> bool:
    """Clear the user's mark if nothing is pending; False if something is, or a write is in progress."""
    save_failure_count(user)
    return WAITING.clear(user, PENDING.has_any)


def list_due_users() -> list[int]:
    return WAITING.list_users()


# --- another model -----------------------------------------------------------------------------------------------
def requeue_for_new_model(*, now: datetime) -> None:
    """After a change of the model, queue all users: their vectors must be computed again."""
    tag = name_embedding_model()
    known = ModelInUse.objects.filter(pk=1).first()
    if known is not None and known.tag == tag:
        return
    if known is not None:
        with connection.cursor() as cursor:
            cursor.execute(MARK_EVERYBODY, [now])
    ModelInUse.objects.update_or_create(pk=1, defaults={"tag": tag})


def requeue_foreign_rows(user: EndUser, *, now: datetime) -> None:
    """Queue the rows that another model embedded. They are found by its vectors until they have new ones."""
    with user_scope(user):
        foreign = RecordEmbedding.objects.filter(user=user, state=Indexing.READY).exclude(
            model_tag=name_embedding_model()
        )
        foreign.update(state=Indexing.PENDING, due_at=now)
