"""What a language model summed up of a thread, for its person alone and in the scope of its exchanges."""

import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, IsolateByUser, agent_field, project_field, user_key


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0009_space_verdicts")]

    operations = [
        migrations.CreateModel(
            name="ThreadDigest",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("user", user_key()),
                ("agent_id", agent_field()),
                ("project_id", project_field()),
                ("thread_id", models.CharField(max_length=200)),
                ("bullets", models.JSONField(default=list)),
                ("covered", models.PositiveIntegerField(default=0)),
                ("opening", models.CharField(blank=True, default="", max_length=200)),
                ("tone", models.CharField(blank=True, default="", max_length=16)),
                ("tone_read", models.PositiveIntegerField(default=0)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "thread_digest",
                "constraints": [
                    models.UniqueConstraint(
                        fields=["user", "thread_id", "agent_id", "project_id"], name="thread_digest_once"
                    )
                ],
            },
        ),
        IsolateByUser("ThreadDigest"),
        ConfineToScope("ThreadDigest"),
    ]
