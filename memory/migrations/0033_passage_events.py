"""The index of when passages of books were stored. Built beside the running installation."""

from django.db import models

from memory.models import migrating

CREATE = (
    "CREATE INDEX CONCURRENTLY memory_event_passage ON memory_event (user_id, at DESC, id DESC) "
    """WHERE kind = 'stored' AND (after -> 'tier') = '"books"'::jsonb"""
)


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0032_titled_memories")]

    operations = [
        migrating.build_index_beside(
            "memoryevent",
            models.Index(
                fields=["user", "-at", "-id"],
                name="memory_event_passage",
                condition=models.Q(("after__tier", "books"), ("kind", "stored")),
            ),
            CREATE,
        ),
    ]
