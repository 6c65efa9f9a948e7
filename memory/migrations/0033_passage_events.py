"""The index of when passages of books were stored. Built beside the running installation."""

from django.db import migrations, models

from memory.models import migrating

# An index that was cut off stands there, unfinished, under its name.
BUILD = (
    "DROP INDEX CONCURRENTLY IF EXISTS memory_event_passage",
    "CREATE INDEX CONCURRENTLY memory_event_passage ON memory_event (user_id, at DESC, id DESC) "
    """WHERE kind = 'stored' AND (after -> 'tier') = '"books"'::jsonb""",
)
UNBUILD = "DROP INDEX CONCURRENTLY IF EXISTS memory_event_passage"


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0032_titled_memories")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                *[migrations.RunSQL(build, migrations.RunSQL.noop) for build in BUILD],
                migrations.RunSQL(migrations.RunSQL.noop, UNBUILD),
            ],
            state_operations=[
                migrations.AddIndex(
                    "memoryevent",
                    models.Index(
                        fields=["user", "-at", "-id"],
                        name="memory_event_passage",
                        condition=models.Q(("after__tier", "books"), ("kind", "stored")),
                    ),
                ),
            ],
        ),
    ]
