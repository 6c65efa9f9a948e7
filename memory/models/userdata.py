"""What a client keeps of a person under names of its own."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models.isolation import user_key

MAX_KEY_CHARS = 128


class UserData(models.Model):
    """A value of the client's: never searched, learned from or shown to a model."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    key = models.CharField(max_length=MAX_KEY_CHARS, db_collation="C")
    value = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "user_data"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "key"], name="user_data_once")]

    def __str__(self) -> str:
        return self.key
