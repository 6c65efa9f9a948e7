"""The state of a conversation on the hot path belongs to an agent and a project as its turns do, by the same policy."""

from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, agent_field, project_field

# To the policy the owner of the tables is a user like any other, and has no rows.
OPEN = """
ALTER TABLE hot_thread NO FORCE ROW LEVEL SECURITY;
ALTER TABLE hot_turn NO FORCE ROW LEVEL SECURITY;
"""
CLOSE = """
ALTER TABLE hot_thread FORCE ROW LEVEL SECURITY;
ALTER TABLE hot_turn FORCE ROW LEVEL SECURITY;
"""
# Where several spoke nothing tells whose a name is: it stays with none. Their numbers go on behind their last turn.
MOVE = """
UPDATE hot_thread SET
    agent_id = CASE WHEN spoke.scopes = 1 THEN spoke.agent_id ELSE '' END,
    project_id = CASE WHEN spoke.scopes = 1 THEN spoke.project_id ELSE '' END,
    mentions = CASE WHEN spoke.scopes = 1 THEN mentions ELSE '[]' END
FROM (
    SELECT user_id, thread_id, min(agent_id) AS agent_id, min(project_id) AS project_id,
        count(DISTINCT (agent_id, project_id)) AS scopes
    FROM hot_turn GROUP BY user_id, thread_id
) spoke
WHERE spoke.user_id = hot_thread.user_id AND spoke.thread_id = hot_thread.thread_id;
"""
SCOPED = ["user", "thread_id", "agent_id", "project_id"]


class Migration(migrating.Migration):
    dependencies = [("knowledge_graph", "0007_full_names"), ("memory", "0009_scopes")]

    operations = [
        migrations.AddField("hotthread", "agent_id", agent_field()),
        migrations.AddField("hotthread", "project_id", project_field()),
        migrations.RunSQL(OPEN + MOVE + CLOSE, migrations.RunSQL.noop),
        migrations.RemoveConstraint("hotthread", "hot_thread_once"),
        migrations.RemoveConstraint("hotturn", "hot_turn_once"),
        migrations.AddConstraint("hotthread", models.UniqueConstraint(fields=SCOPED, name="hot_thread_once")),
        migrations.AddConstraint("hotturn", models.UniqueConstraint(fields=[*SCOPED, "number"], name="hot_turn_once")),
        ConfineToScope("HotThread"),
    ]
