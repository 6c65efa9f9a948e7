"""Messages: the body of an event for an endpoint, and its signature (Standard Webhooks)."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from standardwebhooks import Webhook

from memory.access.scope import user_scope
from memory.models import EndUser, Fact, FactReview, MemoryItem, WebhookDelivery, WebhookEndpoint, WebhookEvent
from memory.webhooks.events import TEST
from memory.webhooks.secrets import open_secret

# Of the texts of one message together; a hundred of the longest memories would be 3 MB.
MOST_CONTENT_CHARS: Final = 256 * 1024
# In an external id no client can give: the person is being erased.
ERASED_MARK: Final = "#"


@dataclass(frozen=True, slots=True)
class OutgoingMessage:
    """One delivery, ready to be signed and sent. ``secrets``: the new one first."""

    delivery_id: int
    url: str
    message_id: str
    body: str
    secrets: tuple[str, ...]

    def sign(self, now: datetime) -> dict[str, str]:
        """The headers of the scheme, for an attempt made now."""
        signed = [Webhook(secret).sign(self.message_id, now, self.body) for secret in self.secrets]
        return {
            "content-type": "application/json",
            "webhook-id": self.message_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(signed),
        }


def open_secrets(endpoint: WebhookEndpoint, now: datetime) -> tuple[str, ...]:
    """What signs for an endpoint now. Raises SecretUnreadable."""
    is_rotating = endpoint.previous_until is not None and endpoint.previous_until > now
    sealed = [endpoint.sealed_secret, *([endpoint.sealed_previous] if is_rotating else [])]
    return tuple(open_secret(one) for one in sealed)


def name_message(event_id: UUID) -> str:
    """The same for every attempt, so that a receiver knows what it had already."""
    return f"evt_{event_id.hex}"


def build_message(
    endpoint: WebhookEndpoint, delivery: WebhookDelivery, secrets: tuple[str, ...]
) -> OutgoingMessage | None:
    """None where what it would tell of is no longer kept."""
    told = describe_event(endpoint, delivery)
    if told is None:
        return None
    message_id = name_message(delivery.event_id)
    body = {"id": message_id, "type": delivery.kind, "timestamp": delivery.created_at.isoformat(), "data": told}
    return OutgoingMessage(
        delivery_id=delivery.pk,
        url=endpoint.url,
        message_id=message_id,
        body=json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        secrets=secrets,
    )


def describe_event(endpoint: WebhookEndpoint, delivery: WebhookDelivery) -> dict[str, Any] | None:
    if delivery.kind == TEST:
        return {"endpoint_id": str(endpoint.pk)}
    user = delivery.end_user
    if user is None or user.external_id.startswith(ERASED_MARK):
        return None
    with user_scope(user):
        event = WebhookEvent.objects.filter(user=user, pk=delivery.event_id).first()
        if event is None:
            return None
        data: dict[str, Any] = {"user_id": user.external_id, **event.data}
        return add_content(user, data) if endpoint.includes_content else data


def add_content(user: EndUser, data: dict[str, Any]) -> dict[str, Any]:
    """The words behind the ids as they are now; of what is gone there are none. In the user's scope."""
    if "memories" in data:
        return {**data, "memories": add_texts(user, data["memories"])}
    if "fact_id" in data:
        known = read_statements(user, [data["fact_id"], data["superseded_by"]])
        return {**data, "statement": known.get(data["fact_id"]), "new_statement": known.get(data["superseded_by"])}
    if "review_id" in data:
        review = FactReview.objects.filter(user=user, pk=data["review_id"]).select_related("fact", "other").first()
        return {**data, "statements": [review.fact.statement, review.other.statement] if review else []}
    [told] = add_texts(user, [{"id": data["memory_id"]}])
    return {**data, "text": told.get("text")}


def add_texts(user: EndUser, memories: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    ids = [one["id"] for one in memories]
    known = {str(item.pk): item for item in MemoryItem.objects.for_user(user).filter(pk__in=ids)}
    told, chars = [], 0
    for one in memories:
        item = known.get(one["id"])
        chars += len(item.text) if item else 0
        fits = item is not None and chars <= MOST_CONTENT_CHARS
        told.append({**one, **(describe_memory(item) if item is not None and fits else {"text": None})})
    return told


def describe_memory(item: MemoryItem) -> dict[str, Any]:
    return {
        "text": item.text,
        "tags": item.tags,
        "thread_id": item.thread_id,
        "agent_id": item.agent_id,
        "project_id": item.project_id,
        "occurred_at": item.occurred_at.isoformat(),
    }


def read_statements(user: EndUser, ids: Collection[str]) -> dict[str, str]:
    facts = Fact.objects.for_user(user).filter(pk__in=ids).values_list("pk", "statement")
    return {str(pk): statement for pk, statement in facts}
