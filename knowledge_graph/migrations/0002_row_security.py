"""Row-level security on the graphs."""

from memory.models import migrating
from memory.models.isolation import IsolateByUser


class Migration(migrating.Migration):
    replaces = [("knowledge_graph", "0002_isolation")]
    dependencies = [("knowledge_graph", "0001_tables")]

    operations = [
        IsolateByUser("GraphWork"),
        IsolateByUser("GraphedItem"),
        IsolateByUser("Entity"),
        IsolateByUser("Mention"),
        IsolateByUser("Edge"),
        IsolateByUser("Concept"),
        IsolateByUser("RoutingStat"),
        IsolateByUser("Lesson"),
        IsolateByUser("ActionStat"),
        IsolateByUser("ActionExample"),
        IsolateByUser("Solution"),
        IsolateByUser("SolutionCue"),
        IsolateByUser("DocumentStat"),
    ]
