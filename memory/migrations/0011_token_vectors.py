"""What each token of a turn became in the embedding model."""

import django.db.models.deletion
from django.db import migrations, models

from memory.models.isolation import IsolateByUser

# Bits do not compress, and reading a hundred rows is quick only where they lie in the table itself.
IN_PLACE = """
ALTER TABLE memory_token_vectors ALTER signs SET STORAGE EXTERNAL;
ALTER TABLE memory_token_vectors SET (toast_tuple_target = 8000);
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_experience")]

    operations = [
        migrations.CreateModel(
            name="TokenVectors",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("item_id", models.UUIDField()),
                ("model", models.CharField(max_length=200)),
                ("signs", models.BinaryField()),
                ("revision", models.BigIntegerField(db_default=0)),
                (
                    "user",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memory.enduser",
                    ),
                ),
            ],
            options={"db_table": "memory_token_vectors"},
        ),
        migrations.AddConstraint(
            model_name="tokenvectors",
            constraint=models.UniqueConstraint(fields=("user", "item_id"), name="memory_token_vectors_once"),
        ),
        IsolateByUser("TokenVectors", references="memory_item"),
        migrations.RunSQL(IN_PLACE, migrations.RunSQL.noop),
    ]
