"""Whether what is read from an exchange stays in its project. With a default of the database: no table is rewritten."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0006_session_scopes")]

    operations = [
        migrations.AddField("agentsession", "is_bound", models.BooleanField(db_default=True, default=True)),
        migrations.AddField("exchange", "is_bound", models.BooleanField(db_default=True, default=True)),
    ]
