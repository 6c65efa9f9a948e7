"""An index of full names. Built beside the running installation: no writer waits for it."""

from django.db import models

from memory.models import migrating

CREATE = (
    "CREATE INDEX CONCURRENTLY graph_entity_full_name ON graph_entity (user_id, key) "
    "WHERE key::text LIKE '% %' AND kind = 'person'"
)


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("knowledge_graph", "0006_name_decisions")]

    operations = [
        migrating.build_index_beside(
            "entity",
            models.Index(
                fields=["user", "key"],
                name="graph_entity_full_name",
                condition=models.Q(("key__contains", " "), ("kind", "person")),
            ),
            CREATE,
        ),
    ]
