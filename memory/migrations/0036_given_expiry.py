"""Tells a time that a memory was given from the time that its tier gives."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("memory", "0035_inline_vectors")]

    operations = [
        migrations.AddField("memoryitem", "is_expiry_given", models.BooleanField(db_default=False, default=False)),
    ]
