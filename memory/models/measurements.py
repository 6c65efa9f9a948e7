"""Metrics of the installation. These rows hold no user, no text and no reference to either."""

from typing import ClassVar

from django.db import models
from django.utils import timezone


class DailyMetrics(models.Model):
    """The counts of one day in UTC, over all users."""

    day = models.DateField(primary_key=True)
    # Series to number.
    counts = models.JSONField(default=dict)
    # The counters as last read; the difference to their current values is still to be added.
    seen = models.JSONField(default=dict)

    class Meta:
        db_table = "daily_metrics"

    def __str__(self) -> str:
        return str(self.day)


class ModelCall(models.Model):
    """One request to the language model: purpose, duration, result, tokens and cost. Never its text."""

    id = models.BigAutoField(primary_key=True)
    purpose = models.CharField(max_length=40)
    model = models.CharField(max_length=200)
    outcome = models.CharField(max_length=20)
    prompt_tokens = models.PositiveIntegerField(default=0)
    answer_tokens = models.PositiveIntegerField(default=0)
    ms = models.FloatField(default=0.0)
    # In the currency of the configured prices; 0 without prices.
    cost = models.DecimalField(max_digits=14, decimal_places=8, default=0)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "model_call"
        indexes: ClassVar = [models.Index(fields=["at"], name="model_call_at")]

    def __str__(self) -> str:
        return f"{self.purpose} {self.outcome}"
