"""Whose each kept wording is, where a person overruled a move, and indexes for what a pass or a purge looks for."""

import django.contrib.postgres.fields
from django.db import migrations, models

# Until now every wording of an item came from whoever wrote the item, as far as anybody noted.
AS_THE_ITEM = """
ALTER TABLE memory_item NO FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_version NO FORCE ROW LEVEL SECURITY;
UPDATE memory_version AS kept
SET source_type = item.source_type, trust = item.trust, principal = item.principal, parents = item.parents,
    thread_id = item.thread_id
FROM memory_item AS item WHERE item.user_id = kept.user_id AND item.id = kept.item_id;
ALTER TABLE memory_version FORCE ROW LEVEL SECURITY;
ALTER TABLE memory_item FORCE ROW LEVEL SECURITY;
"""

SOURCES = [
    ("user", "user"), ("assistant", "assistant"), ("tool", "tool"), ("document", "document"), ("system", "system")
]  # fmt: skip


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_trust")]

    operations = [
        migrations.AddField("memoryitem", "overruled_uses", models.PositiveIntegerField(default=0)),
        migrations.AddField(
            "memoryversion",
            "parents",
            django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
        ),
        migrations.AddField("memoryversion", "principal", models.CharField(blank=True, default="", max_length=100)),
        migrations.AddField(
            "memoryversion", "source_type", models.CharField(choices=SOURCES, default="user", max_length=16)
        ),
        migrations.AddField("memoryversion", "thread_id", models.CharField(blank=True, default="", max_length=200)),
        migrations.AddField(
            "memoryversion",
            "trust",
            models.PositiveSmallIntegerField(choices=[(1, "external"), (2, "assistant"), (3, "user")], default=3),
        ),
        migrations.AddIndex(
            "memoryitem",
            models.Index(
                condition=models.Q(("status", "active"), ("uses__gt", 0)),
                fields=["user", "tier", "score"],
                name="memory_item_judged",
            ),
        ),
        migrations.AddIndex(
            "memoryitem",
            models.Index(
                condition=models.Q(("parents", []), _negated=True), fields=["user", "id"], name="memory_item_derived"
            ),
        ),
        migrations.RunSQL(AS_THE_ITEM, migrations.RunSQL.noop),
    ]
