"""Which database and role a test speaks to and as: the run's and the application's, unless it says otherwise."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection, connections

from config import databases, embedded
from config.runtime.postgres import connect_superuser

PLACE = ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")
# Made with the tables; emptied with the rest they were made again after every test, for as long as emptying took.
KEPT = ("auth_permission", "django_content_type", "django_migrations")
# Rows that are deleted leave their space behind, and a scan reads it: what has grown beyond is truncated.
DELETED_UP_TO_BYTES = 4 * 1024 * 1024

PATIENCE_S = 20
PATIENT = (
    f"-c lock_timeout={PATIENCE_S}s -c statement_timeout={PATIENCE_S}s -c idle_in_transaction_session_timeout=120s"
)
"""Longer than the product waits: six writers of one statement took more than its two seconds on a busy machine."""


def connect_as(role: str) -> None:
    current = connections["default"]
    current.close()
    current.close_pool()  # type: ignore[attr-defined]
    entry = databases.database_from_environment(settings.DATA_DIR, role)
    if role == "app":
        entry["OPTIONS"]["options"] += f" {PATIENT}"
        databases.PunctualConnection.statement_s = PATIENCE_S
    current.settings_dict.update({name: entry[name] for name in ("USER", "PASSWORD", "OPTIONS")})


@contextmanager
def connected_to(data_dir: Path) -> Iterator[None]:
    """Speak to the embedded database of another installation, so that its commands can be run in this process."""
    current = connections["default"]
    before = {name: current.settings_dict[name] for name in PLACE}
    current.close()
    current.settings_dict.update({**embedded.database_settings(data_dir, "app"), "OPTIONS": {}})
    try:
        yield
    finally:
        current.close()
        current.settings_dict.update(before)


def trade_safety_for_speed() -> None:
    """No test pulls the plug: what the embedded database of the tests has committed need not have reached the disk."""
    with connect_superuser(embedded.installation_paths(settings.DATA_DIR)) as server:
        server.execute("ALTER SYSTEM SET fsync = off")
        server.execute("ALTER SYSTEM SET full_page_writes = off")
        server.execute("SELECT pg_reload_conf()")


def make_template() -> str:
    """The name of a database with the tables, which the first worker of a run makes and each of them copies.

    To make the tables takes 1 s of CPU, to copy them 0.3. The worker that starts the installation needs them minutes
    after the other, so neither waits.
    """
    current = connections["default"]
    name, test = name_template(), current.settings_dict["TEST"]
    usual, own = current.settings_dict["NAME"], test["NAME"]
    with tables_locked(), current._nodb_cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not cursor.fetchone():
            # Half of one, of a worker that was killed, is made anew.
            draft = test["NAME"] = f"{name}_draft"
            current.creation.create_test_db(verbosity=0, autoclobber=True)
            current.close()
            test["NAME"], current.settings_dict["NAME"] = own, usual
            settings.DATABASES["default"]["NAME"] = usual
            cursor.execute(f'ALTER DATABASE "{draft}" RENAME TO "{name}"')
    return name


def drop_template() -> None:
    """By each worker that ends: one that needs it later makes it again."""
    with tables_locked(), connections["default"]._nodb_cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name_template()}"')


def name_template() -> str:
    return f"test_commonplace_{os.environ['COMMONPLACE_TEST_RUN']}_tables"


@contextmanager
def tables_locked() -> Iterator[None]:
    folder = Path(settings.DATA_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "test_tables.lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def empty_tables() -> None:
    """As the framework's ``flush`` in the embedded database, in a tenth of its time.

    Truncating makes a file anew for each of seventy tables and of their 240 indexes, whether it holds rows or not.
    """
    paths = embedded.installation_paths(settings.DATA_DIR)
    with connect_superuser(paths, connections["default"].settings_dict["NAME"]) as server, server.transaction():
        found = server.execute(
            "SELECT quote_ident(relname), pg_relation_size(oid) FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = 'public'::regnamespace AND relname <> ALL(%s)",
            [list(KEPT)],
        ).fetchall()
        every = ", ".join(str(name) for name, _ in found)
        if sum(int(str(size)) for _, size in found) > DELETED_UP_TO_BYTES:
            server.execute(f"TRUNCATE {every}".encode())
            return
        # Waits, as truncating does, for what a thread of the test still writes.
        server.execute(f"LOCK TABLE {every} IN SHARE ROW EXCLUSIVE MODE".encode())
        server.execute("SET LOCAL session_replication_role = replica")
        for name in (str(name) for name, size in found if size):
            server.execute(f"DELETE FROM {name}".encode())


def isolated_tables() -> list[str]:
    """Every table with a column ``user_id``."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid "
            "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') "
            "AND a.attname = 'user_id' AND NOT a.attisdropped "
            # The admin's own, whose users are operators.
            "AND c.relname <> 'django_admin_log' ORDER BY 1"
        )
        return [name for (name,) in cursor.fetchall()]
