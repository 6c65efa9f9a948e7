"""Tables of personal records, their vectors, and the log of recalls."""

import uuid
from typing import Any, ClassVar

from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField, HnswIndex

from memory.models import EndUser
from memory.models.isolation import user_key
from memory.records.texts import Kind
from memory.tiers import Indexing

# Of both models that may embed them.
DIMENSIONS = 384


class RecordBase(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.id)


class Journal(RecordBase):
    """Drafts are private to their writer and not embedded."""

    title = models.CharField(max_length=300, blank=True, default="")
    body = models.TextField(blank=True, default="")
    is_draft = models.BooleanField(default=True)

    class Meta:
        db_table = "kind_journal"
        indexes: ClassVar = [models.Index(fields=["user", "-created_at", "-id"], name="kind_journal_recent")]


class Todo(RecordBase):
    title = models.CharField(max_length=500)
    done = models.BooleanField(default=False)

    class Meta:
        db_table = "kind_todo"
        indexes: ClassVar = [models.Index(fields=["user", "-created_at", "-id"], name="kind_todo_recent")]


class Gratitude(RecordBase):
    text = models.TextField()

    class Meta:
        db_table = "kind_gratitude"
        indexes: ClassVar = [models.Index(fields=["user", "-created_at", "-id"], name="kind_gratitude_recent")]


class Preference(RecordBase):
    """One of each user."""

    language = models.CharField(max_length=35, default="en")
    religion = models.CharField(max_length=100, null=True, blank=True)  # noqa: DJ001  (null is "not said")
    flags: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)

    class Meta:
        db_table = "kind_preference"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user"], name="kind_preference_once")]


class RecordEmbedding(models.Model):
    """The text and vector of one record. Pending rows are the queue; rows without a vector are not found."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    kind = models.CharField(max_length=16, choices=[(kind.value, kind.value) for kind in Kind])
    ref_id = models.UUIDField()
    # Of a message: the memory its exchange was kept in, with which it goes.
    memory_id = models.UUIDField(null=True, blank=True)
    text = models.TextField()
    snippet = models.TextField()
    vector = HalfVectorField(dimensions=DIMENSIONS, null=True, blank=True)
    model_tag = models.CharField(max_length=16, blank=True, default="")
    # Of the record: what its age is counted from.
    created_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=8, choices=[(s.value, s.value) for s in Indexing], default=Indexing.PENDING)
    revision = models.BigIntegerField(default=1)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    error = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        db_table = "kind_embedding"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "kind", "ref_id"], name="kind_embedding_once")]
        indexes: ClassVar = [
            models.Index(fields=["user", "due_at"], name="kind_embedding_due", condition=models.Q(state="pending")),
            models.Index(fields=["user", "id"], name="kind_embedding_failed", condition=models.Q(state="failed")),
            models.Index(fields=["user", "memory_id"], name="kind_embedding_memory"),
            HnswIndex(name="kind_embedding_near", fields=["vector"], opclasses=["halfvec_cosine_ops"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref_id}"


class RecallLog(models.Model):
    """One call of recall, kept for thirty days, without the query text."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    tool = models.CharField(max_length=32, default="memory.search")
    status = models.CharField(max_length=32)
    duration_ms = models.FloatField()
    top_k_effective = models.PositiveSmallIntegerField()
    filters: "models.JSONField[dict[str, Any], dict[str, Any]]" = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "kind_recalled"
        indexes: ClassVar = [models.Index(fields=["user", "at"], name="kind_recalled_at")]

    def __str__(self) -> str:
        return f"{self.status} {self.at:%Y-%m-%d}"


class RecordsDue(models.Model):
    """A user with pending or failed records. Holds a time and a number only, so that a sweep and the health check need
    not read user rows."""

    end_user = models.OneToOneField(EndUser, on_delete=models.CASCADE, primary_key=True, related_name="+")
    # Null while nothing is pending.
    since = models.DateTimeField(default=timezone.now, null=True, db_index=True)
    # Texts the embedder refused for good, counted whenever the queue has run.
    failed = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        db_table = "kind_waiting"
        indexes: ClassVar = [
            models.Index(fields=["end_user"], name="kind_waiting_failed", condition=models.Q(failed__gt=0))
        ]

    def __str__(self) -> str:
        return str(self.end_user_id)


class ModelInUse(models.Model):
    """The model of the stored vectors. When the settings name another, everything is embedded again."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    tag = models.CharField(max_length=16)

    class Meta:
        db_table = "kind_model"

    def __str__(self) -> str:
        return self.tag
