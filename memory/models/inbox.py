"""What a person decided of the things that wait for one: so that it waits no more, and can be undone."""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models.isolation import agent_field, project_field, user_key


class MatterKind(StrEnum):
    """In the order in which the inbox shows them."""

    CONTRADICTIONS = "contradictions"
    SUSPECTED = "suspected"
    DUPLICATES = "duplicates"
    DOUBTFUL = "doubtful_facts"
    UNEXPLAINED = "unexplained_failures"
    EXPIRING = "expiring"
    REDACTIONS = "redactions"


class MatterDecision(StrEnum):
    KEEP = "keep"
    SUPERSEDE = "supersede"
    MERGE = "merge"
    KEEP_BOTH = "keep_both"
    REJECT = "reject"
    ARCHIVE = "archive"
    EXPLAIN = "explain"


class DecidedMatter(models.Model):
    """A decision of the inbox; with an empty one, a pair of near-duplicates that waits for it.

    Most of what waits is asked of the tables themselves and has a row here once it is decided. Pairs of duplicates are
    found by comparing all texts, and stand here from then on. One of the columns with an id names the subject.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    kind = models.CharField(max_length=24, choices=[(kind.value, kind.value) for kind in MatterKind])
    # The memory, which takes the row with it when it is deleted.
    item_id = models.UUIDField(null=True, blank=True)
    # Of two duplicates the other, which would be merged into it.
    other_id = models.UUIDField(null=True, blank=True)
    fact_id = models.UUIDField(null=True, blank=True)
    review_id = models.UUIDField(null=True, blank=True)
    event_id = models.BigIntegerField(null=True, blank=True)
    decision = models.CharField(
        max_length=12, choices=[(one.value, one.value) for one in MatterDecision], blank=True, default=""
    )
    actor = models.CharField(max_length=100, blank=True, default="")
    found_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)
    # What the decision changed, as it was: what an undo puts back.
    before = models.JSONField(default=dict, blank=True)

    class Meta:
        db_table = "decided_matter"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "item_id", "other_id"],
                name="decided_matter_pair_once",
                condition=models.Q(kind="duplicates"),
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "kind", "decision", "-found_at", "id"], name="decided_matter_waiting"),
            models.Index(
                fields=["user", "-decided_at", "id"], name="decided_matter_latest", condition=~models.Q(decision="")
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.decision or 'waits'}"
