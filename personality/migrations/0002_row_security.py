"""Row-level security on templates."""

from django.db import migrations

from memory.models.isolation import IsolateByUser


class Migration(migrations.Migration):
    dependencies = [("personality", "0001_tables")]

    operations = [
        IsolateByUser("PersonalityTemplate"),
        IsolateByUser("ActivePersonality"),
    ]
