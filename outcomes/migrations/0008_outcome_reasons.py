"""What a person said of an outcome. With a default of the database: no table is rewritten."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0007_bound_exchanges")]

    operations = [
        migrations.AddField("outcomeevent", "reason", models.TextField(blank=True, db_default="", default="")),
    ]
