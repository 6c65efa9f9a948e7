"""Labelled questions of a person, and what measuring with them gave. Two new tables; no row that exists is touched."""

import uuid

import django.contrib.postgres.fields
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import ConfineToScope, IsolateByUser, agent_field, project_field, user_key

STATES = [(state, state) for state in ("pending", "running", "completed", "failed")]


class Migration(migrating.Migration):
    dependencies = [("memory", "0017_review_debates")]

    operations = [
        migrations.CreateModel(
            name="EvaluationCase",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("user", user_key()),
                ("agent_id", agent_field()),
                ("project_id", project_field()),
                ("question", models.TextField()),
                (
                    "expected_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None),
                ),
                ("settings", models.JSONField(default=dict)),
                ("thread_id", models.CharField(blank=True, default="", max_length=200)),
                ("turn_id", models.UUIDField(blank=True, null=True)),
                ("asked_at", models.DateTimeField(blank=True, null=True)),
                ("actor", models.CharField(blank=True, default="", max_length=100)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "db_table": "evaluation_case",
                "indexes": [models.Index(fields=["user", "-created_at"], name="evaluation_case_recent")],
            },
        ),
        migrations.CreateModel(
            name="EvaluationRun",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("user", user_key()),
                ("agent_id", agent_field()),
                ("project_id", project_field()),
                ("batch_id", models.UUIDField(blank=True, null=True)),
                ("state", models.CharField(choices=STATES, max_length=12)),
                ("settings_a", models.JSONField(default=dict)),
                ("settings_b", models.JSONField(default=dict)),
                ("chosen", models.CharField(blank=True, default="", max_length=12)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("figures", models.JSONField(default=dict)),
                ("results", models.JSONField(default=list)),
                ("error", models.CharField(blank=True, default="", max_length=300)),
                ("actor", models.CharField(blank=True, default="", max_length=100)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "db_table": "evaluation_run",
                "indexes": [models.Index(fields=["user", "-created_at"], name="evaluation_run_recent")],
            },
        ),
        IsolateByUser("EvaluationCase"),
        ConfineToScope("EvaluationCase"),
        IsolateByUser("EvaluationRun"),
        ConfineToScope("EvaluationRun"),
    ]
