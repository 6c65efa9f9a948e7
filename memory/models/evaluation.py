"""Questions with the memories that should be found, and what measuring two settings with them gave."""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memory.models.isolation import agent_field, project_field, user_key

QUESTION_CHARS = 1_000


class MeasuringState(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class EvaluationCase(models.Model):
    """A question that somebody labelled. Questions of turns that worked are read from their verdicts, not kept here."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    question = models.TextField()
    # Without the memories that were deleted since; a case without any is deleted.
    expected_ids = ArrayField(models.UUIDField())
    # The settings it was saved under, for whoever looks at it again.
    settings = models.JSONField(default=dict)
    thread_id = models.CharField(max_length=200, blank=True, default="")
    turn_id = models.UUIDField(null=True, blank=True)
    # The moment it is asked at: what was said later is not found. Empty: whenever it is measured.
    asked_at = models.DateTimeField(null=True, blank=True)
    actor = models.CharField(max_length=100, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "evaluation_case"
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="evaluation_case_recent")]

    def __str__(self) -> str:
        return str(self.id)


class EvaluationRun(models.Model):
    """A person's questions asked under two settings. Holds numbers and ids, no words."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    # Those of a whole organisation have one in common.
    batch_id = models.UUIDField(null=True, blank=True)
    state = models.CharField(max_length=12, choices=[(state.value, state.value) for state in MeasuringState])
    settings_a = models.JSONField(default=dict)
    settings_b = models.JSONField(default=dict)
    # Which questions: of turns, saved ones, or both.
    chosen = models.CharField(max_length=12, blank=True, default="")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    # Of each measure: both means with their intervals, and that of the difference.
    figures = models.JSONField(default=dict)
    # Of each question: where it is from, and its figures under both.
    results = models.JSONField(default=list)
    error = models.CharField(max_length=300, blank=True, default="")
    actor = models.CharField(max_length=100, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    # When the worker was last heard of.
    seen_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "evaluation_run"
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="evaluation_run_recent")]

    def __str__(self) -> str:
        return f"{self.id} {self.state}"
