"""The index of the events that are more than that a memory was stored. Built beside the running installation."""

from django.db import migrations, models

from memory.models import migrating

# An index that was cut off stands there, unfinished, under its name.
BUILD = (
    "DROP INDEX CONCURRENTLY IF EXISTS memory_event_changed",
    "CREATE INDEX CONCURRENTLY memory_event_changed ON memory_event (user_id, at DESC, id DESC) "
    "WHERE NOT (kind = 'stored')",
)
UNBUILD = "DROP INDEX CONCURRENTLY IF EXISTS memory_event_changed"


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0030_fact_words")]

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
                        name="memory_event_changed",
                        condition=models.Q(("kind", "stored"), _negated=True),
                    ),
                ),
            ],
        ),
    ]
