"""Operators of the console, organisations with their API keys, and end users."""

from enum import StrEnum
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memory.tiers import SCOPE_ID_CHARS


class Operator(AbstractUser):
    """A person who signs in to the console; sees the organisations they are a member of, superusers see all."""

    id = models.BigAutoField(primary_key=True)
    # Empty as long as the browser decides. With defaults of the database's own: a process of the version before still
    # makes operators while this one migrates.
    language = models.CharField(max_length=8, blank=True, default="", db_default="")
    time_zone = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta:
        db_table = "operator"

    def __str__(self) -> str:
        return self.get_username()

    @property
    def actor(self) -> str:
        """Who the events of this operator's changes name."""
        return f"operator:{self.get_username()}"


class Organization(models.Model):
    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=timezone.now)
    members: "models.ManyToManyField[Operator, Membership]" = models.ManyToManyField(
        Operator, through="Membership", related_name="organizations"
    )

    class Meta:
        db_table = "organization"

    def __str__(self) -> str:
        return self.name


class OperatorRole(StrEnum):
    """What an operator may do in an organisation: a member looks and puts right, an owner governs as well."""

    OWNER = "owner"
    MEMBER = "member"


class Membership(models.Model):
    operator = models.ForeignKey(Operator, on_delete=models.CASCADE)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE)
    # The lesser one wherever nothing else is said, also by a process of the version before.
    role = models.CharField(
        max_length=16,
        choices=[(value.value, value.value) for value in OperatorRole],
        default=OperatorRole.MEMBER.value,
        db_default=OperatorRole.MEMBER.value,
    )

    class Meta:
        db_table = "membership"
        constraints: ClassVar = [models.UniqueConstraint(fields=["operator", "organization"], name="membership_once")]

    def __str__(self) -> str:
        return f"{self.operator} in {self.organization}"


class SecretHandling(StrEnum):
    """What becomes of a write that holds a secret: the secret is taken out, or the write refused."""

    REDACT = "redact"
    REFUSE = "refuse"


class ApiKey(models.Model):
    """A bearer key of one organisation. Only the SHA-256 of the key is kept; ``hint`` is for recognising it."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="keys")
    name = models.CharField(max_length=200)
    hint = models.CharField(max_length=16)
    digest = models.CharField(max_length=64, unique=True)
    scopes = ArrayField(models.CharField(max_length=16))
    # External ids this key may act for; null means every user of the organisation.
    user_ids = ArrayField(models.CharField(max_length=128), null=True, blank=True)
    # The agent and the project it is bound to: it reads their memories and the person's own, and writes theirs.
    agent_id = models.CharField(max_length=SCOPE_ID_CHARS, blank=True, default="", db_default="")
    project_id = models.CharField(max_length=SCOPE_ID_CHARS, blank=True, default="", db_default="")
    requests_per_second = models.PositiveIntegerField(null=True, blank=True)
    # With a default of the database's own: a process of the version before still makes keys while this one migrates.
    secrets = models.CharField(
        max_length=8,
        choices=[(value.value, value.value) for value in SecretHandling],
        default=SecretHandling.REDACT.value,
        db_default=SecretHandling.REDACT.value,
    )
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "api_key"

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"


class EndUser(models.Model):
    """A user whose memories are stored, identified by the organisation's own ``external_id``."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="end_users")
    external_id = models.CharField(max_length=128)
    created_at = models.DateTimeField(default=timezone.now)
    # Set while rows of this user wait for the index, so that the sweep finds work without reading rows.
    index_due_since = models.DateTimeField(null=True, blank=True)
    # Set while outcomes or changed items wait to be learned from.
    learning_due_since = models.DateTimeField(null=True, blank=True)
    messages_since_promotion = models.PositiveIntegerField(default=0)
    last_thread_id = models.CharField(max_length=200, blank=True, default="")
    last_active_at = models.DateTimeField(null=True, blank=True)
    # When the last consolidation of this user's facts was finished.
    consolidated_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "end_user"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "external_id"], name="end_user_once"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["index_due_since"], name="end_user_index_due", condition=models.Q(index_due_since__isnull=False)
            ),
            models.Index(
                fields=["learning_due_since"],
                name="end_user_learning_due",
                condition=models.Q(learning_due_since__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return self.external_id
