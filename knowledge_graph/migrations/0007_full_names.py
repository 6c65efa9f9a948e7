"""An index of full names. Built beside the running installation: no writer waits for it."""

from django.db import migrations, models

from memory.models import migrating

# An index that was cut off stands there, unfinished, under its name.
BUILD = (
    "DROP INDEX CONCURRENTLY IF EXISTS graph_entity_full_name",
    "CREATE INDEX CONCURRENTLY graph_entity_full_name ON graph_entity (user_id, key) "
    "WHERE key::text LIKE '% %' AND kind = 'person'",
)
UNBUILD = "DROP INDEX CONCURRENTLY IF EXISTS graph_entity_full_name"


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("knowledge_graph", "0006_name_decisions")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                *[migrations.RunSQL(build, migrations.RunSQL.noop) for build in BUILD],
                migrations.RunSQL(migrations.RunSQL.noop, UNBUILD),
            ],
            state_operations=[
                migrations.AddIndex(
                    "entity",
                    models.Index(
                        fields=["user", "key"],
                        name="graph_entity_full_name",
                        condition=models.Q(("key__contains", " "), ("kind", "person")),
                    ),
                ),
            ],
        ),
    ]
