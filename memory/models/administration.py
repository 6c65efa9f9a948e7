"""What operators did to an installation and its organisations, and the backups that were asked for.

No person's data: an event names a key by how it begins and an erased person by the erasure's id, never by their own.
"""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models.people import Organization

ACTOR_CHARS = 200


class AuditAction(StrEnum):
    KEY_ISSUED = "key.issued"
    KEY_LIMITED = "key.limited"
    KEY_RENAMED = "key.renamed"
    KEY_END_CHANGED = "key.end_changed"
    KEY_ROTATED = "key.rotated"
    KEY_REVOKED = "key.revoked"
    MEMBER_ADDED = "member.added"
    MEMBER_CHANGED = "member.changed"
    MEMBER_REMOVED = "member.removed"
    ORGANIZATION_CREATED = "organization.created"
    ORGANIZATION_RENAMED = "organization.renamed"
    WEBHOOK_CREATED = "webhook.created"
    WEBHOOK_CHANGED = "webhook.changed"
    WEBHOOK_ROTATED = "webhook.rotated"
    WEBHOOK_DELETED = "webhook.deleted"
    MEMORIES_DELETED = "memories.deleted"
    LINK_MADE = "link.made"
    PERSON_ERASED = "person.erased"
    REINDEX_STARTED = "reindex.started"
    REINDEX_CHANGED = "reindex.changed"
    CHECK_STARTED = "check.started"
    BACKUP_STARTED = "backup.started"
    MEASURING_STARTED = "measuring.started"
    MEASURING_ENDED = "measuring.ended"
    ROW_CHANGED = "row.changed"


class AuditEvent(models.Model):
    """One change of an organisation, or of the installation where it names none. Never changed, deleted by age."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, null=True, related_name="audit_events")
    # Without choices: each new action would ask for a migration.
    action = models.CharField(max_length=40)
    actor = models.CharField(max_length=ACTOR_CHARS)
    subject = models.CharField(max_length=200, blank=True, default="")
    details = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "audit_event"
        indexes: ClassVar = [
            models.Index(fields=["organization", "-at"], name="audit_event_recent"),
            models.Index(fields=["at"], name="audit_event_age"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"


class BackupState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class BackupRun(models.Model):
    """One backup that was asked for, with how far it is. The archive lies on the disk of whichever worker wrote it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    state = models.CharField(
        max_length=16, choices=[(value.value, value.value) for value in BackupState], default=BackupState.RUNNING.value
    )
    host = models.CharField(max_length=200, blank=True, default="")
    path = models.CharField(max_length=1000, blank=True, default="")
    attempts = models.PositiveSmallIntegerField(default=0)
    tables_total = models.PositiveIntegerField(default=0)
    tables_done = models.PositiveIntegerField(default=0)
    rows = models.PositiveBigIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True, default="")
    actor = models.CharField(max_length=ACTOR_CHARS, blank=True, default="")
    started_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "backup_run"
        constraints: ClassVar = [
            models.UniqueConstraint(
                models.Value(1), name="backup_run_one_at_a_time", condition=models.Q(state=BackupState.RUNNING.value)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.started_at:%Y-%m-%d %H:%M}"

    @property
    def is_open(self) -> bool:
        return self.state == BackupState.RUNNING
