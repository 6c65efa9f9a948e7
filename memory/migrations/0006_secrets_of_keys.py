"""What a key does with secrets: those that exist go on redacting, which loses no write."""

from django.db import migrations, models

from memory.models import migrating


class Migration(migrating.Migration):
    dependencies = [("memory", "0005_bank_review")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="secrets",
            field=models.CharField(
                choices=[("redact", "redact"), ("refuse", "refuse")],
                db_default="redact",
                default="redact",
                max_length=8,
            ),
        ),
    ]
