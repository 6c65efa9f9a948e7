"""Exchanges and what was said of them."""

import uuid
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memory.models import EndUser
from memory.tiers import Outcome


class Exchange(models.Model):
    """One question and its answer, as the client reported it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(EndUser, on_delete=models.CASCADE, related_name="+", db_index=False)
    thread_id = models.CharField(max_length=200)
    turn_id = models.UUIDField(null=True, blank=True)
    memory_id = models.UUIDField(null=True, blank=True)
    user_message = models.TextField()
    assistant_message = models.TextField()
    tools = models.JSONField(default=list)
    interrupted = models.BooleanField(default=False)
    required_scoring = models.BooleanField(default=False)
    scored_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "exchange"
        indexes: ClassVar = [models.Index(fields=["user", "thread_id", "-created_at"], name="exchange_thread")]

    def __str__(self) -> str:
        return str(self.id)


class OutcomeEvent(models.Model):
    """One recorded outcome and the memories it was about."""

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(EndUser, on_delete=models.CASCADE, related_name="+", db_index=False)
    turn_id = models.UUIDField(null=True, blank=True)
    exchange_id = models.UUIDField(null=True, blank=True)
    outcome = models.CharField(max_length=16, choices=[(value.value, value.value) for value in Outcome])
    signal = models.CharField(max_length=32, default="explicit")
    scored_ids = ArrayField(models.UUIDField(), default=list)
    learned_ids = ArrayField(models.UUIDField(), default=list)
    takeaway_id = models.UUIDField(null=True, blank=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "outcome_event"
        indexes: ClassVar = [models.Index(fields=["user", "-at"], name="outcome_event_recent")]

    def __str__(self) -> str:
        return f"{self.outcome} {self.at:%Y-%m-%d}"
