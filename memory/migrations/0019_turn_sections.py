"""What a turn handed to the model: its sections with their tokens and memories, never their words."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("memory", "0018_evaluation")]

    operations = [migrations.AddField("turn", "sections", models.JSONField(db_default=[], default=list))]
