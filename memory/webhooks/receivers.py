"""What of the core's signals becomes an event for others; forgetting; what health says of deliveries."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.dispatch import receiver

from memory.access.users import delete_rows
from memory.models import EndUser, WebhookDelivery, WebhookEvent
from memory.platform.queue import enqueue
from memory.signals import fact_superseded, health_probed, items_changed, review_due, secret_redacted, user_erased
from memory.tiers import Tier
from memory.webhooks import tasks
from memory.webhooks.counts import describe_troubles
from memory.webhooks.events import MOST_TOLD, NAMES_OF_CHANGES
from memory.webhooks.recording import is_anybody_listening, record_webhook_events


def tell_others(user_id: int, kind: str, *told: dict[str, Any]) -> None:
    record_webhook_events(user_id, kind, told)
    if is_anybody_listening():
        enqueue(tasks.deliver_webhooks)


@receiver(items_changed, dispatch_uid="webhooks.items")
def tell_of_memories(sender: type, user: EndUser, kind: str, items: Sequence[tuple[UUID, Tier]], **kwargs: Any) -> None:
    name = NAMES_OF_CHANGES.get(kind)
    if name is None or not items:
        return
    memories = [{"id": str(item_id), "tier": tier} for item_id, tier in items]
    parts = [memories[start : start + MOST_TOLD] for start in range(0, len(memories), MOST_TOLD)]
    tell_others(user.pk, name, *({"memories": part} for part in parts))


@receiver(fact_superseded, dispatch_uid="webhooks.facts")
def tell_of_facts(sender: type, user_id: int, fact_id: UUID, successor_id: UUID, **kwargs: Any) -> None:
    tell_others(user_id, "memory.superseded", {"fact_id": str(fact_id), "superseded_by": str(successor_id)})


@receiver(secret_redacted, dispatch_uid="webhooks.secrets")
def tell_of_secrets(sender: type, user: EndUser, item_id: UUID, kinds: Sequence[str], **kwargs: Any) -> None:
    tell_others(user.pk, "secret.redacted", {"memory_id": str(item_id), "kinds": list(kinds)})


@receiver(review_due, dispatch_uid="webhooks.reviews")
def tell_of_reviews(
    sender: type, user_id: int, review_id: UUID | None = None, item_id: UUID | None = None, **kwargs: Any
) -> None:
    told = {"review_id": str(review_id)} if review_id else {"memory_id": str(item_id)}
    tell_others(user_id, "review.due", told)


@receiver(user_erased, dispatch_uid="webhooks.erase")
def erase_messages(sender: type, user: EndUser, removed: dict[str, int], **kwargs: Any) -> None:
    """Waiting ones and those that were sent: a refusal may have quoted what it was told."""
    deleted, _ = WebhookDelivery.objects.filter(end_user=user).delete()
    removed.update({"webhook_delivery": deleted} if deleted else {})
    removed.update(delete_rows(user, [WebhookEvent]))


@receiver(health_probed, dispatch_uid="webhooks.health")
def report_deliveries(sender: type, warnings: list[str], **kwargs: Any) -> None:
    warnings.extend(describe_troubles())
