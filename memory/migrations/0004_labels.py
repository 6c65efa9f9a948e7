"""Tags and metadata as lexemes of the owner, so that a filter on them has an index under row-level security."""

from django.db import migrations

from memory.models import migrating

# `@>` and `&&` are not leakproof: under a policy no index serves them, and a filter on metadata read all rows of the
# user. `@@` is marked leakproof where the words' index is to serve, so what a filter asks for is kept as lexemes too.
# A leaf within arrays, or deeper than eight, has none: the filter itself is always compared as well.
LABELS = """
ALTER TABLE memory_item ADD COLUMN labels tsvector;

CREATE FUNCTION memory_labels(owner bigint, tags varchar[], metadata jsonb) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF cardinality(tags) = 0 AND metadata = '{}' THEN
        RETURN NULL;
    END IF;
    RETURN ARRAY(
        SELECT owner || '~' || md5('tag=' || tag) FROM unnest(tags) AS tag
        UNION
        SELECT owner || '~' || md5(path || '=' || CASE jsonb_typeof(value)
            WHEN 'number' THEN trim_scale((value #>> '{}')::numeric)::text ELSE value::text END)
        FROM (
            WITH RECURSIVE leaf (path, value, depth) AS (
                SELECT '', metadata, 0
                UNION ALL
                SELECT leaf.path || '/' || inside.key, inside.value, leaf.depth + 1
                FROM leaf, LATERAL jsonb_each(
                    CASE jsonb_typeof(leaf.value) WHEN 'object' THEN leaf.value ELSE '{}' END
                ) AS inside
                WHERE leaf.depth < 8
            )
            SELECT path, value FROM leaf
        ) AS leaves
        WHERE jsonb_typeof(value) NOT IN ('object', 'array')
    );
END $$;

CREATE FUNCTION memory_label_query(owner bigint, tags varchar[], any_tags varchar[], metadata jsonb) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    needed text := array_to_string(memory_labels(owner, tags, metadata), ''' & ''');
    enough text := array_to_string(memory_labels(owner, any_tags, '{}'), ''' | ''');
BEGIN
    RETURN nullif(concat_ws(' & ', '''' || nullif(needed, '') || '''', '(''' || nullif(enough, '') || ''')'), '')::tsquery;
END $$;

CREATE FUNCTION memory_item_write_labels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.labels := array_to_tsvector(memory_labels(NEW.user_id, NEW.tags, NEW.metadata));
    RETURN NEW;
END $$;

ALTER TABLE memory_item ALTER COLUMN labels TYPE tsvector
    USING array_to_tsvector(memory_labels(user_id, tags, metadata));
CREATE TRIGGER memory_item_labels BEFORE INSERT OR UPDATE OF tags, metadata, user_id, labels ON memory_item
    FOR EACH ROW EXECUTE FUNCTION memory_item_write_labels();
CREATE INDEX memory_item_labels ON memory_item USING gin (labels) WITH (gin_pending_list_limit = 128)
    WHERE labels IS NOT NULL;
"""
NO_LABELS = """
DROP TRIGGER memory_item_labels ON memory_item;
DROP FUNCTION memory_item_write_labels();
DROP FUNCTION memory_label_query(bigint, varchar[], varchar[], jsonb);
ALTER TABLE memory_item DROP COLUMN labels;
DROP FUNCTION memory_labels(bigint, varchar[], jsonb);
"""


class Migration(migrating.Migration):
    dependencies = [("memory", "0003_facts")]

    operations = [migrations.RunSQL(LABELS, NO_LABELS)]
