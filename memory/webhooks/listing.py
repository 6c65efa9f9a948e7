"""What was sent to an endpoint, and sending it again."""

import uuid
from datetime import datetime

from django.db.models import QuerySet

from memory.access.scope import user_scope
from memory.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from memory.models.webhooks import DeliveryState
from memory.platform.queue import enqueue
from memory.webhooks.events import TEST
from memory.webhooks.tasks import deliver_webhooks


class NotSentAgain(Exception):
    """Why a delivery cannot be sent again."""


def list_deliveries(
    endpoint: WebhookEndpoint, *, state: DeliveryState | None = None, before: int | None = None, limit: int
) -> list[WebhookDelivery]:
    """The newest first, with whom they are about."""
    rows = WebhookDelivery.objects.filter(endpoint=endpoint).select_related("end_user").order_by("-pk")
    if state is not None:
        rows = rows.filter(state=state)
    return list((rows if before is None else rows.filter(pk__lt=before))[:limit])


def find_delivery(endpoint: WebhookEndpoint, delivery_id: int) -> WebhookDelivery | None:
    return WebhookDelivery.objects.filter(endpoint=endpoint, pk=delivery_id).select_related("end_user").first()


def send_test(endpoint: WebhookEndpoint, *, now: datetime) -> WebhookDelivery:
    """Queue a message that tells of nothing. Raises NotSentAgain for a disabled endpoint."""
    require_enabled(endpoint)
    row = WebhookDelivery.objects.create(
        endpoint=endpoint, event_id=uuid.uuid4(), kind=TEST, due_at=now, created_at=now, queued_at=now
    )
    enqueue(deliver_webhooks)
    return row


def send_again(endpoint: WebhookEndpoint, row: WebhookDelivery, *, now: datetime) -> WebhookDelivery:
    """Under the same id, with all its attempts anew. Raises NotSentAgain."""
    require_enabled(endpoint)
    if row.state == DeliveryState.PENDING:
        raise NotSentAgain("It is on its way already.")
    if not has_event(row):
        raise NotSentAgain("What it told of is no longer kept.")
    queue_again(WebhookDelivery.objects.filter(pk=row.pk).exclude(state=DeliveryState.PENDING), now)
    row.refresh_from_db()
    return row


def send_dead_again(endpoint: WebhookEndpoint, *, now: datetime) -> int:
    """All that were given up. Returns how many. Raises NotSentAgain for a disabled endpoint."""
    require_enabled(endpoint)
    return queue_again(WebhookDelivery.objects.filter(endpoint=endpoint, state=DeliveryState.DEAD), now)


def queue_again(rows: "QuerySet[WebhookDelivery]", now: datetime) -> int:
    number = rows.update(state=DeliveryState.PENDING, attempts=0, due_at=now, queued_at=now, error="", excerpt="")
    enqueue(deliver_webhooks)
    return number


def require_enabled(endpoint: WebhookEndpoint) -> None:
    if endpoint.disabled_at is not None:
        raise NotSentAgain("The endpoint is disabled; enable it first.")


def has_event(row: WebhookDelivery) -> bool:
    if row.kind == TEST:
        return True
    if row.end_user is None:
        return False
    with user_scope(row.end_user):
        return WebhookEvent.objects.filter(user=row.end_user, pk=row.event_id).exists()
