"""Row-level security on templates."""

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):
    dependencies = [("personality", "0001_tables")]

    operations = [
        IsolateByUser("PersonalityTemplate"),
        IsolateByUser("ActivePersonality"),
    ]
