"""The words of a fact's keys as lexemes of the owner, so that the hot path finds what a turn names through an index."""

from django.db import migrations

from memory.models import migrating

# `LIKE` is not leakproof: under a policy no index serves it, and each turn held up to sixteen patterns against every fact
# of the person, 7 ms of the database's time for 4,200; with the index .5 to 1.5, and twice that until the column has
# statistics. Of a person's own facts the value tells them apart, of others' the subject as well. An index of the
# expression would not do: every function in it had to be leakproof.
WORDS = """
ALTER TABLE fact ADD COLUMN words tsvector GENERATED ALWAYS AS (array_to_tsvector(array_remove(string_to_array(
    user_id::text || '~' || replace(
        CASE WHEN subject_key = 'you' THEN object_key ELSE subject_key || ' ' || object_key END,
        ' ', ' ' || user_id::text || '~'
    ), ' '), user_id::text || '~'))) STORED;
CREATE INDEX fact_words ON fact USING gin (words) WITH (gin_pending_list_limit = 128) WHERE state = 'active';
ANALYZE fact (words);
"""
NO_WORDS = "ALTER TABLE fact DROP COLUMN words"


class Migration(migrating.Migration):
    dependencies = [("memory", "0029_stream_scopes")]

    operations = [migrations.RunSQL(WORDS, NO_WORDS)]
