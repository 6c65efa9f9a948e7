"""Deletes expired records: positions of old turns, stored answers of idempotent requests."""

from datetime import datetime, timedelta
from typing import Any

from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.facts.streaming import drop_old_streams
from memory.models import IdempotencyRecord, Turn, WebhookEvent

IDEMPOTENCY_LIFE = timedelta(hours=24)
# Rows a statement deletes, so that no lock is held for long.
BATCH = 5000


def purge_expired_logs(user_id: int, *, now: datetime) -> int:
    """Delete expired rows in small batches, so that no lock is held for long. Returns how many."""
    with user_scope(user_id):
        deleted = drop_old_streams(user_id, now)
    old_logs = now - timedelta(days=memory_conf().limits.log_days)
    for model, limit in ((Turn, old_logs), (WebhookEvent, old_logs), (IdempotencyRecord, now - IDEMPOTENCY_LIFE)):
        while True:
            with user_scope(user_id):
                rows = model._default_manager.filter(user_id=user_id, created_at__lt=limit)
                ids: list[Any] = list(rows.values_list("pk", flat=True)[:BATCH])
                rows.filter(pk__in=ids).delete()
            deleted += len(ids)
            if len(ids) < BATCH:
                break
    return deleted
