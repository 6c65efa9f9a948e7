"""What clients keep of a person under names of their own."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models.isolation import IsolateByUser


class Migration(migrations.Migration):
    dependencies = [("memory", "0013_failed_rows")]

    operations = [
        migrations.CreateModel(
            name="UserData",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("key", models.CharField(db_collation="C", max_length=128)),
                ("value", models.JSONField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
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
            options={"db_table": "user_data"},
        ),
        migrations.AddConstraint(
            model_name="userdata",
            constraint=models.UniqueConstraint(fields=("user", "key"), name="user_data_once"),
        ),
        IsolateByUser("UserData"),
    ]
