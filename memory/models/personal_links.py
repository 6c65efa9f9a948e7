"""Links by which a person opens their own page."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models.isolation import user_key


class PersonalLink(models.Model):
    """The SHA-256 of a link's token. A credential: it is in no export, and ends with the person's erasure."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    digest = models.CharField(max_length=64)
    # Who made it, as events name them.
    actor = models.CharField(max_length=100, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)
    # Signing out ends what was opened before, also where somebody kept a copy of the cookie.
    signed_out_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "personal_link"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "digest"], name="personal_link_once")]

    def __str__(self) -> str:
        return f"link of {self.user_id}"
