"""Webhooks: who asked to hear of changes, what changed, and how far each message has come.

A change and the person it is about stand in `WebhookEvent`, under that person's policy, with ids and no words. A
delivery says which endpoint still has to hear of it; it belongs to the organisation, as the endpoint does.
"""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memory.models.isolation import user_key
from memory.models.people import EndUser, Organization

URL_CHARS = 2_000
EXCERPT_CHARS = 200


class DeliveryState(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    # Given up: it waits for somebody who sends it again.
    DEAD = "dead"


class WebhookEndpoint(models.Model):
    """An address of an organisation's own that is told of changes."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=URL_CHARS)
    events = ArrayField(models.CharField(max_length=40))
    # The external id of the one person it hears of; empty for everybody.
    person = models.CharField(max_length=128, blank=True, default="")
    includes_content = models.BooleanField(default=False)
    # Encrypted: each message is signed with it, so a digest would not do.
    sealed_secret = models.TextField()
    # The secret before the last rotation, which signs beside the new one until then.
    sealed_previous = models.TextField(blank=True, default="")
    previous_until = models.DateTimeField(null=True, blank=True)
    disabled_at = models.DateTimeField(null=True, blank=True)
    # Why it was disabled, where nobody asked for it.
    note = models.CharField(max_length=300, blank=True, default="")
    # Failures since the last delivery, when they began, and until when nothing is sent because of them.
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    actor = models.CharField(max_length=100, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "webhook_endpoint"
        indexes: ClassVar = [models.Index(fields=["organization", "created_at", "id"], name="webhook_endpoint_listed")]

    def __str__(self) -> str:
        return str(self.id)


class WebhookEvent(models.Model):
    """A change that an endpoint hears of, with the ids of what changed. Holds no words."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    kind = models.CharField(max_length=40)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "webhook_event"
        indexes: ClassVar = [models.Index(fields=["user", "created_at"], name="webhook_event_recent")]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class WebhookDelivery(models.Model):
    """One message for one endpoint, until it was answered. Pending rows are the queue."""

    id = models.BigAutoField(primary_key=True)
    endpoint = models.ForeignKey(WebhookEndpoint, on_delete=models.CASCADE, related_name="deliveries", db_index=False)
    # Whom it is about; null for a test. Not the policy's column: an endpoint's deliveries are listed together.
    end_user = models.ForeignKey(EndUser, on_delete=models.CASCADE, related_name="+", null=True, blank=True)
    # Without a constraint: the event may be purged or erased before the line that tells of it.
    event_id = models.UUIDField()
    kind = models.CharField(max_length=40)
    state = models.CharField(
        max_length=9, choices=[(state.value, state.value) for state in DeliveryState], default="pending"
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    created_at = models.DateTimeField(default=timezone.now)
    # When it was first sent on its way, or again by hand.
    queued_at = models.DateTimeField(default=timezone.now)
    attempted_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    error = models.CharField(max_length=200, blank=True, default="")
    # The beginning of a refusal's body, without secrets.
    excerpt = models.CharField(max_length=EXCERPT_CHARS, blank=True, default="")

    class Meta:
        db_table = "webhook_delivery"
        indexes: ClassVar = [
            models.Index(fields=["endpoint", "-id"], name="webhook_delivery_listed"),
            models.Index(
                fields=["endpoint", "due_at"], name="webhook_delivery_due", condition=models.Q(state="pending")
            ),
            models.Index(fields=["endpoint", "id"], name="webhook_delivery_dead", condition=models.Q(state="dead")),
            models.Index(fields=["created_at"], name="webhook_delivery_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"
