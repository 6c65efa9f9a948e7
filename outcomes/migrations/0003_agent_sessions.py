"""The sessions of coding agents: the prompt that waits for its answer, which two requests tell."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):
    dependencies = [
        ("memory", "0007_consolidation"),
        ("outcomes", "0002_row_security"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentSession",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("thread_id", models.CharField(max_length=200)),
                ("project_id", models.CharField(blank=True, default="", max_length=200)),
                ("prompt", models.TextField(blank=True, default="")),
                ("prompt_key", models.CharField(blank=True, default="", max_length=64)),
                ("prompted_at", models.DateTimeField(blank=True, null=True)),
                ("turn_id", models.UUIDField(blank=True, null=True)),
                ("answer", models.TextField(blank=True, default="")),
                ("tools", models.JSONField(default=list)),
                ("told_hash", models.CharField(blank=True, default="", max_length=64)),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memory.enduser",
                    ),
                ),
            ],
            options={
                "db_table": "agent_session",
                "constraints": [
                    models.UniqueConstraint(fields=["user", "thread_id"], name="agent_session_once"),
                ],
            },
        ),
        IsolateByUser("AgentSession"),
    ]
