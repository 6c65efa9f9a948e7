"""The database's roles, extension and privileges; the same steps for the embedded Postgres and for any other.

Three roles: the owner runs migrations and nothing else; the application's role is subject to row-level security; the
backup role bypasses it, because a dump must be complete. Idempotent; run as a superuser. Steps that a managed Postgres
does not allow its administrator are skipped and reported.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

# Under a row policy only leakproof operators may use an index; this one is full-text search's.
# For a rare word among 25,000 rows 0.17 ms became 31 ms where the database does not allow it. The cost is as measured,
# 13 microseconds a row for a question of 99 forms: at the usual 2 the planner looked through all rows of a person
# instead of asking the index.
LEAKPROOF = "ALTER FUNCTION pg_catalog.ts_match_vq(tsvector, tsquery) LEAKPROOF COST 400"
# Without iterative scans a filtered vector index answers with fewer rows than asked for, and without an error.
SESSION_SETTINGS = {"hnsw.iterative_scan": "relaxed_order", "hnsw.ef_search": "80"}


@dataclass(frozen=True, slots=True)
class Login:
    name: str
    password: str


@dataclass(frozen=True, slots=True)
class RolePlan:
    """The wanted state. ``backup`` is optional; ``template`` also prepares databases created later."""

    database: str
    owner: Login
    app: Login
    backup: Login | None = None
    template: bool = False


def prepare_server(conninfo: str, plan: RolePlan) -> list[str]:
    """Bring roles, database and privileges into the wanted state; returns what the server did not allow."""
    skipped: list[str] = []
    with psycopg.connect(conninfo, autocommit=True) as server:
        prepare_roles(server, plan, skipped)
        exists = server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [plan.database]).fetchone()
        if plan.template:
            with connect_to(conninfo, "template1") as template:
                prepare_database(template, plan, skipped)
        if not exists:
            create = "CREATE DATABASE {} OWNER {} ENCODING 'UTF8'"
            server.execute(sql.SQL(create).format(sql.Identifier(plan.database), sql.Identifier(plan.owner.name)))
    with connect_to(conninfo, plan.database) as target:
        prepare_database(target, plan, skipped)
        configure_app_role(target, plan, skipped)
    return skipped


@contextmanager
def connect_to(conninfo: str, name: str) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(conninfo, dbname=name, autocommit=True) as connection:
        yield connection


def prepare_roles(server: psycopg.Connection[Any], plan: RolePlan, skipped: list[str]) -> None:
    row = server.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
    is_superuser = bool(row and row[0])
    ensure_role(server, plan.owner, "CREATEDB NOSUPERUSER NOBYPASSRLS", may_alter=is_superuser)
    if plan.app.name != plan.owner.name:
        rights = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS"
        ensure_role(server, plan.app, rights, may_alter=is_superuser)
    if plan.backup:
        with skip_if_refused(skipped, f"the role {plan.backup.name}, which sees every row (for dumps)"):
            ensure_role(server, plan.backup, "NOSUPERUSER BYPASSRLS", may_alter=is_superuser)
    if not is_superuser:
        # What belongs to the owner is set up in its name, for which a lesser administrator has to be a member.
        server.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(plan.owner.name)))


def ensure_role(server: psycopg.Connection[Any], login: Login, rights: str, *, may_alter: bool) -> None:
    """Make the role, or give it its password again; only a superuser may touch the other rights of an old one."""
    known = server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [login.name]).fetchone()
    statement = "ALTER ROLE {} WITH LOGIN PASSWORD {}" if known else "CREATE ROLE {} WITH LOGIN PASSWORD {}"
    if may_alter or not known:
        statement += f" {rights}"
    server.execute(sql.SQL(statement).format(sql.Identifier(login.name), sql.Literal(login.password)))


def prepare_database(connection: psycopg.Connection[Any], plan: RolePlan, skipped: list[str]) -> None:
    with skip_if_refused(skipped, "the extension vector"):
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    with skip_if_refused(skipped, "indexed full-text search under row-level security (ts_match_vq leakproof)"):
        connection.execute(LEAKPROOF)
    owner = sql.Identifier(plan.owner.name)
    connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    connection.execute(sql.SQL("GRANT USAGE, CREATE ON SCHEMA public TO {}").format(owner))
    for reader, rights, things in list_privileges(plan):
        grant = sql.SQL(f"ALTER DEFAULT PRIVILEGES FOR ROLE {{}} IN SCHEMA public GRANT {rights} ON {things} TO {{}}")
        connection.execute(grant.format(owner, reader))
        connection.execute(sql.SQL(f"GRANT {rights} ON ALL {things} IN SCHEMA public TO {{}}").format(reader))
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(reader))


def list_privileges(plan: RolePlan) -> list[tuple[sql.Identifier, str, str]]:
    app = sql.Identifier(plan.app.name)
    rows = [(app, "SELECT, INSERT, UPDATE, DELETE", "TABLES"), (app, "USAGE, SELECT", "SEQUENCES")]
    if plan.backup:
        backup = sql.Identifier(plan.backup.name)
        rows += [(backup, "SELECT", "TABLES"), (backup, "SELECT", "SEQUENCES")]
    return rows


def configure_app_role(connection: psycopg.Connection[Any], plan: RolePlan, skipped: list[str]) -> None:
    with skip_if_refused(skipped, "vector search settings of the application's role"):
        # The settings are the extension's own: they are known once its library is loaded.
        connection.execute("SELECT '[1]'::vector")
        for name, value in SESSION_SETTINGS.items():
            statement = sql.SQL("ALTER ROLE {} SET {} = {}")
            setting = sql.SQL(".").join(sql.Identifier(part) for part in name.split("."))
            connection.execute(statement.format(sql.Identifier(plan.app.name), setting, sql.Literal(value)))


@contextmanager
def skip_if_refused(skipped: list[str], what: str) -> Iterator[None]:
    try:
        yield
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.FeatureNotSupported) as error:
        skipped.append(f"{what}: {error.diag.message_primary}")
