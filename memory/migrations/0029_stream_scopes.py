"""What a conversation's next turn is reminded of belongs to an agent and a project, as the conversation does."""

from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, agent_field, project_field


class Migration(migrating.Migration):
    dependencies = [("memory", "0028_vectors_of_three_models")]

    # Rows from before are of no project; each conversation gets its own with its next exchange, and the old ones go
    # within seven days. They hold ids alone, of which a reader is told what their scope sees.
    operations = [
        migrations.AddField("factstream", "agent_id", agent_field()),
        migrations.AddField("factstream", "project_id", project_field()),
        migrations.RemoveConstraint("factstream", "fact_stream_once"),
        migrations.AddConstraint(
            "factstream",
            models.UniqueConstraint(fields=["user", "thread_id", "agent_id", "project_id"], name="fact_stream_once"),
        ),
        ConfineToScope("FactStream"),
    ]
