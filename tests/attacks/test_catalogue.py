"""What the database itself says of its walls. A new table with a user and no policy fails here."""

from typing import Any

import pytest
from django.apps import apps
from django.db import connection

from tests.database_roles import isolated_tables

OWN = "(user_id = (NULLIF(current_setting('app.user_id'::text, true), ''::text))::bigint)"

pytestmark = pytest.mark.django_db


def fetch_rows(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall())


def test_every_model_with_an_end_user_is_isolated() -> None:
    tables = {
        model._meta.db_table
        for model in apps.get_models()
        if any(getattr(field, "attname", "") == "user_id" for field in model._meta.fields)
        and model._meta.app_label not in {"auth", "admin", "sessions"}
    }
    assert tables
    assert tables <= set(isolated_tables())


def test_every_table_with_a_user_has_forced_row_level_security() -> None:
    statement = "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname = ANY(%s)"
    found = {name: (enabled, forced) for name, enabled, forced in fetch_rows(statement, isolated_tables())}
    assert found == dict.fromkeys(isolated_tables(), (True, True))


def test_every_policy_binds_reading_and_writing_to_the_scope() -> None:
    policies = fetch_rows(
        "SELECT tablename, permissive, roles::text[], cmd, qual, with_check FROM pg_policies "
        "WHERE schemaname = 'public' AND policyname = 'user_isolation'"
    )
    assert {table for table, *_ in policies} == set(isolated_tables())
    for table, permissive, roles, command, using, check in policies:
        assert (permissive, roles, command, using, check) == ("PERMISSIVE", ["public"], "ALL", OWN, OWN), table


def test_every_table_that_tells_of_a_scope_is_confined_to_it_in_reading_and_writing() -> None:
    policies = fetch_rows(
        "SELECT tablename, permissive, roles::text[], cmd, qual = with_check, qual ~ 'EXISTS' FROM pg_policies "
        "WHERE schemaname = 'public' AND policyname = 'scope_confinement'"
    )
    scoped = {
        model._meta.db_table
        for model in apps.get_models()
        if {"user_id", "agent_id", "project_id"} <= {field.attname for field in model._meta.concrete_fields}
    }
    assert scoped == {table for table, *_, by_parent in policies if not by_parent}
    derived = {"memory_version", "memory_event", "memory_token_vectors", "fact_evidence", "fact_event", "fact_review"}
    derived |= {"graphed_item", "graph_mention", "graph_solution", "graph_document", "graph_example"}
    derived |= {"book_chunk", "book_digest", "book_upload", "message_label", "labelled_term"}
    assert derived == {table for table, *_, by_parent in policies if by_parent}
    assert {(permissive, *roles, command, same) for _, permissive, roles, command, same, _ in policies} == {
        ("RESTRICTIVE", "public", "ALL", True)
    }
    others = fetch_rows("SELECT policyname FROM pg_policies WHERE schemaname = 'public'")
    assert {name for (name,) in others} == {
        *("user_isolation", "scope_confinement", "space_members", "space_contributions", "space_verdicts"),
        *("space_reading", "space_adding", "space_changing", "space_removing"),
    }


def test_the_application_owns_nothing_and_bypasses_nothing() -> None:
    [(role, superuser, bypass, create_role, create_database)] = fetch_rows(
        "SELECT rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb FROM pg_roles WHERE rolname = current_user"
    )
    assert not any((superuser, bypass, create_role, create_database)), role
    assert (
        fetch_rows("SELECT relname FROM pg_class WHERE relowner = current_user::regrole AND relpersistence <> 't'")
        == []
    )
    assert fetch_rows("SELECT proname FROM pg_proc WHERE proowner = current_user::regrole") == []
    assert (
        fetch_rows(
            "SELECT rolname FROM pg_roles WHERE pg_has_role(current_user, oid, 'member') AND rolname <> %s", role
        )
        == []
    )
    assert fetch_rows(
        "SELECT has_schema_privilege('public', 'CREATE'), has_database_privilege(current_database(), 'CREATE')"
    ) == [(False, False)]


def test_every_view_looks_through_the_eyes_of_who_asks() -> None:
    views = fetch_rows(
        "SELECT relname, coalesce(reloptions::text, '') FROM pg_class "
        "WHERE relnamespace = 'public'::regnamespace AND relkind IN ('v', 'm')"
    )
    assert [name for name, options in views if "security_invoker=true" not in options] == []


def test_no_function_of_ours_runs_with_its_owners_rights() -> None:
    extensions = "SELECT objid FROM pg_depend WHERE classid = 'pg_proc'::regclass AND deptype = 'e'"
    ours = "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    assert fetch_rows(f"{ours} AND prosecdef AND oid NOT IN ({extensions})") == []


def test_unique_rules_of_user_data_start_with_the_user() -> None:
    """A unique value without its owner would tell one user that another has it."""
    found = fetch_rows(
        "SELECT i.indrelid::regclass::text, array_agg(a.attname::text) FROM pg_index i "
        "JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
        "WHERE i.indisunique AND NOT i.indisprimary AND i.indrelid::regclass::text = ANY(%s) GROUP BY i.indexrelid, 1",
        isolated_tables(),
    )
    assert found
    assert [(table, columns) for table, columns in found if "user_id" not in columns] == []
