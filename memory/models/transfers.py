"""Exports and imports of a person: who took what out or in, and the lines that an import has still to write."""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models.isolation import user_key
from memory.models.people import EndUser


class TransferKind(StrEnum):
    EXPORT = "export"
    IMPORT = "import"
    CHATS = "chats"


class TransferState(StrEnum):
    # Kept and counted, until a person says that it is to be written.
    CHECKED = "checked"
    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    UNDOING = "undoing"
    UNDONE = "undone"


class Transfer(models.Model):
    """One export or import. Holds numbers only, and stays as the record of who took the data out or in."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    kind = models.CharField(max_length=8, choices=[(kind.value, kind.value) for kind in TransferKind])
    state = models.CharField(
        max_length=12, choices=[(state.value, state.value) for state in TransferState], default="pending"
    )
    actor = models.CharField(max_length=100, blank=True, default="")
    lines = models.PositiveIntegerField(default=0)
    # By type of line: how many are new, were there already, were refused.
    counts = models.JSONField(default=dict)
    # Of chats: the format, the tier, and what the check counted. Numbers and days, no words.
    survey = models.JSONField(default=dict, db_default={})
    # The ids of the file are somebody else's here: every one is replaced by one that follows from it and the person.
    has_own_ids = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "transfer"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "id"], name="transfer_user_id")]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="transfer_recent")]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class TransferPart(models.Model):
    """About a megabyte of checked lines, compressed, until the import has written them."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    transfer = models.ForeignKey(Transfer, on_delete=models.CASCADE, related_name="parts", db_constraint=False)
    number = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        db_table = "transfer_part"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "transfer", "number"], name="transfer_part_once")
        ]

    def __str__(self) -> str:
        return f"part {self.number} of {self.transfer_id}"


class TransferDue(models.Model):
    """A user with an import to write. Holds a time only."""

    end_user = models.OneToOneField(EndUser, on_delete=models.CASCADE, primary_key=True, related_name="+")
    since = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "transfer_due"

    def __str__(self) -> str:
        return str(self.end_user_id)
