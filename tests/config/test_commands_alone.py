"""Management commands where nothing runs yet: the parts come up for them and go with the last of them."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from config import embedded
from config.env import BASE_DIR
from config.runtime.leases import Lease
from manage import WITHOUT_TABLES
from memory.proving.installation import clean_environment, find_processes, manage
from tests.patience import eventually

pytestmark = [pytest.mark.slow]

# Nothing answers there, and nothing embedded has to start beside it.
ELSEWHERE = {
    "DATABASE_URL": "postgresql://a:b@127.0.0.1:1/none",
    "REDIS_URL": "redis://127.0.0.1:1/0",
    "EMBEDDING_URL": "http://127.0.0.1:1",
}


@pytest.fixture
def running_database(tmp_path: Path) -> Iterator[None]:
    """Holds Postgres and Redis between the commands of a test, which else would start and stop them each time."""
    lease = Lease(embedded.installation_paths(tmp_path), ("postgres", "redis"))
    lease.wait()
    yield
    lease.close()


@pytest.mark.usefixtures("running_database")
def test_a_command_that_needs_tables_says_in_a_line_how_to_get_them(tmp_path: Path) -> None:
    refused = manage("create_key", "--org", "acme", "--name", "x", data_dir=tmp_path)

    assert refused.returncode == 1
    assert refused.stderr == "error: the database has no tables yet: run manage.py migrate first\n"
    assert {"check_consistency", "promote", "purge_source"}.isdisjoint(WITHOUT_TABLES)
    # Though it needs no embedder: without it the next command would take this for an older installation.
    assert embedded.installation_paths(tmp_path).embedding_model.exists()
    manage("migrate", "memory", "0001", data_dir=tmp_path)
    behind = manage("promote", "--dry-run", data_dir=tmp_path)
    assert behind.returncode == 1
    assert "the tables are older than this program" in behind.stderr
    assert behind.stderr.endswith("run manage.py migrate first\n")


@pytest.mark.usefixtures("running_database")
def test_a_benchmark_makes_the_tables_it_needs_and_a_second_one_waits_for_them(tmp_path: Path) -> None:
    words = ("bench", "quality", "--limit", "1", "--modes", "lexical")
    with ThreadPoolExecutor(2) as pool:
        measured = list(pool.map(lambda _: manage(*words, data_dir=tmp_path), range(2)))

    assert [each.returncode for each in measured] == [0, 0], [each.stderr for each in measured]
    assert sorted("Making the tables" in each.stderr for each in measured) == [False, True]
    assert all("Top-1" in each.stdout for each in measured)


def test_a_benchmark_leaves_tables_alone_that_are_not_embedded(tmp_path: Path) -> None:
    tried = manage("bench", "quality", data_dir=tmp_path, **ELSEWHERE)

    assert tried.returncode == 1
    assert "Making the tables" not in tried.stderr
    assert "the database does not answer" in tried.stderr


def test_checking_the_database_alone_starts_it(tmp_path: Path) -> None:
    checked = manage("check", "--database", "default", data_dir=tmp_path)

    assert checked.returncode == 0, checked.stderr
    assert "could not be asked" not in checked.stderr


def test_a_database_that_does_not_answer_is_told_in_a_line(tmp_path: Path) -> None:
    tried = manage("promote", data_dir=tmp_path, **ELSEWHERE)

    assert tried.returncode == 1
    assert tried.stderr.splitlines()[-1].startswith("error: the database does not answer: ")
    assert "Traceback" not in tried.stderr


def test_commands_at_once_share_a_database_which_ends_with_the_last(tmp_path: Path) -> None:
    data_dir = tmp_path / "data with spaces, and a comma"
    with ThreadPoolExecutor(2) as pool:
        shown = list(pool.map(lambda _: manage("showmigrations", "memory", data_dir=data_dir), range(2)))

    assert [each.returncode for each in shown] == [0, 0], [each.stderr for each in shown]
    assert all("[ ] 0001_tables" in each.stdout for each in shown)
    assert eventually(lambda: find_processes(data_dir) == [])


def test_the_parts_end_when_their_only_user_is_killed(tmp_path: Path) -> None:
    code = (
        "import sys; from config.embedded import installation_paths; from config.runtime.leases import Lease; "
        "lease = Lease(installation_paths(sys.argv[1]), ('redis',)); lease.wait(); "
        "print('ready', flush=True); sys.stdin.read()"
    )
    user = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=BASE_DIR,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert user.stdout is not None
    assert user.stdin is not None
    assert user.stdout.readline() == b"ready\n"
    assert [each for each in find_processes(tmp_path) if "postgres" in each.name()] == []

    user.send_signal(signal.SIGKILL)
    user.communicate()

    assert eventually(lambda: find_processes(tmp_path) == [])


def test_a_command_that_needs_nothing_starts_nothing(tmp_path: Path) -> None:
    helped = manage("migrate", "--help", data_dir=tmp_path)

    assert helped.returncode == 0
    assert not (tmp_path / "pg").exists()


def test_a_named_service_keeps_its_embedded_part_from_starting(tmp_path: Path) -> None:
    tried = manage("showmigrations", data_dir=tmp_path, DATABASE_URL=ELSEWHERE["DATABASE_URL"])

    assert tried.returncode != 0
    assert "127.0.0.1" in tried.stderr
    assert not (tmp_path / "pg").exists()
