"""Links by which a person opens their own page."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):
    dependencies = [("memory", "0021_chat_imports")]

    operations = [
        migrations.CreateModel(
            name="PersonalLink",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("digest", models.CharField(max_length=64)),
                ("actor", models.CharField(blank=True, default="", max_length=100)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                ("signed_out_at", models.DateTimeField(blank=True, null=True)),
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
                "db_table": "personal_link",
                "constraints": [models.UniqueConstraint(fields=("user", "digest"), name="personal_link_once")],
            },
        ),
        IsolateByUser("PersonalLink"),
    ]
