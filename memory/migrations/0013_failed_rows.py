"""The few rows that could not be indexed, so that they are counted and listed without reading the others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_insight_words")]

    operations = [
        migrations.AddIndex(
            "memoryitem",
            models.Index(fields=["user", "id"], name="memory_item_failed", condition=models.Q(("indexing", "failed"))),
        ),
    ]
