"""How deliveries stand, over all organisations, in numbers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Min, Q

from memory.models import WebhookDelivery, WebhookEndpoint
from memory.models.webhooks import DeliveryState

DEAD: Final = Q(state=DeliveryState.DEAD)


@dataclass(frozen=True, slots=True)
class DeliveryCounts:
    waiting: int
    dead: int
    oldest: datetime | None
    disabled: int
    """Endpoints that were disabled because nothing reached them."""


def count_deliveries() -> DeliveryCounts:
    waiting = Q(state=DeliveryState.PENDING)
    open_rows = WebhookDelivery.objects.filter(waiting | DEAD)
    found = open_rows.aggregate(
        waiting=Count("pk", filter=waiting), dead=Count("pk", filter=DEAD), oldest=Min("queued_at", filter=waiting)
    )
    disabled = WebhookEndpoint.objects.filter(disabled_at__isnull=False).exclude(note="").count()
    return DeliveryCounts(found["waiting"], found["dead"], found["oldest"], disabled)


def describe_troubles() -> list[str]:
    """What an operator should look at."""
    counts = count_deliveries()
    troubles = []
    if counts.dead:
        messages = f"{counts.dead} message{'s' * (counts.dead != 1)}"
        troubles.append(f"webhooks: {messages} given up; send again from the console")
    if counts.disabled:
        troubles.append(f"webhooks: {counts.disabled} endpoint{'s' * (counts.disabled != 1)} disabled after failures")
    return troubles
