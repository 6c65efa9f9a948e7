"""The words of judged memories and of the memory bank, each with an index of its own that leaves nothing pending."""

import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_token_vectors")]

    operations = [
        migrations.RemoveIndex(model_name="memoryitem", name="memory_item_experience"),
        migrations.AddIndex(
            "memoryitem",
            django.contrib.postgres.indexes.GinIndex(
                condition=models.Q(("uses__gt", 0), models.Q(("score", 0.5), _negated=True), _connector="OR"),
                fastupdate=False,
                fields=["lexemes"],
                name="memory_item_judged_words",
            ),
        ),
        migrations.AddIndex(
            "memoryitem",
            django.contrib.postgres.indexes.GinIndex(
                condition=models.Q(("status", "active"), ("tier", "memory_bank")),
                fastupdate=False,
                fields=["lexemes"],
                name="memory_item_bank_words",
            ),
        ),
    ]
