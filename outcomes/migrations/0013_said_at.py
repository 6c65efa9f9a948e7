"""When an exchange was said, which its memory told until now. Made beside the running installation, person by person.

Each step may be done again, as one that was cut off is.
"""

import django.utils.timezone
from django.db import migrations, models
from django.db.models.functions import Now

from memory.models import migrating

COLUMN = "ALTER TABLE exchange ADD COLUMN IF NOT EXISTS said_at timestamptz DEFAULT (STATEMENT_TIMESTAMP()) NOT NULL"
# Under the policy of rows, which binds the owner of the tables as well.
DATES = """
DO $$
DECLARE
    person bigint;
BEGIN
    FOR person IN SELECT id FROM end_user ORDER BY id LOOP
        PERFORM set_config('app.user_id', person::text, true);
        UPDATE exchange SET said_at = coalesce((
            SELECT occurred_at FROM memory_item
            WHERE memory_item.user_id = exchange.user_id AND memory_item.id = exchange.memory_id
        ), created_at) WHERE user_id = person;
        COMMIT;
    END LOOP;
END $$
"""
# An index that was cut off stands there, unfinished, under its name.
BUILD = (
    "DROP INDEX CONCURRENTLY IF EXISTS exchange_unread",
    "CREATE INDEX CONCURRENTLY exchange_unread ON exchange (user_id, said_at, created_at, id) "
    "WHERE profiled_at IS NULL",
    "DROP INDEX CONCURRENTLY IF EXISTS exchange_unprofiled",
)
UNBUILD = (
    "CREATE INDEX CONCURRENTLY exchange_unprofiled ON exchange (user_id, created_at) WHERE profiled_at IS NULL",
    "DROP INDEX CONCURRENTLY IF EXISTS exchange_unread",
    "ALTER TABLE exchange DROP COLUMN IF EXISTS said_at",
)


class Migration(migrating.Migration):
    atomic = False
    dependencies = [("outcomes", "0012_unexplained_failures")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                *[migrations.RunSQL(step, migrations.RunSQL.noop) for step in (COLUMN, DATES, *BUILD)],
                *[migrations.RunSQL(migrations.RunSQL.noop, step) for step in reversed(UNBUILD)],
            ],
            state_operations=[
                migrations.AddField(
                    "exchange", "said_at", models.DateTimeField(db_default=Now(), default=django.utils.timezone.now)
                ),
                migrations.RemoveIndex("exchange", "exchange_unprofiled"),
                migrations.AddIndex(
                    "exchange",
                    models.Index(
                        fields=["user", "said_at", "created_at", "id"],
                        name="exchange_unread",
                        condition=models.Q(("profiled_at__isnull", True)),
                    ),
                ),
            ],
        ),
    ]
