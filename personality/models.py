"""A person's own templates, and the one in force for them."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models.isolation import user_key

MAX_NAME_CHARS = 64


class PersonalityTemplate(models.Model):
    """``name`` is what it is called in addresses, ``title`` what the person wrote."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    name = models.CharField(max_length=MAX_NAME_CHARS, db_collation="C")
    title = models.CharField(max_length=100)
    content = models.TextField()
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "personality_template"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "name"], name="personality_template_once")]

    def __str__(self) -> str:
        return self.name


class ActivePersonality(models.Model):
    """What every context of a person begins with: a copy, so that a template may be worked on while it is in force.

    No row: none was chosen.
    """

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    # The preset or own template it is a copy of.
    name = models.CharField(max_length=MAX_NAME_CHARS)
    content = models.TextField()
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "personality_active"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user"], name="personality_active_once")]

    def __str__(self) -> str:
        return self.name


TEMPLATE_TABLES = (PersonalityTemplate, ActivePersonality)
