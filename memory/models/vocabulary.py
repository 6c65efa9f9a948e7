"""An organisation's vocabulary, and what the messages of its people are labelled with.

A vocabulary is a preset and what the organisation changed of it: rows hold the changes alone, so that a preset that
grows with a release grows for everybody. It holds no text of a person; labels are the person's, one row a memory, and
go when the memory goes.
"""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from memory.models.isolation import user_key
from memory.models.people import Organization

TERM_CHARS = 60
MEANS_CHARS = 300
KIND_CHARS = 16


class VocabularyEdition(models.Model):
    """Which preset an organisation builds on, and how often it changed it. No row: the default one, unchanged."""

    organization = models.OneToOneField(Organization, on_delete=models.CASCADE, primary_key=True, related_name="+")
    preset = models.CharField(max_length=TERM_CHARS)
    number = models.PositiveIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "vocabulary_edition"

    def __str__(self) -> str:
        return f"{self.preset} {self.number}"


class VocabularyTerm(models.Model):
    """A term that the organisation added, or what it changed of one of the preset."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=KIND_CHARS)
    name = models.CharField(max_length=TERM_CHARS)
    means = models.CharField(max_length=MEANS_CHARS, blank=True, default="")
    aliases = ArrayField(models.CharField(max_length=TERM_CHARS), default=list)
    is_retired = models.BooleanField(default=False)
    replaced_by = models.CharField(max_length=TERM_CHARS, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "vocabulary_term"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "kind", "name"], name="vocabulary_term_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class VocabularyChange(models.Model):
    """One version: what was changed, by whom."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    version = models.PositiveIntegerField()
    change = models.CharField(max_length=MEANS_CHARS)
    actor = models.CharField(max_length=100, blank=True, default="")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "vocabulary_change"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "version"], name="vocabulary_change_once")
        ]

    def __str__(self) -> str:
        return f"{self.version}: {self.change}"


class TermSuggestion(models.Model):
    """What fitted no topic, counted over all people of the organisation: a word and a number, no message."""

    id = models.BigAutoField(primary_key=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    name = models.CharField(max_length=TERM_CHARS)
    messages = models.IntegerField(default=0)
    state = models.CharField(max_length=10, default="pending")
    # The term it was approved as or mapped to.
    term = models.CharField(max_length=TERM_CHARS, blank=True, default="")
    first_at = models.DateTimeField(default=timezone.now)
    last_at = models.DateTimeField(default=timezone.now)
    actor = models.CharField(max_length=100, blank=True, default="")
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "term_suggestion"
        constraints: ClassVar = [models.UniqueConstraint(fields=["organization", "name"], name="term_suggestion_once")]
        indexes: ClassVar = [
            models.Index(fields=["organization", "state", "-messages", "name"], name="term_suggestion_listed")
        ]

    def __str__(self) -> str:
        return self.name


class MessageLabel(models.Model):
    """What one memory is labelled with. Made anew from its text at any time."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    item_id = models.UUIDField()
    topics = ArrayField(models.CharField(max_length=TERM_CHARS), default=list)
    category = models.CharField(max_length=TERM_CHARS, blank=True, default="")
    message_type = models.CharField(max_length=TERM_CHARS, blank=True, default="")
    importance = models.CharField(max_length=8)
    # ``[{"type": …, "value": …}, …]``
    entities = models.JSONField(default=list)
    confidence = models.CharField(max_length=8)
    suggested_topic = models.CharField(max_length=TERM_CHARS, blank=True, default="")
    preset = models.CharField(max_length=TERM_CHARS)
    version = models.PositiveIntegerField()
    # "rules", or the name of the language model.
    reader = models.CharField(max_length=100)
    content_hash = models.CharField(max_length=64)
    # When a language model was asked, whether or not it answered as asked.
    asked_at = models.DateTimeField(null=True, blank=True)
    labelled_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "message_label"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "item_id"], name="message_label_once")]
        indexes: ClassVar = [
            models.Index(
                fields=["user", "suggested_topic"],
                name="message_label_suggested",
                condition=~models.Q(suggested_topic=""),
            )
        ]

    def __str__(self) -> str:
        return f"{self.item_id}: {', '.join(self.topics)}"


class LabelledTerm(models.Model):
    """A topic or an entity of one memory, as a row: under a policy an index on JSON finds nothing."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    item_id = models.UUIDField()
    kind = models.CharField(max_length=KIND_CHARS)
    # A topic's name, or an entity's key.
    term = models.CharField(max_length=100)
    occurred_at = models.DateTimeField()

    class Meta:
        db_table = "labelled_term"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "item_id", "kind", "term"], name="labelled_term_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["user", "kind", "term", "-occurred_at"], include=("item_id",), name="labelled_term_found"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.term}"
