"""The embedded Postgres: its lock file, the identity it runs under, the roles it is given."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import psutil
import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from psycopg import conninfo

from config import embedded, roles
from config.env import BASE_DIR
from config.runtime import orphans, postgres
from config.supervisor import StartFailedError, Supervisor
from memory.models import MemoryItem
from memory.proving.installation import manage
from tests.config.test_supervisor import Record, supervisor
from tests.patience import eventually

__all__ = ["supervisor"]
RESTORE = ("--exit-on-error", "--no-owner", "--no-comments")
"""A comment on an extension is its owner's, who is the administrator."""


@pytest.fixture
def record() -> Record:
    return Record()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[embedded.Paths]:
    made = embedded.installation_paths(tmp_path / "data with spaces")
    embedded.make_directories(made)
    yield made
    shutil.rmtree(made.run, ignore_errors=True)


def test_a_lock_file_of_a_foreign_process_is_removed(place: embedded.Paths) -> None:
    place.postgres.mkdir()
    file = place.postgres / "postmaster.pid"
    for pid in (os.getpid(), 2**22 - 3, "nonsense"):
        file.write_text(f"{pid}\n{place.postgres}\n")

        postgres.clear_stale_lock(place)

        assert not file.exists()


def test_an_orphaned_server_is_stopped_and_the_data_kept(place: embedded.Paths, supervisor: Supervisor) -> None:
    supervisor.start([postgres.build_postgres_program(place.data)])
    with postgres.connect_superuser(place) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    orphan = supervisor.children[0].process
    assert orphan is not None

    postgres.clear_stale_lock(place)

    assert eventually(lambda: orphan.poll() is not None)
    supervisor.children.pop().close_log()
    supervisor.start([postgres.build_postgres_program(place.data)])
    with postgres.connect_superuser(place) as connection:
        assert connection.execute("SELECT number FROM kept").fetchone() == (7,)


def test_a_first_start_that_was_killed_halfway_is_begun_anew(place: embedded.Paths, supervisor: Supervisor) -> None:
    half = place.data / "pg.tmp"
    half.mkdir()
    (half / "PG_VERSION").write_text("18")

    supervisor.start([postgres.build_postgres_program(place.data)])

    assert not half.exists()
    assert not (place.data / "pg.password").exists()


def test_lost_secrets_are_named_instead_of_waited_for(place: embedded.Paths, supervisor: Supervisor) -> None:
    postgres.initialise_cluster(place, postgres.build_user_switch(place))
    place.secrets.unlink()

    with pytest.raises(StartFailedError, match="restore that file"):
        supervisor.start([postgres.build_postgres_program(place.data)])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_root_without_user_namespaces_runs_it_as_an_ordinary_user(
    place: embedded.Paths, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "unshare" else which(name))
    assert postgres.build_user_switch(place)[0] == "setpriv"

    supervisor.start([postgres.build_postgres_program(place.data)])

    assert place.postgres.owner() in postgres.FALLBACK_USERS
    supervisor.stop()
    supervisor.stopping = False
    monkeypatch.undo()
    # Where namespaces are allowed again the files go back to root.
    supervisor.start([postgres.build_postgres_program(place.data)])
    assert place.postgres.owner() == "root"


def test_a_hostile_locale_of_the_caller_does_not_matter(place: embedded.Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "xx_YY.UTF-8")
    monkeypatch.setenv("PGDATA", "/nowhere")

    postgres.initialise_cluster(place, postgres.build_user_switch(place))

    assert (place.postgres / "PG_VERSION").exists()


def test_nobody_gets_in_without_the_password(services: object) -> None:
    address = admin_url().replace(embedded.load_secrets(settings.DATA_DIR).superuser_password, "guess")

    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(address, connect_timeout=3)


def admin_url() -> str:
    secret = embedded.load_secrets(settings.DATA_DIR).superuser_password
    return f"postgresql://postgres:{secret}@/postgres?host={embedded.run_dir(settings.DATA_DIR)}"


@pytest.fixture
def foreign_database(services: object) -> Iterator[dict[str, str]]:
    """Addresses on a server that nobody has prepared for the product, and the administrator's."""
    run = embedded.run_dir(settings.DATA_DIR)
    urls = {
        "DATABASE_ADMIN_URL": admin_url(),
        "DATABASE_URL": f"postgresql://their_app:pw1@/theirs?host={run}",
        "DATABASE_OWNER_URL": f"postgresql://their_owner:pw2@/theirs?host={run}",
        "DATABASE_BACKUP_URL": f"postgresql://their_backup:pw3@/theirs?host={run}",
    }
    yield urls
    drop_theirs()


def drop_theirs() -> None:
    with psycopg.connect(admin_url(), autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS theirs WITH (FORCE)")
        for role in ("their_app", "their_backup", "their_owner"):
            server.execute(f"DROP ROLE IF EXISTS {role}")


def test_a_postgres_of_ones_own_is_prepared_and_migrated_by_its_owner(
    foreign_database: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as set_for_now:
        for name, value in foreign_database.items():
            set_for_now.setenv(name, value)
        for _ in range(2):
            out = StringIO()
            call_command("prepare_database", stdout=out)
            assert "The database is prepared" in out.getvalue()
    migrated = manage("migrate", "--no-input", data_dir=tmp_path, **foreign_database)

    assert migrated.returncode == 0, migrated.stderr
    assert not (tmp_path / "pg").exists()
    table = MemoryItem._meta.db_table
    with psycopg.connect(foreign_database["DATABASE_URL"]) as app:
        owner = app.execute("SELECT tableowner FROM pg_tables WHERE tablename = %s", [table]).fetchone()
        assert owner == ("their_owner",)
        settled = app.execute(
            "SELECT current_setting('hnsw.iterative_scan'), current_setting('hnsw.ef_search')"
        ).fetchone()
        assert settled == ("relaxed_order", "80")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            app.execute(f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")


def run_tool(name: str, *words: str) -> str:
    """A program of Postgres, as an operator runs it. Returns what it complains of."""
    done = subprocess.run([str(postgres.find_binaries() / name), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_a_dump_is_restored_on_a_server_where_nothing_is(
    foreign_database: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As docs/operations.md says, word for word."""
    for name, value in foreign_database.items():
        monkeypatch.setenv(name, value)
    call_command("prepare_database", stdout=StringIO())
    assert manage("migrate", "--no-input", data_dir=tmp_path, **foreign_database).returncode == 0
    owner, dump = foreign_database["DATABASE_OWNER_URL"], str(tmp_path / "commonplace.dump")
    policies, indexes = "(SELECT count(*) FROM pg_policies)", "(SELECT count(*) FROM pg_indexes)"
    count = f"SELECT {policies}, {indexes}, count(*) FROM pg_class WHERE relforcerowsecurity"
    with psycopg.connect(owner) as server:
        server.execute("INSERT INTO organization (slug, name, created_at) VALUES ('kept', 'Kept', now())")
        before = server.execute(count).fetchone()
    # The template of the tests' server has rules for the roles of its own installation.
    with psycopg.connect(conninfo.make_conninfo(admin_url(), dbname="theirs")) as server:
        server.execute("DELETE FROM pg_default_acl WHERE defaclrole = 'commonplace_owner'::regrole")
    run_tool("pg_dump", "--format=custom", "--no-owner", foreign_database["DATABASE_BACKUP_URL"], f"--file={dump}")
    drop_theirs()

    call_command("prepare_database", stdout=StringIO())
    complaints = run_tool("pg_restore", *RESTORE, "--dbname", owner, dump)

    assert complaints == ""
    with psycopg.connect(owner) as server:
        assert server.execute(count).fetchone() == before
    with psycopg.connect(foreign_database["DATABASE_URL"]) as app:
        assert app.execute("SELECT slug FROM organization").fetchall() == [("kept",)]
        leakproof = "SELECT proleakproof FROM pg_proc WHERE proname = 'ts_match_vq'"
        assert app.execute(leakproof).fetchone() == (True,)
    assert f"pg_restore {' '.join(RESTORE)} --dbname" in (BASE_DIR / "docs/operations.md").read_text(encoding="utf-8")


def test_preparing_without_an_administrator_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://a:b@127.0.0.1:1/c")

    with pytest.raises(CommandError, match="DATABASE_ADMIN_URL"):
        call_command("prepare_database")


def test_the_roles_are_what_the_walls_need(services: object) -> None:
    with psycopg.connect(admin_url()) as server:
        rows = server.execute(
            "SELECT rolname, rolsuper, rolbypassrls, rolcreatedb FROM pg_roles"
            " WHERE rolname LIKE 'commonplace%' ORDER BY rolname"
        ).fetchall()
    assert rows == [
        ("commonplace_app", False, False, False),
        ("commonplace_backup", False, True, False),
        ("commonplace_owner", False, False, True),
    ]


def test_what_an_administrator_may_not_do_is_told_and_left_out(services: object) -> None:
    # Names of its own: the server is shared with the tests that run beside it.
    plan = roles.RolePlan("halves", roles.Login("half_owner", "pw"), roles.Login("half_app", "pw"))
    run = str(embedded.run_dir(settings.DATA_DIR))
    try:
        with psycopg.connect(admin_url(), autocommit=True) as server:
            server.execute("CREATE ROLE half_admin LOGIN CREATEROLE CREATEDB PASSWORD 'pw'")
            server.execute("CREATE DATABASE halves OWNER half_admin")
        address = conninfo.make_conninfo(host=run, user="half_admin", password="pw", dbname="postgres")

        skipped = roles.prepare_server(address, plan)

        assert any("leakproof" in message for message in skipped)
        assert roles.prepare_server(address, plan) == skipped
    finally:
        with psycopg.connect(admin_url(), autocommit=True) as server:
            server.execute("DROP DATABASE IF EXISTS halves WITH (FORCE)")
            for role in ("half_app", "half_owner", "half_admin"):
                server.execute(f"DROP ROLE IF EXISTS {role}")


def test_leftovers_of_somebody_else_are_left_alone(place: embedded.Paths) -> None:
    orphans.record_file(place).write_text(f"[[{os.getpid()}, 1.0], [1, 2.0]]")

    assert orphans.end_orphans(place) == 0


@pytest.mark.parametrize(
    ("limit", "megabytes"), [("2147483648\n", 512), ("268435456\n", 256)], ids=["of a container", "of a small one"]
)
def test_it_keeps_a_quarter_of_what_a_container_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, megabytes: int
) -> None:
    (tmp_path / "memory.max").write_text(limit)
    monkeypatch.setattr(postgres, "CONTAINER_LIMIT", tmp_path / "memory.max")
    assert postgres.choose_buffers() == megabytes * postgres.MEGABYTE


@pytest.mark.parametrize("limit", ["max\n", None], ids=["without a limit", "without control groups"])
def test_elsewhere_it_keeps_a_quarter_of_the_memory_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str | None
) -> None:
    monkeypatch.setattr(postgres, "CONTAINER_LIMIT", tmp_path / "memory.max")
    if limit is not None:
        (tmp_path / "memory.max").write_text(limit)
    assert postgres.choose_buffers() == max(postgres.LEAST_BUFFERS, psutil.virtual_memory().total // 4)
