"""The index of the events that are more than that a memory was stored. Built beside the running installation."""

from django.db import models

from memory.models import migrating

CREATE = (
    "CREATE INDEX CONCURRENTLY memory_event_changed ON memory_event (user_id, at DESC, id DESC) "
    "WHERE NOT (kind = 'stored')"
)


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0030_fact_words")]

    operations = [
        migrating.build_index_beside(
            "memoryevent",
            models.Index(
                fields=["user", "-at", "-id"],
                name="memory_event_changed",
                condition=models.Q(("kind", "stored"), _negated=True),
            ),
            CREATE,
        ),
    ]
