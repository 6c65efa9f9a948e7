"""The outbox: an event, and a delivery for each endpoint that hears of it, in the transaction of the change."""

import json
import time
import uuid
from collections.abc import Sequence
from typing import Any, Final

from django.utils import timezone

from memory.access.deferred_writes import write_later
from memory.models import WebhookEndpoint

# One statement, whoever listens: a change asks nothing back, and nobody who listens costs it a look at a small index.
RECORD: Final = """
WITH hearing AS (
    SELECT endpoint.id FROM webhook_endpoint endpoint
    JOIN end_user person ON person.organization_id = endpoint.organization_id
    WHERE person.id = %s AND endpoint.disabled_at IS NULL AND endpoint.events @> ARRAY[%s]::varchar[]
        AND endpoint.person IN ('', person.external_id)
), noted AS (
    INSERT INTO webhook_event (id, user_id, kind, data, created_at)
    SELECT one.id, %s, %s, one.data::jsonb, %s FROM unnest(%s::uuid[], %s::text[]) AS one(id, data)
    WHERE EXISTS (SELECT FROM hearing)
    RETURNING id
)
INSERT INTO webhook_delivery
    (endpoint_id, end_user_id, event_id, kind, state, attempts, due_at, created_at, queued_at, error, excerpt)
SELECT hearing.id, %s, noted.id, %s, 'pending', 0, %s, %s, %s, '', '' FROM hearing, noted
"""
# A new endpoint's first message may wait for the sweep; asked with every write it would cost each a statement.
LOOK_AGAIN_S: Final = 5.0
_heard: tuple[float, bool] = (0.0, False)


def record_webhook_events(user_id: int, kind: str, told: Sequence[dict[str, Any]]) -> None:
    """Leave one event for each ``told``, its data. Inside the open scope of the user."""
    # By the clock itself: a pass may be told a time to come, and a message would wait for it.
    now = timezone.now()
    ids, data = [uuid.uuid4() for _ in told], [json.dumps(one) for one in told]
    event, delivery = [user_id, kind, now, ids, data], [user_id, kind, now, now, now]
    write_later(RECORD, [user_id, kind, *event, *delivery])


def is_anybody_listening() -> bool:
    """Whether there is an endpoint at all, as it was some seconds ago; for whether the worker is worth a message."""
    global _heard
    until, is_heard = _heard
    if time.monotonic() >= until:
        is_heard = WebhookEndpoint.objects.filter(disabled_at=None).exists()
        _heard = (time.monotonic() + LOOK_AGAIN_S, is_heard)
    return is_heard


def notice_endpoints() -> None:
    """Look anew: this process has changed an endpoint."""
    global _heard
    _heard = (0.0, False)
