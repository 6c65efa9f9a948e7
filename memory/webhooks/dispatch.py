"""Sends what is due: endpoints beside each other, the messages of one endpoint in their order.

What came of an attempt is one update; a worker killed before it sends the message again. An endpoint that does not
answer rests as a whole, so that a thousand messages for it cost one attempt now and then and nobody else's time.
"""

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Min, Q, QuerySet
from django.utils import timezone

from memory.models import WebhookDelivery, WebhookEndpoint
from memory.models.webhooks import DeliveryState
from memory.platform import metrics
from memory.webhooks.messages import OutgoingMessage, build_message, open_secrets
from memory.webhooks.secrets import SecretUnreadable
from memory.webhooks.sending import GONE, AttemptResult, send_batch

logger = structlog.get_logger(__name__)

# After each failure of a message, in seconds: 11 attempts in about a day.
RETRY_DELAYS_S: Final = (5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 25_200, 32_400)
MOST_PAUSE_S: Final = 300
# Of every delay, so that what failed together does not come back together.
JITTER: Final = 0.2
GIVEN_UP_AFTER: Final = timedelta(days=1)
DISABLED_AFTER: Final = timedelta(days=3)
ENDPOINTS, BATCH = 8, 20


def dispatch_due(now: datetime) -> int:
    """One round. Returns how many attempts were made."""
    endpoints = list(choose_endpoints(now))
    batches = [batch for endpoint in endpoints if (batch := prepare_batch(endpoint, now))]
    if not batches:
        return 0
    # The threads have no database: they sign and send.
    with ThreadPoolExecutor(max_workers=len(batches), thread_name_prefix="webhook") as senders:
        results = [result for done in senders.map(send_batch, batches) for result in done]
    for result in results:
        record_result(result)
    return len(results)


def select_due(now: datetime) -> "QuerySet[WebhookDelivery]":
    rested = Q(endpoint__paused_until=None) | Q(endpoint__paused_until__lte=now)
    return WebhookDelivery.objects.filter(
        rested, state=DeliveryState.PENDING, due_at__lte=now, endpoint__disabled_at=None
    )


def choose_endpoints(now: datetime) -> "QuerySet[WebhookEndpoint]":
    """Those whose messages have waited longest."""
    waiting = select_due(now).values("endpoint").annotate(first=Min("due_at")).order_by("first")[:ENDPOINTS]
    return WebhookEndpoint.objects.filter(pk__in=[one["endpoint"] for one in waiting]).order_by("pk")


def prepare_batch(endpoint: WebhookEndpoint, now: datetime) -> list[OutgoingMessage]:
    try:
        secrets = open_secrets(endpoint, now)
    except SecretUnreadable:
        disable_endpoint(endpoint, "its secret cannot be read, as SECRET_KEY has changed: rotate it", now)
        return []
    # An endpoint that was away is asked with one message whether it is back.
    number = 1 if endpoint.paused_until else BATCH
    rows = select_due(now).filter(endpoint=endpoint).select_related("end_user").order_by("pk")[:number]
    messages = []
    for row in rows:
        message = build_message(endpoint, row, secrets)
        if message is None:
            # Erased or purged since: there is nothing to tell.
            row.delete()
        else:
            messages.append(message)
    return messages


def record_result(result: AttemptResult) -> None:
    """What came of an attempt, for the message and its endpoint."""
    with transaction.atomic():
        row = WebhookDelivery.objects.select_for_update(of=("self",)).filter(pk=result.delivery_id).first()
        # Gone while it was on its way: the person was erased, or the endpoint deleted.
        if row is None:
            return
        endpoint = WebhookEndpoint.objects.select_for_update().get(pk=row.endpoint_id)
        row.attempts += 1
        row.attempted_at, row.status = result.at, result.status
        row.error, row.excerpt = result.error, result.excerpt
        if result.is_delivered:
            row.state = DeliveryState.DELIVERED
            note_success(endpoint, result.at)
        elif row.state == DeliveryState.PENDING:
            plan_retry(row, result)
        # Before its endpoint, which may give up all that waits.
        row.save()
        if not result.is_delivered:
            note_failure(endpoint, result)
    metrics.count("webhooks", row.state if row.state != DeliveryState.PENDING else "failed")


def plan_retry(row: WebhookDelivery, result: AttemptResult) -> None:
    if row.attempts > len(RETRY_DELAYS_S):
        row.state = DeliveryState.DEAD
        logger.warning("webhook given up", delivery=row.pk, endpoint=str(row.endpoint_id), reason=result.error)
        return
    row.due_at = result.at + spread(max(RETRY_DELAYS_S[row.attempts - 1], result.retry_after_s))


def spread(seconds: float) -> timedelta:
    return timedelta(seconds=seconds * random.uniform(1 - JITTER, 1 + JITTER))  # noqa: S311 -- no secret


def note_success(endpoint: WebhookEndpoint, at: datetime) -> None:
    if endpoint.paused_until is not None:
        # It is back: what waited for it need not wait for its own next attempt.
        waiting = WebhookDelivery.objects.filter(endpoint=endpoint, state=DeliveryState.PENDING, due_at__gt=at)
        waiting.update(due_at=at)
    endpoint.failures, endpoint.failing_since, endpoint.paused_until = 0, None, None
    endpoint.delivered_at = at
    endpoint.save(update_fields=["failures", "failing_since", "paused_until", "delivered_at"])


def note_failure(endpoint: WebhookEndpoint, result: AttemptResult) -> None:
    endpoint.failures += 1
    endpoint.failing_since = endpoint.failing_since or result.at
    if result.is_away:
        pause_s = min(RETRY_DELAYS_S[0] * 2 ** min(endpoint.failures - 1, 10), MOST_PAUSE_S)
        endpoint.paused_until = result.at + spread(max(pause_s, result.retry_after_s))
    endpoint.save(update_fields=["failures", "failing_since", "paused_until"])
    if endpoint.disabled_at is not None:
        return
    if result.status == GONE:
        disable_endpoint(endpoint, "it answered 410 Gone", result.at)
    elif result.at - endpoint.failing_since > DISABLED_AFTER:
        days = DISABLED_AFTER.days
        disable_endpoint(endpoint, f"nothing was delivered for {days} days; the last time: {result.error}", result.at)


def disable_endpoint(endpoint: WebhookEndpoint, note: str, now: datetime) -> None:
    """Nothing is sent to it and nothing collected for it until it is enabled; what waits is given up."""
    endpoint.disabled_at, endpoint.note = now, note[:300]
    endpoint.save(update_fields=["disabled_at", "note"])
    give_up(WebhookDelivery.objects.filter(endpoint=endpoint), "the endpoint was disabled")
    logger.warning("webhook endpoint disabled", endpoint=str(endpoint.pk), reason=note)


def give_up(rows: "QuerySet[WebhookDelivery]", reason: str) -> int:
    return rows.filter(state=DeliveryState.PENDING).update(state=DeliveryState.DEAD, error=reason)


def give_up_outlived(now: datetime) -> int:
    """Messages that found nobody for a day. Of endpoints that were asked: a worker that was off gives nothing up."""
    before = now - GIVEN_UP_AFTER
    lost = WebhookEndpoint.objects.filter(failing_since__lt=before)
    given_up = give_up(
        WebhookDelivery.objects.filter(endpoint__in=lost, queued_at__lt=before), "the endpoint was away for a day"
    )
    metrics.count("webhooks", DeliveryState.DEAD, given_up)
    return given_up


def purge_settled(before: datetime, limit: int) -> int:
    """Delete lines about what was delivered or given up before then, at most so many."""
    old = WebhookDelivery.objects.filter(created_at__lt=before).exclude(state=DeliveryState.PENDING)
    ids: Sequence[int] = list(old.values_list("pk", flat=True)[:limit])
    WebhookDelivery.objects.filter(pk__in=ids).delete()
    return len(ids)


def has_due() -> bool:
    return select_due(timezone.now()).exists()
