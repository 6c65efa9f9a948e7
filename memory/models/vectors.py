"""Vectors of the pgvector index. Can be rebuilt from the items at any time."""

from typing import ClassVar

from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from memory.models.isolation import agent_field, project_field, user_key


class MemoryVector(models.Model):
    """One item's vector in one collection, with the payload that search filters on.

    The column has no fixed width: each width in use has its own partial HNSW index.
    """

    id = models.BigAutoField(primary_key=True)
    user = user_key()
    agent_id = agent_field()
    project_id = project_field()
    item_id = models.UUIDField()
    collection = models.CharField(max_length=140)
    dims = models.PositiveSmallIntegerField()
    tier = models.CharField(max_length=16)
    status = models.CharField(max_length=16)
    embedding = HalfVectorField()
    vector_hash = models.CharField(max_length=64)
    # Of the item as it was when this was written; a write of an older revision changes nothing.
    revision = models.BigIntegerField(db_default=0)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "memory_vector"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "collection", "item_id"], name="memory_vector_once"),
        ]
        indexes: ClassVar = [
            # A search within a small tier of a large user reads that tier and not the user, or that project and not the
            # tier. It holds what the policies ask for: without that, counting 20,000 rows took 16 ms and not 1.7.
            models.Index(
                fields=["user", "collection", "tier", "status", "project_id", "agent_id"], name="memory_vector_scoped"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.collection} {self.item_id}"
