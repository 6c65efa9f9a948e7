"""The agent that a session of a coding agent works for, where its key names one."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0004_scopes")]

    operations = [
        migrations.AddField(
            "agentsession", "agent_id", models.CharField(blank=True, db_default="", default="", max_length=128)
        ),
    ]
