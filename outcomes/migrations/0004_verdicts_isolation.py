"""Row-level security on what was done and noticed in conversations."""

from django.db import migrations

from memory.models.isolation import IsolateByUser


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0003_verdicts")]

    operations = [IsolateByUser("ActionTaken"), IsolateByUser("ConversationSignal")]
