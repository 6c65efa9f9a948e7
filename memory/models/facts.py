"""What is held true of a person: facts, the evidence for them, their history, and what waits for a decision.

A fact is a statement with a validity in time. Evidence has no text of its own, so that erasing stays exact: the words
stand in the fact and in the exchange they were said in, nowhere else.
"""

import uuid
from collections.abc import Iterable
from enum import StrEnum
from typing import ClassVar, Self

from django.db import models
from django.db.models.functions import MD5
from django.utils import timezone
from pgvector.django import HalfVectorField

from memory.models.isolation import ScopedRow, agent_field, project_field, user_key
from memory.models.items import TRUST_CHOICES
from memory.models.people import EndUser
from memory.tiers import Indexing, Trust

STATEMENT_CHARS = 1_000
KEY_CHARS = 200
# A fact of which less speaks than against it, whoever said it.
DOUBTED_BELOW = 0.5


class FactState(StrEnum):
    ACTIVE = "active"
    # Its confidence has decayed below what any answer uses.
    DEPRECATED = "deprecated"
    # It says the same as another, which has its evidence now.
    MERGED = "merged"
    # It was so; a later statement took its place.
    SUPERSEDED = "superseded"
    # It never was so: a correction, or a person's rejection.
    RETRACTED = "retracted"
    # The person had it forgotten: nothing of its content is left.
    FORGOTTEN = "forgotten"


class EvidenceKind(StrEnum):
    EXCHANGE = "exchange"
    IMPORT = "import"
    PERSON = "person"
    BANK = "bank"
    MODEL = "model"
    HOT_TURN = "hot_turn"
    EPISODE = "episode"


class ReviewKind(StrEnum):
    CONTRADICTION = "contradiction"
    DUPLICATE = "duplicate"
    UNSURE = "unsure"


class ReviewDecision(StrEnum):
    MERGE = "merge"
    SUPERSEDE = "supersede"
    KEEP_BOTH = "keep_both"
    REJECT = "reject"


def choose_from(values: Iterable[StrEnum]) -> list[tuple[str, str]]:
    return [(value.value, value.value) for value in values]


class FactQuerySet(models.QuerySet["Fact"]):
    def for_user(self, user: EndUser | int) -> Self:
        """Every read starts here, in front of row-level security."""
        return self.filter(user_id=user if isinstance(user, int) else user.pk)

    def active(self) -> Self:
        return self.filter(state=FactState.ACTIVE)

    def of_scope(self, scope: ScopedRow) -> Self:
        """What one statement may say again, end or replace: of the very agent and project, or of neither."""
        return self.filter(agent_id=scope.agent_id, project_id=scope.project_id)


class Fact(models.Model):
    """One belief about a person or their world.

    Its confidence is computed from ``base_confidence`` and ``evidence_at`` (`memory.facts.confidence`) and stands in no
    column: written down every night, it would compound.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    # "you" is the person; the keys are folded, for comparing.
    subject = models.CharField(max_length=KEY_CHARS)
    subject_key = models.CharField(max_length=KEY_CHARS)
    relation = models.CharField(max_length=64, blank=True, default="")
    object = models.CharField(max_length=KEY_CHARS, blank=True, default="")
    object_key = models.CharField(max_length=KEY_CHARS, blank=True, default="")
    statement = models.CharField(max_length=STATEMENT_CHARS)
    category = models.CharField(max_length=32, blank=True, default="")
    lang = models.CharField(max_length=8, blank=True, default="")
    polarity = models.BooleanField(default=True)
    # As the claim had it: "over" says that something has ended, "new" that it replaced what was.
    tense = models.CharField(max_length=8, default="present")

    base_confidence = models.FloatField()
    evidence_at = models.DateTimeField()
    evidence_count = models.PositiveIntegerField(default=1)
    is_confirmed = models.BooleanField(default=False)
    # Written into the bank by a person, or reworded by one: a remark in passing does not end it, a review decides.
    is_curated = models.BooleanField(default=False)

    state = models.CharField(max_length=12, choices=choose_from(FactState), default=FactState.ACTIVE.value)
    merged_into = models.UUIDField(null=True, blank=True)
    superseded_by = models.UUIDField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    valid_from = models.DateTimeField(null=True, blank=True)
    valid_to = models.DateTimeField(null=True, blank=True)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField()

    thread_id = models.CharField(max_length=200, blank=True, default="")
    trust = models.PositiveSmallIntegerField(choices=TRUST_CHOICES, default=Trust.USER.value)
    principal = models.CharField(max_length=100, blank=True, default="")
    # The bank item it was published as, or read from.
    bank_item_id = models.UUIDField(null=True, blank=True)
    revision = models.PositiveIntegerField(default=1)

    vector = HalfVectorField(null=True, blank=True)
    model = models.CharField(max_length=140, blank=True, default="")
    indexing = models.CharField(max_length=16, choices=choose_from(Indexing), default=Indexing.PENDING.value)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    objects = FactQuerySet.as_manager()

    class Meta:
        db_table = "fact"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "id"], name="fact_user_id"),
            models.UniqueConstraint(
                fields=["user", "subject_key", "relation", "object_key", "polarity", "agent_id", "project_id"],
                name="fact_once_in_scope",
                condition=models.Q(state="active") & ~models.Q(relation__in=["", "about", "asked_to_remember"]),
            ),
            models.CheckConstraint(
                name="fact_ranges", condition=models.Q(base_confidence__gte=0, base_confidence__lte=1)
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "state", "-last_seen", "id"], name="fact_recent"),
            models.Index(fields=["user", "subject_key", "relation"], name="fact_slot"),
            # What else a sentence told is asked for before a fact of it ends.
            models.Index("user", MD5("statement"), name="fact_sentence"),
            models.Index(
                fields=["user", "bank_item_id"], name="fact_bank_item", condition=models.Q(bank_item_id__isnull=False)
            ),
            models.Index(fields=["user", "id"], name="fact_pending", condition=models.Q(indexing="pending")),
            # What nobody answers for, or little speaks for: it waits in the inbox.
            models.Index(
                fields=["user", "-last_seen", "id"],
                name="fact_doubtful",
                condition=models.Q(state="active", is_confirmed=False)
                & (models.Q(trust__lt=Trust.USER) | models.Q(base_confidence__lt=DOUBTED_BELOW)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.id}"

    @property
    def keys(self) -> tuple[str, str, str]:
        """Subject, relation and object, folded: by which it is compared."""
        return self.subject_key, self.relation, self.object_key


def fact_key(related_name: str) -> "models.ForeignKey[Fact, Fact]":
    """Which fact it belongs to. The constraint is the composite one of the migration."""
    return models.ForeignKey("memory.Fact", on_delete=models.CASCADE, related_name=related_name, db_constraint=False)


class FactEvidence(models.Model):
    """That something speaks for a fact (``stance`` 1) or against it (-1). Has no text."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    fact = fact_key("evidence")
    kind = models.CharField(max_length=12, choices=choose_from(EvidenceKind))
    # Of the exchange, the imported memory, the bank item or the request.
    ref_id = models.UUIDField()
    # The memory that goes with it. When that is deleted, the evidence goes in the same transaction.
    memory_id = models.UUIDField(null=True, blank=True)
    thread_id = models.CharField(max_length=200, blank=True, default="")
    occurred_at = models.DateTimeField()
    stance = models.SmallIntegerField(default=1)
    # How far it moved the confidence: c + step x (1 - c).
    step = models.FloatField(default=0.0)

    class Meta:
        db_table = "fact_evidence"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "fact", "kind", "ref_id"], name="fact_evidence_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "kind", "ref_id"], name="fact_evidence_ref"),
            models.Index(fields=["user", "memory_id"], name="fact_evidence_memory"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.ref_id}"


class FactEvent(models.Model):
    """One event of a fact with its reason: the audit trail, and what an undo goes back to."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    fact = fact_key("events")
    kind = models.CharField(max_length=32)
    reason = models.CharField(max_length=300, blank=True, default="")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    actor = models.CharField(max_length=100, blank=True, default="")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "fact_event"
        indexes: ClassVar = [
            models.Index(fields=["user", "fact", "-id"], name="fact_event_fact"),
            # Days are counted from the index alone.
            models.Index(fields=["user", "-at", "-id"], include=["kind"], name="fact_event_recent"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.fact_id}"


class FactReview(models.Model):
    """Two facts that neither time nor speaker decides between. Open until ``decision`` is set."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    fact = fact_key("reviews")
    # The fact that was there before; ``fact`` is the newer.
    other = models.ForeignKey("memory.Fact", on_delete=models.CASCADE, related_name="+", db_constraint=False)
    kind = models.CharField(max_length=16, choices=choose_from(ReviewKind))
    cosine = models.FloatField(null=True, blank=True)
    decision = models.CharField(max_length=12, choices=choose_from(ReviewDecision), blank=True, default="")
    actor = models.CharField(max_length=100, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    decided_at = models.DateTimeField(null=True, blank=True)
    # When a language model was asked about it, which happens once.
    asked_at = models.DateTimeField(null=True, blank=True)
    # What a language model says for each of the two: for_newer, for_older, both, conclusion. Empty: it was not asked.
    debate = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta:
        db_table = "fact_review"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "fact", "other"], name="fact_review_once"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at", "id"], name="fact_review_open", condition=models.Q(decision=""))
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class FactTombstone(models.Model):
    """That a fact was forgotten: evidence from before does not bring it back. Holds a digest, no words."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    digest = models.CharField(max_length=64)
    forgotten_at = models.DateTimeField()

    class Meta:
        db_table = "fact_tombstone"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "digest"], name="fact_tombstone_once")]

    def __str__(self) -> str:
        return self.digest[:12]


class FactsDue(models.Model):
    """A user with facts to embed or bank items to read. Holds a time only."""

    end_user = models.OneToOneField(EndUser, on_delete=models.CASCADE, primary_key=True, related_name="+")
    since = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "fact_due"

    def __str__(self) -> str:
        return str(self.end_user_id)
