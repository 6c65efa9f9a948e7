"""The names that speak in each user's memories, those written so far included."""

import django.db.models.deletion
from django.db import migrations, models

from memory.models.isolation import IsolateByUser

# The owner of the tables is under the policies as well, so they are lifted for the one statement that reads all users.
FILL = """
ALTER TABLE memory_item NO FORCE ROW LEVEL SECURITY;
INSERT INTO memory_speaker (user_id, name)
SELECT user_id, speaker FROM memory_item WHERE speaker <> '' GROUP BY user_id, speaker ORDER BY min(arrival);
ALTER TABLE memory_item FORCE ROW LEVEL SECURITY;
"""


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_vector_payload")]

    operations = [
        migrations.CreateModel(
            name="Speaker",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=200)),
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
            options={"db_table": "memory_speaker"},
        ),
        migrations.AddConstraint(
            model_name="speaker",
            constraint=models.UniqueConstraint(fields=("user", "name"), name="memory_speaker_once"),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        IsolateByUser("Speaker"),
    ]
