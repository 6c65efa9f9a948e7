"""Indexes of rows by agent and project, built beside the running installation.

Vectors were counted from an index alone; since their policy asks for two more columns, it has to hold them.
"""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import models

from memory.models import migrating


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0011_transfers")]

    operations = [
        AddIndexConcurrently(
            "memoryitem",
            models.Index(
                condition=models.Q(("agent_id", ""), ("project_id", ""), _negated=True),
                fields=["user", "project_id", "agent_id", "status", "-occurred_at"],
                name="memory_item_scope",
            ),
        ),
        AddIndexConcurrently(
            "memoryvector",
            models.Index(
                fields=["user", "collection", "tier", "status", "project_id", "agent_id"],
                name="memory_vector_scoped",
            ),
        ),
        RemoveIndexConcurrently("memoryvector", "memory_vector_payload"),
    ]
