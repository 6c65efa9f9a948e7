"""Row-level security on the graphs."""

from django.db import migrations

from memory.models.isolation import IsolateByUser

TABLES = (
    *("GraphWork", "GraphedItem", "Entity", "Mention", "Edge", "Concept", "RoutingStat", "Lesson", "ActionStat"),
    *("ActionExample", "Solution", "SolutionCue", "DocumentStat"),
)


class Migration(migrations.Migration):
    dependencies = [("knowledge_graph", "0001_initial")]

    operations = [IsolateByUser(model) for model in TABLES]
