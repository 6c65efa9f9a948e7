"""Whose a memory is, by its id alone, for all that are there and, by a trigger, for all that come."""

from django.db import migrations, models

from memory.models import migrating

# Of a statement and not of each row: 500 memories of a batch take one insert more. The composite key lets nobody
# claim another's memory, and takes the row away with it.
FOLLOW = """
CREATE FUNCTION memory_item_write_address() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO memory_address (item_id, owner_id) SELECT id, user_id FROM fresh;
    RETURN NULL;
END $$;
CREATE TRIGGER memory_item_address AFTER INSERT ON memory_item REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION memory_item_write_address();
"""
UNFOLLOW = """
DROP TRIGGER memory_item_address ON memory_item;
DROP FUNCTION memory_item_write_address();
"""
# To the policy the owner of the table is a user like any other, and has no memories: none to read, and none to check
# the key by.
ADDRESS_ALL = """
ALTER TABLE memory_item NO FORCE ROW LEVEL SECURITY;
INSERT INTO memory_address (item_id, owner_id) SELECT id, user_id FROM memory_item;
ALTER TABLE memory_address ADD CONSTRAINT memory_address_own_item FOREIGN KEY (owner_id, item_id)
    REFERENCES memory_item (user_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE memory_item FORCE ROW LEVEL SECURITY;
"""


class Migration(migrating.Migration):
    dependencies = [("memory", "0007_consolidation")]

    operations = [
        migrations.CreateModel(
            name="MemoryAddress",
            fields=[
                ("item_id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "owner",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.deletion.CASCADE,
                        related_name="+",
                        to="memory.enduser",
                    ),
                ),
            ],
            options={"db_table": "memory_address"},
        ),
        migrations.RunSQL(ADDRESS_ALL, migrations.RunSQL.noop),
        migrations.RunSQL(FOLLOW, UNFOLLOW),
    ]
