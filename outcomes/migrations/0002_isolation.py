"""Row-level security on exchanges and outcomes."""

from django.db import migrations

from memory.models.isolation import IsolateByUser


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0001_initial")]

    operations = [IsolateByUser("Exchange"), IsolateByUser("OutcomeEvent")]
