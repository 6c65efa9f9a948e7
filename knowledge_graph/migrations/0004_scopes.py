"""The agent and the project of turns of the hot path, and policies on what the graphs keep of a scope's memories."""

from django.db import migrations

from memory.models import migrating
from memory.models.isolation import ConfineToScope, agent_field, project_field


class Migration(migrating.Migration):
    dependencies = [("knowledge_graph", "0003_hot_path"), ("memory", "0009_scopes"), ("outcomes", "0004_scopes")]

    operations = [
        migrations.AddField("hotturn", "agent_id", agent_field()),
        migrations.AddField("hotturn", "project_id", project_field()),
        ConfineToScope("HotTurn"),
        ConfineToScope("GraphedItem", parent="memory_item"),
        ConfineToScope("Mention", parent="memory_item"),
        ConfineToScope("Solution", parent="memory_item"),
        ConfineToScope("DocumentStat", parent="memory_item"),
        ConfineToScope("ActionExample", parent="action_taken", column="taken_id"),
    ]
