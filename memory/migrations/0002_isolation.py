"""Row-level security on every table with a user, keys that carry the owner, and the vector indexes."""

from django.db import migrations

from memory.models.isolation import IsolateByUser

HNSW = """
CREATE INDEX memory_vector_hnsw_{dims} ON memory_vector
USING hnsw ((embedding::halfvec({dims})) halfvec_l2_ops) WHERE dims = {dims}
"""
# The widths of the usual embedding models; another width is searched exactly.
WIDTHS = (384, 768, 1024)


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial")]

    operations = [
        IsolateByUser("MemoryItem"),
        IsolateByUser("MemoryVersion", references="memory_item"),
        IsolateByUser("MemoryEvent", references="memory_item"),
        IsolateByUser("MemoryVector"),
        IsolateByUser("Turn"),
        IsolateByUser("IdempotencyRecord"),
        IsolateByUser("Tombstone"),
        *[
            migrations.RunSQL(HNSW.format(dims=dims), f"DROP INDEX memory_vector_hnsw_{dims}")
            for dims in WIDTHS
        ],
        # Statistics and scores change far more often than texts; room on the page keeps those updates local.
        migrations.RunSQL("ALTER TABLE memory_item SET (fillfactor = 80)", "ALTER TABLE memory_item RESET (fillfactor)"),
        # Statistics decide between the words' index and all rows of a user, so they must not lag behind an import.
        *[
            migrations.RunSQL(
                f"ALTER TABLE {table} SET (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500)",
                f"ALTER TABLE {table} RESET (autovacuum_analyze_scale_factor, autovacuum_analyze_threshold)",
            )
            for table in ("memory_item", "memory_vector")
        ],
    ]
