"""An index over the words of the few memories that experience says something about."""

import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_moves")]

    operations = [
        migrations.AddIndex(
            "memoryitem",
            django.contrib.postgres.indexes.GinIndex(
                condition=models.Q(("uses__gt", 0), models.Q(("score", 0.5), _negated=True), _connector="OR"),
                fields=["lexemes"],
                gin_pending_list_limit=128,
                name="memory_item_experience",
            ),
        ),
    ]
