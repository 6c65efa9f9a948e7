"""A fact once in each scope. Built beside the running installation: neither index keeps a writer waiting."""

from django.db import migrations, models

from memory.models import migrating

# An index that was cut off stands there, unfinished, under its name.
BUILD = (
    "DROP INDEX CONCURRENTLY IF EXISTS fact_once_in_scope",
    "CREATE UNIQUE INDEX CONCURRENTLY fact_once_in_scope ON fact "
    "(user_id, subject_key, relation, object_key, polarity, agent_id, project_id) "
    "WHERE state = 'active' AND relation NOT IN ('', 'about', 'asked_to_remember')",
    "DROP INDEX CONCURRENTLY IF EXISTS fact_once",
)
UNBUILD = (
    "CREATE UNIQUE INDEX CONCURRENTLY fact_once ON fact (user_id, subject_key, relation, object_key, polarity) "
    "WHERE state = 'active' AND relation NOT IN ('', 'about', 'asked_to_remember')",
    "DROP INDEX CONCURRENTLY IF EXISTS fact_once_in_scope",
)


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0009_scopes")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                *[migrations.RunSQL(build, migrations.RunSQL.noop) for build in BUILD],
                *[migrations.RunSQL(migrations.RunSQL.noop, unbuild) for unbuild in reversed(UNBUILD)],
            ],
            state_operations=[
                migrations.RemoveConstraint("fact", "fact_once"),
                migrations.AddConstraint(
                    "fact",
                    models.UniqueConstraint(
                        condition=models.Q(state="active")
                        & ~models.Q(relation__in=["", "about", "asked_to_remember"]),
                        fields=(
                            "user", "subject_key", "relation", "object_key", "polarity", "agent_id", "project_id",
                        ),
                        name="fact_once_in_scope",
                    ),
                ),
            ],
        ),
    ]  # fmt: skip
