"""The search graph for vectors of three joined models. Built beside the running installation."""

from django.db import migrations

from memory.models import migrating

# A graph that was cut off stands there, unfinished, under its name.
BUILD = (
    "DROP INDEX CONCURRENTLY IF EXISTS memory_vector_hnsw_896",
    "CREATE INDEX CONCURRENTLY memory_vector_hnsw_896 ON memory_vector "
    "USING hnsw ((embedding::halfvec(896)) halfvec_l2_ops) WHERE dims = 896",
)
UNBUILD = "DROP INDEX CONCURRENTLY IF EXISTS memory_vector_hnsw_896"


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("memory", "0027_counted_memories")]

    operations = [
        migrations.RunSQL(BUILD[0], migrations.RunSQL.noop),
        migrations.RunSQL(BUILD[1], UNBUILD),
    ]
