"""Imports of chats: what their check counted, and the states of one that waits for its word or is taken back."""

from django.db import migrations, models

from memory.models import migrating

KINDS = [("export", "export"), ("import", "import"), ("chats", "chats")]
STATES = [
    (state, state)
    for state in ("checked", "pending", "processing", "completed", "failed", "undoing", "undone")
]


class Migration(migrating.Migration):
    dependencies = [("memory", "0020_event_days")]

    operations = [
        migrations.AddField("transfer", "survey", models.JSONField(db_default={}, default=dict)),
        migrations.AlterField("transfer", "kind", models.CharField(choices=KINDS, max_length=8)),
        migrations.AlterField("transfer", "state", models.CharField(choices=STATES, default="pending", max_length=12)),
    ]
