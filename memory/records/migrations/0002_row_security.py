"""Row-level security on personal records."""

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):
    replaces = [("kinds", "0002_isolation")]
    dependencies = [("kinds", "0001_tables")]

    operations = [
        IsolateByUser("Journal"),
        IsolateByUser("Todo"),
        IsolateByUser("Gratitude"),
        IsolateByUser("Preference"),
        IsolateByUser("RecordEmbedding"),
        IsolateByUser("RecallLog"),
    ]
