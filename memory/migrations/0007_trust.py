"""How far each memory is trusted, who wrote it and what it came from; and the mark of users with something to learn."""

import django.contrib.postgres.fields
from django.db import migrations, models

# Exchanges hold the assistant's words as well; those of tools and documents come from outside.
GRADE = """
ALTER TABLE memory_item NO FORCE ROW LEVEL SECURITY;
UPDATE memory_item SET trust = CASE WHEN source_type IN ('tool', 'document') THEN 1 ELSE 2 END
WHERE source_type <> 'user' OR source ->> 'kind' = 'exchange';
ALTER TABLE memory_item FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_measurements")]

    operations = [
        migrations.AddField(
            model_name="memoryitem",
            name="trust",
            field=models.PositiveSmallIntegerField(
                choices=[(1, "external"), (2, "assistant"), (3, "user")], default=3
            ),
        ),
        migrations.AddField(
            model_name="memoryitem",
            name="principal",
            field=models.CharField(blank=True, default="", max_length=100),
        ),
        migrations.AddField(
            model_name="memoryitem",
            name="parents",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.UUIDField(), default=list, size=None
            ),
        ),
        migrations.AddField(
            model_name="enduser",
            name="learning_due_since",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="enduser",
            index=models.Index(
                condition=models.Q(("learning_due_since__isnull", False)),
                fields=["learning_due_since"],
                name="end_user_learning_due",
            ),
        ),
        migrations.RunSQL(GRADE, migrations.RunSQL.noop),
    ]
