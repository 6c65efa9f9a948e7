"""Sessions of coding agents belong to an agent and a project as their exchanges do, by the same policy."""

from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, agent_field, project_field

# Written out: the framework cannot change a column to a default that is a function.
DEFAULTS = """
ALTER TABLE agent_session
    ALTER COLUMN project_id TYPE varchar(128),
    ALTER COLUMN agent_id SET DEFAULT coalesce(current_setting('app.agent_id', true), ''),
    ALTER COLUMN project_id SET DEFAULT coalesce(current_setting('app.project_id', true), '');
"""
SCOPED = ["user", "thread_id", "agent_id", "project_id"]


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0005_session_agents")]

    operations = [
        migrations.RunSQL(
            DEFAULTS,
            migrations.RunSQL.noop,
            state_operations=[
                migrations.AlterField("agentsession", "agent_id", agent_field()),
                migrations.AlterField("agentsession", "project_id", project_field()),
            ],
        ),
        migrations.RemoveConstraint("agentsession", "agent_session_once"),
        migrations.AddConstraint("agentsession", models.UniqueConstraint(fields=SCOPED, name="agent_session_once")),
        ConfineToScope("AgentSession"),
    ]
