"""Row-level security on every table with a user, keys that carry the owner, and what only SQL can say of the tables."""

from django.db import migrations

from memory.models import migrating
from memory.models.isolation import IsolateByUser

HNSW = """
CREATE INDEX memory_vector_hnsw_{dims} ON memory_vector
USING hnsw ((embedding::halfvec({dims})) halfvec_l2_ops) WHERE dims = {dims}
"""
# The widths of the usual embedding models; another width is searched exactly.
WIDTHS = (384, 768, 1024)

# Set by the database, under the lock of the row: of two changes the later has the greater number, whatever the clocks
# of the processes say.
COUNT_REVISIONS = """
CREATE FUNCTION memory_item_count_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.revision := OLD.revision;
    IF (NEW.text, NEW.tier, NEW.status, NEW.speaker, NEW.occurred_at, NEW.source_type, NEW.source)
       IS DISTINCT FROM
       (OLD.text, OLD.tier, OLD.status, OLD.speaker, OLD.occurred_at, OLD.source_type, OLD.source) THEN
        NEW.revision := OLD.revision + 1;
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER memory_item_revision
    BEFORE UPDATE OF text, tier, status, speaker, occurred_at, source_type, source, revision ON memory_item
    FOR EACH ROW EXECUTE FUNCTION memory_item_count_revision();
"""
STOP_COUNTING = """
DROP TRIGGER memory_item_revision ON memory_item;
DROP FUNCTION memory_item_count_revision();
"""

# Bits do not compress, and reading a hundred rows is quick only where they lie in the table itself.
IN_PLACE = """
ALTER TABLE memory_token_vectors ALTER signs SET STORAGE EXTERNAL;
ALTER TABLE memory_token_vectors SET (toast_tuple_target = 8000);
"""


class Migration(migrating.Migration):
    replaces = [("memory", "0002_isolation")]
    dependencies = [("memory", "0001_tables")]

    operations = [
        IsolateByUser("MemoryItem"),
        IsolateByUser("MemoryVersion", references="memory_item"),
        IsolateByUser("MemoryEvent", references="memory_item"),
        IsolateByUser("MemoryVector"),
        IsolateByUser("TokenVectors", references="memory_item"),
        IsolateByUser("Speaker"),
        IsolateByUser("Turn"),
        IsolateByUser("IdempotencyRecord"),
        IsolateByUser("Tombstone"),
        IsolateByUser("UserData"),
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
        migrations.RunSQL(COUNT_REVISIONS, STOP_COUNTING),
        migrations.RunSQL(IN_PLACE, migrations.RunSQL.noop),
    ]
