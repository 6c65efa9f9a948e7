"""Titles that were given to conversations. A new table; all others have a title made of what was said first."""

import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, IsolateByUser, agent_field, project_field, user_key


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0010_thread_digests")]

    operations = [
        migrations.CreateModel(
            name="ThreadTitle",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("user", user_key()),
                ("agent_id", agent_field()),
                ("project_id", project_field()),
                ("thread_id", models.CharField(max_length=200)),
                ("title", models.CharField(max_length=200)),
                ("actor", models.CharField(blank=True, default="", max_length=100)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "thread_title",
                "constraints": [
                    models.UniqueConstraint(
                        fields=["user", "thread_id", "agent_id", "project_id"], name="thread_title_once"
                    )
                ],
            },
        ),
        IsolateByUser("ThreadTitle"),
        ConfineToScope("ThreadTitle"),
    ]
