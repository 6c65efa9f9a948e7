"""Operational rows: positions of searches, stored answers of idempotent requests, tombstones, erasures."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models.isolation import agent_field, project_field, user_key
from memory.models.people import Organization


class Turn(models.Model):
    """The last search of a turn: the memory at each position, which ``related`` refers to."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    # Set by us or by the client; unique per user only.
    turn_id = models.UUIDField(default=uuid.uuid4)
    thread_id = models.CharField(max_length=200, blank=True, default="")
    query = models.TextField(blank=True, default="")
    # ``[[memory_id, tier], …]``, best first.
    positions = models.JSONField(default=list)
    debug = models.JSONField(default=dict)
    # What the context handed over, in order: ``[[name, tokens, [memory_id, …]], …]``. Words are not kept a second time.
    sections = models.JSONField(default=list, db_default=[])
    created_at = models.DateTimeField(default=timezone.now)
    scored_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "turn"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "turn_id"], name="turn_once")]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="turn_recent")]

    def __str__(self) -> str:
        return str(self.turn_id)

    @property
    def handed_ids(self) -> list[str]:
        """The memories it handed over, each once: those of the search first, then what its context told besides."""
        told = [str(item_id) for _name, _tokens, ids in self.sections for item_id in ids]
        return list(dict.fromkeys([*(str(item_id) for item_id, _tier in self.positions), *told]))


class IdempotencyRecord(models.Model):
    """The first answer to a request that carried an Idempotency-Key, kept for 24 hours."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    key = models.CharField(max_length=255)
    route = models.CharField(max_length=300)
    body_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    response = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "idempotency_record"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "route", "key"], name="idempotency_once"),
        ]

    def __str__(self) -> str:
        return self.key


class Tombstone(models.Model):
    """A deleted item: its id and origin, never its text. Until ``purged_at`` its vector may still exist."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    item_id = models.UUIDField()
    origin = models.CharField(max_length=64, null=True, blank=True)  # noqa: DJ001  (null is "not imported", and many)
    deleted_at = models.DateTimeField(default=timezone.now)
    purged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "tombstone"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "item_id"], name="tombstone_once")]
        indexes: ClassVar = [
            models.Index(fields=["user"], name="tombstone_unpurged", condition=models.Q(purged_at__isnull=True)),
            models.Index(fields=["user", "origin"], name="tombstone_origin"),
        ]

    def __str__(self) -> str:
        return str(self.item_id)


class Erasure(models.Model):
    """An erasure of an end user: what was removed, in numbers only."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="erasures")
    end_user_id = models.BigIntegerField()
    removed = models.JSONField(default=dict)
    requested_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "erasure"

    def __str__(self) -> str:
        return str(self.id)

    @property
    def removed_rows(self) -> int:
        return sum(count for count in self.removed.values() if isinstance(count, int))
