"""State of the vector index: its collections, reindex runs and consistency reports.

These rows hold no text and belong to no user: users appear only as numbers in checkpoints and counts.
"""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone


class VectorCollection(models.Model):
    """One collection of vectors that exists or is on its way out, with the model its vectors come from."""

    class Role(models.TextChoices):
        LIVE = "live"
        BUILDING = "building"
        PREVIOUS = "previous"
        REMOVING = "removing"

    backend = models.CharField(max_length=16)
    # The name the settings give to the index; its collections follow one another under it.
    alias = models.CharField(max_length=100)
    name = models.CharField(max_length=140)
    model = models.CharField(max_length=300)
    dimensions = models.PositiveIntegerField()
    passage_prefix = models.CharField(max_length=300, blank=True, default="")
    role = models.CharField(max_length=16, choices=Role.choices)
    created_at = models.DateTimeField(default=timezone.now)
    # End of the rollback window of a previous collection.
    keep_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "vector_collection"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["backend", "name"], name="vector_collection_once"),
            models.UniqueConstraint(
                fields=["backend", "alias", "role"],
                name="vector_collection_one_role",
                condition=models.Q(role__in=["live", "building", "previous"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.role})"


class ReindexRun(models.Model):
    """One rebuild of the index, with the checkpoint from which any process can continue it."""

    class State(models.TextChoices):
        RUNNING = "running"
        PAUSED = "paused"
        DONE = "done"
        CANCELLED = "cancelled"
        ROLLED_BACK = "rolled back"

    class Phase(models.TextChoices):
        COPY = "copy"
        CATCH_UP = "catch up"
        VERIFY = "verify"
        SWAP = "swap"
        CHECK = "check"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    target = models.ForeignKey(VectorCollection, on_delete=models.SET_NULL, null=True, related_name="+")
    # The target's name, kept after the target is removed.
    collection = models.CharField(max_length=140)
    # ``end_user`` (a number), ``tier``, ``since``; empty for the whole index.
    scope = models.JSONField(default=dict)
    state = models.CharField(max_length=16, choices=State.choices, default=State.RUNNING)
    phase = models.CharField(max_length=16, choices=Phase.choices, default=Phase.COPY)

    at_user = models.BigIntegerField(default=0)
    at_moment = models.DateTimeField(null=True, blank=True)
    # Checkpoint: everything of earlier users is done, and of this user everything up to (moment, item).
    at_item = models.UUIDField(null=True, blank=True)
    verified_rounds = models.PositiveSmallIntegerField(default=0)
    mended_in_round = models.PositiveBigIntegerField(default=0)

    # The comparison that followed the swap.
    report = models.ForeignKey("memory.DriftReport", on_delete=models.SET_NULL, null=True, related_name="+")
    rows_total = models.PositiveBigIntegerField(default=0)
    rows_done = models.PositiveBigIntegerField(default=0)
    rows_mended = models.PositiveBigIntegerField(default=0)
    rows_refused = models.PositiveBigIntegerField(default=0)
    rows_per_s = models.FloatField(default=0)
    error = models.CharField(max_length=300, blank=True, default="")
    started_at = models.DateTimeField(default=timezone.now)
    advanced_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "reindex_run"
        constraints: ClassVar = [
            models.UniqueConstraint(
                models.Value(1), name="reindex_run_one_at_a_time", condition=models.Q(state__in=["running", "paused"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.collection} {self.state} ({self.phase})"

    @property
    def is_open(self) -> bool:
        return self.state in {self.State.RUNNING, self.State.PAUSED}

    @property
    def progress(self) -> float:
        """The copied share, between 0 and 1."""
        if self.phase != self.Phase.COPY:
            return 1.0
        return min(1.0, self.rows_done / self.rows_total) if self.rows_total else 0.0


class DriftReport(models.Model):
    """One comparison of the index with the rows: the differences, in numbers, and the repairs."""

    class Mode(models.TextChoices):
        COUNTS = "counts"
        SAMPLE = "sample"
        FULL = "full"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    mode = models.CharField(max_length=16, choices=Mode.choices)
    repair = models.BooleanField(default=True)
    collection = models.CharField(max_length=140, blank=True, default="")
    # The only user looked at, if not everybody.
    end_user = models.BigIntegerField(null=True, blank=True)
    at_user = models.BigIntegerField(default=0)
    users = models.PositiveBigIntegerField(default=0)
    rows = models.PositiveBigIntegerField(default=0)
    points = models.PositiveBigIntegerField(default=0)
    found = models.JSONField(default=dict)
    mended = models.JSONField(default=dict)
    # Points of one user that were found under another, as ids; they are removed from the index.
    quarantine = models.JSONField(default=list)
    problem = models.CharField(max_length=300, blank=True, default="")
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "drift_report"
        indexes: ClassVar = [models.Index(fields=["-started_at"], name="drift_report_recent")]

    def __str__(self) -> str:
        return f"{self.mode} {self.started_at:%Y-%m-%d %H:%M}"

    @property
    def drift(self) -> int:
        return sum(self.found.values())

    @property
    def is_alarming(self) -> bool:
        return bool(self.quarantine)
