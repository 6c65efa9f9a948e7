"""Books of a person: what was handed in, the jobs that read it, and which memories are its passages."""

import uuid
from enum import StrEnum
from typing import ClassVar

from django.db import models
from django.utils import timezone

from memory.models import EndUser
from memory.models.isolation import agent_field, project_field, user_key

TITLE_CHARS = 300
FILE_NAME_CHARS = 255


class JobState(StrEnum):
    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


OPEN_STATES = (JobState.PENDING.value, JobState.PROCESSING.value)


class JobStage(StrEnum):
    """What a job is at, in order."""

    WAITING = "waiting"
    READING = "reading"
    CUTTING = "cutting"
    EMBEDDING = "embedding"
    STORING = "storing"
    INDEXING = "indexing"
    DONE = "done"


class Book(models.Model):
    """A document that was read whole. Its passages are memories of the tier books."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    title = models.CharField(max_length=TITLE_CHARS)
    author = models.CharField(max_length=TITLE_CHARS, blank=True, default="")
    file_name = models.CharField(max_length=FILE_NAME_CHARS)
    file_type = models.CharField(max_length=16)
    size = models.PositiveIntegerField()
    # Of the bytes that were handed in: the same file is one book, whatever it is called.
    content_hash = models.CharField(max_length=64)
    # Not empty: a document of that thread alone, until it is published.
    thread_id = models.CharField(max_length=200, blank=True, default="")
    pages = models.PositiveIntegerField(null=True, blank=True)
    chunk_count = models.PositiveIntegerField()
    # What a reader of the file would see and the passages do not have, in sentences.
    notices = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "book"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "id"], name="book_user_id"),
            models.UniqueConstraint(
                fields=["user", "agent_id", "project_id", "thread_id", "content_hash"], name="book_once"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at", "id"], name="book_recent")]

    def __str__(self) -> str:
        return f"{self.file_type} {self.id}"


class BookChunk(models.Model):
    """Which memory is which passage of a book. Goes with either."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    book = models.ForeignKey(Book, on_delete=models.CASCADE, related_name="chunks", db_constraint=False)
    # Goes with the memory by the composite key: the ORM would first read thousands of these rows to delete them.
    item = models.ForeignKey("memory.MemoryItem", on_delete=models.DO_NOTHING, related_name="+", db_constraint=False)
    position = models.PositiveIntegerField()
    page = models.PositiveIntegerField(null=True, blank=True)
    section = models.TextField(blank=True, default="")
    tokens = models.PositiveIntegerField()
    has_code = models.BooleanField(default=False)

    class Meta:
        db_table = "book_chunk"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "book", "position"], name="book_chunk_once"),
            models.UniqueConstraint(fields=["user", "item"], name="book_chunk_item"),
        ]

    def __str__(self) -> str:
        return f"{self.book_id} {self.position}"


class DigestState(StrEnum):
    PENDING = "pending"
    DONE = "done"


class BookDigest(models.Model):
    """What a language model reads out of a book, part by part. The row is the queue; no row: no model was asked."""

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    # One of each book, by the rule below: a unique value without its owner would tell one person of another's.
    book = models.ForeignKey(Book, on_delete=models.CASCADE, related_name="digests", db_constraint=False)
    state = models.CharField(
        max_length=12, choices=[(state.value, state.value) for state in DigestState], default=DigestState.PENDING.value
    )
    # Not before this; empty once it is done.
    due_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    # Of how many the book has, so many are read, spread over it: a long book would take a day of a model.
    parts_of_book = models.PositiveIntegerField(default=0)
    parts = models.PositiveIntegerField(default=0)
    parts_read = models.PositiveIntegerField(default=0)
    # Of each part that was read, in their order: what the whole is put together of.
    part_summaries = models.JSONField(default=list)
    summary = models.TextField(blank=True, default="")
    themes = models.JSONField(default=list)
    insights = models.JSONField(default=list)
    concepts = models.JSONField(default=list)
    # [{"text": ..., "category": ...}, ...]
    quotes = models.JSONField(default=list)
    models_found = models.JSONField(default=list)
    summaries = models.JSONField(default=list)
    tone = models.CharField(max_length=60, blank=True, default="")
    style = models.CharField(max_length=60, blank=True, default="")
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "book_digest"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "book"], name="book_digest_once")]
        indexes: ClassVar = [
            models.Index(fields=["user", "due_at"], name="book_digest_due", condition=models.Q(state="pending"))
        ]

    def __str__(self) -> str:
        return f"{self.state} {self.book_id}"


class BookJob(models.Model):
    """The way of one upload to a book. The row is the queue: an open job is taken up again by any worker."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    state = models.CharField(
        max_length=12, choices=[(state.value, state.value) for state in JobState], default=JobState.PENDING.value
    )
    stage = models.CharField(
        max_length=12, choices=[(stage.value, stage.value) for stage in JobStage], default=JobStage.WAITING.value
    )
    # Of the whole job, 0 to 1.
    progress = models.FloatField(default=0.0)
    file_name = models.CharField(max_length=FILE_NAME_CHARS)
    # As given by whoever handed it in; empty: the document's own.
    title = models.CharField(max_length=TITLE_CHARS, blank=True, default="")
    thread_id = models.CharField(max_length=200, blank=True, default="")
    size = models.PositiveIntegerField()
    content_hash = models.CharField(max_length=64)
    # No foreign key: known from before the book's row, and kept as it was told.
    book_id = models.UUIDField(null=True, blank=True)
    is_duplicate = models.BooleanField(default=False)
    # A thread's document that becomes a book; no bytes are kept for it.
    document_id = models.UUIDField(null=True, blank=True)
    # Of the key it came with: a document with secrets is then refused, not redacted.
    refuses_secrets = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0)
    error_code = models.CharField(max_length=40, blank=True, default="")
    error_detail = models.CharField(max_length=500, blank=True, default="")
    actor = models.CharField(max_length=100, blank=True, default="")
    created_at = models.DateTimeField(default=timezone.now)
    # Of a book that can be asked before all its vectors are made, that moment: nobody is told of the work behind it.
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        db_table = "book_job"
        constraints: ClassVar = [models.UniqueConstraint(fields=["user", "id"], name="book_job_user_id")]
        indexes: ClassVar = [models.Index(fields=["user", "-created_at", "id"], name="book_job_recent")]

    def __str__(self) -> str:
        return f"{self.state} {self.id}"

    @property
    def is_found(self) -> bool:
        """All of it is stored and found by its words, and what its passages mean is still worked out."""
        return self.state in OPEN_STATES and self.finished_at is not None

    @property
    def told_state(self) -> JobState:
        """For whoever handed it in it is over once they can ask it something."""
        return JobState.COMPLETED if self.is_found else JobState(self.state)


class BookUpload(models.Model):
    """The bytes of a file until they are read. In the database, so that any worker of any node has them."""

    job = models.OneToOneField(
        BookJob, on_delete=models.CASCADE, primary_key=True, related_name="upload", db_constraint=False
    )
    user = user_key()
    body = models.BinaryField()

    class Meta:
        db_table = "book_upload"

    def __str__(self) -> str:
        return f"bytes of {self.job_id}"


class BooksDue(models.Model):
    """A user with a job to work on, or with something to clear away from then on. Holds a time only."""

    end_user = models.OneToOneField(EndUser, on_delete=models.CASCADE, primary_key=True, related_name="+")
    since = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "books_due"

    def __str__(self) -> str:
        return str(self.end_user_id)
