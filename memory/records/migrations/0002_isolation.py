"""Row-level security on personal records."""

from django.db import migrations

from memory.models.isolation import IsolateByUser


class Migration(migrations.Migration):
    dependencies = [("kinds", "0001_initial")]

    operations = [
        IsolateByUser("Journal"),
        IsolateByUser("Todo"),
        IsolateByUser("Gratitude"),
        IsolateByUser("Preference"),
        IsolateByUser("Embedded"),
        IsolateByUser("Recalled"),
    ]
