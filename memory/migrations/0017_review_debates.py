"""What a language model says for each of two facts that wait for a person."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("memory", "0016_client_documents")]

    operations = [
        migrations.AddField("factreview", "debate", models.JSONField(blank=True, db_default={}, default=dict)),
    ]
