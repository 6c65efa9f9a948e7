"""Episodes of conversations, the runs that consolidate facts, and what a thread's next turn is reminded of."""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from memory.models.facts import choose_from
from memory.models.isolation import agent_field, project_field, user_key
from memory.tiers import Indexing

GIST_CHARS = 600


class FactEpisode(models.Model):
    """A run of one thread, up to a long stop or six exchanges. ``gist`` holds its first words, turn by turn.

    It goes in the transaction in which one of its memories goes or changes, and is built anew of what is left.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    thread_id = models.CharField(max_length=200)
    # In the order they were said. An exchange is found by its memory.
    memory_ids = ArrayField(models.UUIDField())
    gist = models.CharField(max_length=GIST_CHARS)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    # When facts were held against it, so that it counts as evidence once.
    weighed_at = models.DateTimeField(null=True, blank=True)

    vector = HalfVectorField(null=True, blank=True)
    model = models.CharField(max_length=140, blank=True, default="")
    indexing = models.CharField(max_length=16, choices=choose_from(Indexing), default=Indexing.PENDING.value)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "fact_episode"
        indexes: ClassVar = [
            models.Index(fields=["user", "thread_id", "-ended_at"], name="fact_episode_thread"),
            models.Index(fields=["user", "id"], name="fact_episode_unweighed", condition=models.Q(weighed_at=None)),
            models.Index(fields=["user", "id"], name="fact_episode_pending", condition=models.Q(indexing="pending")),
        ]

    def __str__(self) -> str:
        return f"episode {self.id}"


class RunState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    # A service was away for one of its stages; the next run does what is left.
    PARTIAL = "partial"


class FactRun(models.Model):
    """One consolidation of a person's facts. Holds numbers only; what was done stands in the facts' events."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    state = models.CharField(max_length=12, choices=choose_from(RunState), default=RunState.RUNNING.value)
    # The last stage that was finished: a run that was cut off goes on behind it.
    stage = models.CharField(max_length=24, blank=True, default="")
    counts = models.JSONField(default=dict)
    model_calls = models.PositiveIntegerField(default=0)
    # The dependencies that were away.
    missing = ArrayField(models.CharField(max_length=40), default=list)
    actor = models.CharField(max_length=100, blank=True, default="")
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "fact_run"
        indexes: ClassVar = [models.Index(fields=["user", "-started_at"], name="fact_run_recent")]

    def __str__(self) -> str:
        return f"{self.state} {self.id}"


class FactStream(models.Model):
    """What the next turn of a conversation is reminded of without asking. Holds ids and numbers, no words."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    thread_id = models.CharField(max_length=200)
    # ``[[kind, id, similarity, relevance], …]``, best first.
    lines = models.JSONField(default=list)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "fact_stream"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "thread_id", "agent_id", "project_id"], name="fact_stream_once")
        ]
        indexes: ClassVar = [models.Index(fields=["user", "made_at"], name="fact_stream_age")]

    def __str__(self) -> str:
        return f"stream of {self.made_at:%Y-%m-%d}"
