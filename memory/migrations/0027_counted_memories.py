"""The index of latest memories with the columns that the policy reads. Built beside the running installation."""

from django.db import migrations, models

from memory.models import migrating

# An index that was cut off stands there, unfinished, under its name.
BUILD = (
    "DROP INDEX CONCURRENTLY IF EXISTS memory_item_recent_seen",
    "CREATE INDEX CONCURRENTLY memory_item_recent_seen ON memory_item "
    "(user_id, status, tier, occurred_at DESC, id) INCLUDE (agent_id, project_id)",
    "DROP INDEX CONCURRENTLY IF EXISTS memory_item_recent",
)
UNBUILD = (
    "CREATE INDEX CONCURRENTLY memory_item_recent ON memory_item (user_id, status, tier, occurred_at DESC, id)",
    "DROP INDEX CONCURRENTLY IF EXISTS memory_item_recent_seen",
)


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0026_operator_display")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                *[migrations.RunSQL(build, migrations.RunSQL.noop) for build in BUILD],
                *[migrations.RunSQL(migrations.RunSQL.noop, unbuild) for unbuild in reversed(UNBUILD)],
            ],
            state_operations=[
                migrations.RemoveIndex("memoryitem", "memory_item_recent"),
                migrations.AddIndex(
                    "memoryitem",
                    models.Index(
                        fields=["user", "status", "tier", "-occurred_at", "id"],
                        include=("agent_id", "project_id"),
                        name="memory_item_recent_seen",
                    ),
                ),
            ],
        ),
    ]
