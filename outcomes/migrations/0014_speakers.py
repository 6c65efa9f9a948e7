"""Who asked, where it was not the person. With a default of the database: no table is rewritten."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("outcomes", "0013_said_at")]

    operations = [
        migrations.AddField(
            "exchange", "speaker", models.CharField(blank=True, db_default="", default="", max_length=200)
        ),
    ]
