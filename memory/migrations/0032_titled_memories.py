"""The index of the memories that bring a title of their conversation. Built beside the running installation."""

from django.db import migrations, models

from memory.models import migrating

# An index that was cut off stands there, unfinished, under its name.
BUILD = (
    "DROP INDEX CONCURRENTLY IF EXISTS memory_item_titled",
    "CREATE INDEX CONCURRENTLY memory_item_titled ON memory_item (user_id, thread_id, agent_id, project_id, arrival) "
    "WHERE metadata ? 'thread_title'",
)
UNBUILD = "DROP INDEX CONCURRENTLY IF EXISTS memory_item_titled"


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0031_changing_events")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                *[migrations.RunSQL(build, migrations.RunSQL.noop) for build in BUILD],
                migrations.RunSQL(migrations.RunSQL.noop, UNBUILD),
            ],
            state_operations=[
                migrations.AddIndex(
                    "memoryitem",
                    models.Index(
                        fields=["user", "thread_id", "agent_id", "project_id", "arrival"],
                        name="memory_item_titled",
                        condition=models.Q(("metadata__has_key", "thread_title")),
                    ),
                ),
            ],
        ),
    ]
