"""Row-level security on exchanges, outcomes, and what was done and noticed in conversations."""

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):
    replaces = [("outcomes", "0002_isolation"), ("outcomes", "0004_verdicts_isolation")]
    dependencies = [("outcomes", "0001_tables")]

    operations = [
        IsolateByUser("Exchange"),
        IsolateByUser("OutcomeEvent"),
        IsolateByUser("ActionTaken"),
        IsolateByUser("ConversationSignal"),
    ]
