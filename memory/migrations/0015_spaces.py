"""Spaces that several people share, and policies by which a member's role decides what they see and change there.

Three new tables and policies beside those there are: no row that exists is read or written. A person's own rows lie
below the first number of a space, so the gate lets them through by that number and looks nothing up.
"""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

from memory.models import migrating
from memory.models.isolation import IsolateByUser
from memory.models.spaces import FIRST_SPACE

# Asked in subselects: once for a statement, not for each row. ``all`` is a person's own rows, and the installation.
ROLE = f"""
CREATE SEQUENCE memory_space_number;
CREATE FUNCTION space_role() RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    owner text := coalesce(current_setting('app.user_id', true), '');
    member text := coalesce(current_setting('app.member_id', true), '');
BEGIN
    IF owner = '' OR owner::bigint < {FIRST_SPACE} OR member = 'service' THEN RETURN 'all'; END IF;
    IF member = '' THEN RETURN NULL; END IF;
    RETURN (SELECT role FROM memory_space_member WHERE space_id = owner::bigint AND user_id = member::bigint);
END $$;
CREATE FUNCTION space_contributed(item uuid) RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN space_role() = 'writer' AND EXISTS (
        SELECT FROM memory_space_share
        WHERE user_id = current_setting('app.user_id')::bigint AND item_id = item
          AND contributor_id = current_setting('app.member_id')::bigint
    );
END $$;
"""
FORGET_ROLE = """
DROP FUNCTION space_contributed(uuid);
DROP FUNCTION space_role();
DROP SEQUENCE memory_space_number;
"""
SCOPE = "NULLIF(current_setting('app.user_id', true), '')::bigint"
SEES = "(SELECT space_role()) IS NOT NULL"
WRITES = "(SELECT space_role()) IN ('all', 'writer', 'curator')"
RULES = "(SELECT space_role()) IN ('all', 'curator')"
OWN_ITEM = f"CASE WHEN {RULES} THEN true ELSE space_contributed(%s) END"
# Of each table of memories: by what a change or a removal of a row is allowed.
GATED = {
    "memory_item": OWN_ITEM % "id",
    "memory_version": OWN_ITEM % "item_id",
    "memory_space_share": OWN_ITEM % "item_id",
    "memory_event": WRITES,
    "memory_vector": WRITES,
    "memory_token_vectors": WRITES,
}
GATE = """
CREATE POLICY space_reading ON {table} AS RESTRICTIVE FOR SELECT USING ({sees});
CREATE POLICY space_adding ON {table} AS RESTRICTIVE FOR INSERT WITH CHECK ({writes});
CREATE POLICY space_changing ON {table} AS RESTRICTIVE FOR UPDATE USING ({changes}) WITH CHECK ({changes});
CREATE POLICY space_removing ON {table} AS RESTRICTIVE FOR DELETE USING ({changes});
"""
POLICIES = ("space_reading", "space_adding", "space_changing", "space_removing")
# A membership is written in its space alone, by a curator; whoever has one may give it up.
MEMBERSHIP = f"""
CREATE POLICY space_members ON memory_space_member
    USING (space_id = {SCOPE}) WITH CHECK (space_id = {SCOPE});
CREATE POLICY space_adding ON memory_space_member AS RESTRICTIVE FOR INSERT
    WITH CHECK (space_id = {SCOPE} AND {RULES});
CREATE POLICY space_changing ON memory_space_member AS RESTRICTIVE FOR UPDATE
    USING (true) WITH CHECK (space_id = {SCOPE} AND {RULES});
CREATE POLICY space_removing ON memory_space_member AS RESTRICTIVE FOR DELETE
    USING (user_id = {SCOPE} OR {RULES});
CREATE POLICY space_contributions ON memory_space_share FOR SELECT USING (contributor_id = {SCOPE});
"""
OPEN_MEMBERSHIP = """
DROP POLICY space_contributions ON memory_space_share;
DROP POLICY space_removing ON memory_space_member;
DROP POLICY space_changing ON memory_space_member;
DROP POLICY space_adding ON memory_space_member;
DROP POLICY space_members ON memory_space_member;
"""


def owner_key(to: str, **more: object) -> "models.ForeignKey[models.Model, models.Model]":
    return models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="+", to=to, **more)


class Migration(migrating.Migration):
    dependencies = [("memory", "0014_webhooks")]

    operations = [
        migrations.CreateModel(
            name="Space",
            fields=[
                (
                    "owner",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="memory.enduser",
                    ),
                ),
                ("slug", models.CharField(max_length=64)),
                ("name", models.CharField(max_length=100)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "organization",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="spaces", to="memory.organization"
                    ),
                ),
            ],
            options={
                "db_table": "memory_space",
                "constraints": [
                    models.UniqueConstraint(fields=("organization", "slug"), name="memory_space_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SpaceMember",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "role",
                    models.CharField(
                        choices=[("reader", "reader"), ("writer", "writer"), ("curator", "curator")], max_length=8
                    ),
                ),
                ("added_by", models.CharField(blank=True, default="", max_length=100)),
                ("added_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("space", owner_key("memory.space")),
                ("user", owner_key("memory.enduser", db_index=False)),
            ],
            options={
                "db_table": "memory_space_member",
                "constraints": [
                    models.UniqueConstraint(fields=("user", "space"), name="memory_space_member_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SpaceShare",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("contributor_id", models.BigIntegerField()),
                ("contributor_name", models.CharField(max_length=128)),
                ("source_item_id", models.UUIDField(blank=True, null=True)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "item",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memory.memoryitem",
                    ),
                ),
                ("user", owner_key("memory.enduser", db_index=False)),
            ],
            options={
                "db_table": "memory_space_share",
                "indexes": [models.Index(fields=["contributor_id", "user"], name="memory_space_share_by")],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "item"), name="memory_space_share_once"),
                ],
            },
        ),
        IsolateByUser("SpaceMember"),
        IsolateByUser("SpaceShare", references="memory_item"),
        migrations.RunSQL(ROLE, FORGET_ROLE),
        *[
            migrations.RunSQL(
                GATE.format(table=table, sees=SEES, writes=WRITES, changes=changes),
                " ".join(f"DROP POLICY {policy} ON {table};" for policy in POLICIES),
            )
            for table, changes in GATED.items()
        ],
        migrations.RunSQL(MEMBERSHIP, OPEN_MEMBERSHIP),
    ]
