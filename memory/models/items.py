"""A memory, its versions and its events."""

import uuid
from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final, Self

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils import timezone

from memory.conf import memory_conf
from memory.models.isolation import agent_field, project_field, user_key
from memory.models.people import EndUser
from memory.tiers import POLICIES, Indexing, Outcome, SourceType, Status, Tier, Trust


def build_choices(values: Iterable[StrEnum]) -> list[tuple[str, str]]:
    return [(value.value, value.value) for value in values]


TRUST_CHOICES = [(value.value, value.name.lower()) for value in Trust]


class NextArrival(models.Func):
    """The next value of the sequence that orders rows by arrival."""

    template = "nextval('memory_item_arrival')"
    arity = 0
    output_field = models.BigIntegerField()


class ItemQuerySet(models.QuerySet["MemoryItem"]):
    def for_user(self, user: EndUser | int) -> Self:
        """Every read starts here. A second protection, in front of row-level security."""
        return self.filter(user_id=user if isinstance(user, int) else user.pk)

    def active(self) -> Self:
        return self.filter(status=Status.ACTIVE)


def is_kept_past_ttl() -> models.Q:
    """Rows that are kept past their TTL because they proved useful."""
    conf = memory_conf().promotion
    keeping = [tier for tier, policy in POLICIES.items() if policy.keeps_proven]
    return models.Q(tier__in=keeping, score__gte=conf.keep_score, uses__gte=conf.keep_uses)


def has_ended(now: datetime) -> models.Q:
    """Rows whose given time is over. A pass archives them; until it has come by, no answer may hold them."""
    return models.Q(is_expiry_given=True, expires_at__lte=now)


# The same in statements of our own, at ``now``.
HAS_ENDED: Final = "(is_expiry_given AND expires_at <= %(now)s)"


class MemoryItem(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    tier = models.CharField(max_length=16, choices=build_choices(Tier))
    status = models.CharField(max_length=16, choices=build_choices(Status), default=Status.ACTIVE.value)
    text = models.TextField()
    version = models.PositiveIntegerField(default=1)
    content_hash = models.CharField(max_length=64)
    tags = ArrayField(models.CharField(max_length=64), default=list)
    metadata = models.JSONField(default=dict)
    always_inject = models.BooleanField(default=False)
    # Rules the guard suspects its text of breaking. Until a person confirms it, it is told in no context by itself.
    # Database defaults: rows that SQL writes by hand are of the other tiers, which no guard reads.
    warnings = ArrayField(models.CharField(max_length=32), default=list, db_default=[])
    review = models.BooleanField(default=False, db_default=False)
    importance = models.FloatField(default=0.7)
    confidence = models.FloatField(default=0.7)
    mentions = models.PositiveIntegerField(default=1)

    thread_id = models.CharField(max_length=200, blank=True, default="")
    speaker = models.CharField(max_length=200, blank=True, default="")
    source_type = models.CharField(max_length=16, choices=build_choices(SourceType), default=SourceType.USER.value)
    source = models.JSONField(default=dict)
    trust = models.PositiveSmallIntegerField(choices=TRUST_CHOICES, default=Trust.USER.value)
    # Who wrote it ("key:mobile", "operator:ann"); events name who changed it.
    principal = models.CharField(max_length=100, blank=True, default="")
    # The memories it was derived from; purging them deletes it.
    parents = ArrayField(models.UUIDField(), default=list)
    # Stable digest of an imported row's origin, which makes imports idempotent.
    origin = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  (null is "not imported", and many)

    # Order of arrival: turns of one thread often have the same time.
    arrival = models.BigIntegerField(db_default=NextArrival(), editable=False)
    occurred_at = models.DateTimeField()
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    archived_at = models.DateTimeField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    # Whether whoever stored it said until when, and not its tier: then it is over for every answer.
    is_expiry_given = models.BooleanField(default=False, db_default=False)

    score = models.FloatField(default=0.5)
    uses = models.PositiveIntegerField(default=0)
    worked = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    partial = models.PositiveIntegerField(default=0)
    unknown = models.PositiveIntegerField(default=0)
    last_outcome = models.CharField(max_length=16, choices=build_choices(Outcome), blank=True, default="")
    # The number of outcomes when a move was undone: only a later one can move the item again.
    overruled_uses = models.PositiveIntegerField(default=0)
    last_used_at = models.DateTimeField(null=True, blank=True)
    retrieved = models.PositiveIntegerField(default=0)

    lexemes = SearchVectorField(null=True, editable=False)
    indexing = models.CharField(max_length=16, choices=build_choices(Indexing), default=Indexing.PENDING.value)
    index_attempts = models.PositiveSmallIntegerField(default=0)
    # Not to be indexed before this: the lease of a worker, or the pause after a failure.
    index_after = models.DateTimeField(default=timezone.now)
    index_error = models.CharField(max_length=300, blank=True, default="")
    vector_hash = models.CharField(max_length=64, blank=True, default="")
    indexed_at = models.DateTimeField(null=True, blank=True)
    # Incremented by a trigger on every change relevant to the vector index; never set by this code.
    revision = models.BigIntegerField(db_default=1, editable=False)

    objects = ItemQuerySet.as_manager()

    class Meta:
        db_table = "memory_item"
        constraints: ClassVar = [
            # What the composite foreign keys of versions and events point at.
            models.UniqueConstraint(fields=["user", "id"], name="memory_item_user_id"),
            models.UniqueConstraint(
                fields=["user", "origin"], name="memory_item_origin_once", condition=models.Q(origin__isnull=False)
            ),
            models.CheckConstraint(
                name="memory_item_ranges",
                condition=models.Q(
                    importance__gte=0,
                    importance__lte=1,
                    confidence__gte=0,
                    confidence__lte=1,
                    score__gte=0,
                    score__lte=1,
                ),
            ),
        ]
        indexes: ClassVar = [
            # With what the policy reads, so that counts by tier come from the index alone: 29 ms of CPU instead of 114
            # at 100,000 memories.
            models.Index(
                fields=["user", "status", "tier", "-occurred_at", "id"],
                include=["agent_id", "project_id"],
                name="memory_item_recent_seen",
            ),
            models.Index(fields=["user", "status", "-score", "id"], name="memory_item_score"),
            models.Index(fields=["user", "thread_id", "arrival"], name="memory_item_thread"),
            # The memories whose chat brought its title along, for whoever lists conversations by their titles.
            models.Index(
                fields=["user", "thread_id", "agent_id", "project_id", "arrival"],
                name="memory_item_titled",
                condition=models.Q(metadata__has_key="thread_title"),
            ),
            models.Index(fields=["user", "content_hash"], name="memory_item_hash"),
            models.Index(fields=["user", "updated_at", "id"], name="memory_item_updated"),
            models.Index(
                fields=["user", "index_after"], name="memory_item_pending", condition=models.Q(indexing="pending")
            ),
            models.Index(fields=["user", "id"], name="memory_item_failed", condition=models.Q(indexing="failed")),
            models.Index(
                fields=["user", "expires_at"],
                name="memory_item_expiry",
                condition=models.Q(status="active", expires_at__isnull=False),
            ),
            models.Index(
                fields=["user", "id"],
                name="memory_item_always",
                condition=models.Q(always_inject=True, status="active"),
            ),
            # The few or many rows of agents and projects; none of an installation without.
            models.Index(
                fields=["user", "project_id", "agent_id", "status", "-occurred_at"],
                name="memory_item_scope",
                condition=~models.Q(agent_id="", project_id=""),
            ),
            models.Index(fields=["user", "id"], name="memory_item_review", condition=models.Q(review=True)),
            # The few texts that a secret was taken out of, for whoever looks whether that was right.
            models.Index(
                fields=["user", "-occurred_at", "id"],
                name="memory_item_redacted",
                condition=models.Q(status="active", text__contains="[redacted: "),
            ),
            # The few rows that outcomes were recorded on, so that a pass finds what it has to move.
            models.Index(
                fields=["user", "tier", "score"],
                name="memory_item_judged",
                condition=models.Q(status="active", uses__gt=0),
            ),
            models.Index(fields=["user", "id"], name="memory_item_derived", condition=~models.Q(parents=[])),
            # Every search reads the pending list whole: at the default of 4 MB that was two thirds of its time.
            GinIndex(fields=["lexemes"], name="memory_item_lexemes", fastupdate=True, gin_pending_list_limit=128),
            # The words of the few rows that outcomes or a lesson speak of, and of the memory bank, for what is asked
            # before any search. Seldom written and asked word by word, so nothing is left pending.
            GinIndex(
                fields=["lexemes"],
                name="memory_item_judged_words",
                fastupdate=False,
                condition=models.Q(uses__gt=0) | ~models.Q(score=0.5),
            ),
            GinIndex(
                fields=["lexemes"],
                name="memory_item_bank_words",
                fastupdate=False,
                condition=models.Q(status="active", tier="memory_bank"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tier} {self.id}"


def item_key(related_name: str) -> "models.ForeignKey[MemoryItem, MemoryItem]":
    """Which memory it belongs to. The constraint is the composite one of ``IsolateByUser(references=...)``."""
    return models.ForeignKey(
        "memory.MemoryItem", on_delete=models.CASCADE, related_name=related_name, db_constraint=False
    )


class MemoryVersion(models.Model):
    """Another wording of an item: the one before a revision, or one merged into it."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    item = item_key("versions")
    version = models.PositiveIntegerField()
    text = models.TextField()
    tags = ArrayField(models.CharField(max_length=64), default=list)
    importance = models.FloatField()
    confidence = models.FloatField()
    thread_id = models.CharField(max_length=200, blank=True, default="")
    source_type = models.CharField(max_length=16, choices=build_choices(SourceType), default=SourceType.USER.value)
    source = models.JSONField(default=dict)
    trust = models.PositiveSmallIntegerField(choices=TRUST_CHOICES, default=Trust.USER.value)
    principal = models.CharField(max_length=100, blank=True, default="")
    parents = ArrayField(models.UUIDField(), default=list)
    # ``revised``: the next wording was made from this one. ``replaced``: a better one that says the same took its
    # place. ``merged``: it stood beside the item and never was its wording.
    reason = models.CharField(max_length=100, default="revised")
    archived_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memory_version"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "item", "version"], name="memory_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id} v{self.version}"


class MemoryEvent(models.Model):
    """One event of an item with its reason: the audit trail of every change."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    item = item_key("events")
    kind = models.CharField(max_length=32)
    reason = models.CharField(max_length=300, blank=True, default="")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)
    actor = models.CharField(max_length=100, blank=True, default="")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memory_event"
        indexes: ClassVar = [
            models.Index(fields=["user", "item", "-id"], name="memory_event_item"),
            # Days are counted from the index alone.
            models.Index(fields=["user", "-at", "-id"], include=["kind"], name="memory_event_recent"),
            # The few of a person with much that the timeline tells: that a memory was stored it tells by the memory.
            models.Index(
                fields=["user", "-at", "-id"], name="memory_event_changed", condition=~models.Q(kind="stored")
            ),
            # Nobody said a passage of a book: of it that it was stored is told.
            models.Index(
                fields=["user", "-at", "-id"],
                name="memory_event_passage",
                condition=models.Q(kind="stored", after__tier=Tier.BOOKS.value),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.item_id}"
