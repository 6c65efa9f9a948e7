"""The index of the memories that bring a title of their conversation. Built beside the running installation."""

from django.db import models

from memory.models import migrating

CREATE = (
    "CREATE INDEX CONCURRENTLY memory_item_titled ON memory_item (user_id, thread_id, agent_id, project_id, arrival) "
    "WHERE metadata ? 'thread_title'"
)


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0031_changing_events")]

    operations = [
        migrating.build_index_beside(
            "memoryitem",
            models.Index(
                fields=["user", "thread_id", "agent_id", "project_id", "arrival"],
                name="memory_item_titled",
                condition=models.Q(("metadata__has_key", "thread_title")),
            ),
            CREATE,
        ),
    ]
