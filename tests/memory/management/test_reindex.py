"""`manage.py reindex` as an operator meets it."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config.env import BASE_DIR
from memory.indexes import vector_index
from memory.indexing import runs
from memory.models import EndUser, ReindexRun
from tests.memory.indexing.index_contents import read_index, read_rows, store_memories
from tests.patience import eventually

pytestmark = [pytest.mark.usefixtures("services"), pytest.mark.django_db]
IndexNow = Callable[[EndUser], None]


@pytest.fixture
def ann(user: EndUser, index_now: IndexNow) -> EndUser:
    store_memories(user, 12)
    index_now(user)
    return user


def run_reindex(*words: str) -> str:
    out = StringIO()
    call_command("reindex", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_the_whole_index_is_rebuilt_and_compared(ann: EndUser) -> None:
    said = run_reindex("--rate=0")
    assert "done (check, 12 of about 12 rows, 0 refused)" in said
    assert "compared afterwards: 12 rows, 12 points, 0 differences" in said
    assert read_index(ann) == read_rows(ann)


def test_status_tells_the_run_and_the_collections(ann: EndUser) -> None:
    assert "never rebuilt" in run_reindex("--status")
    run_reindex("--rate=0")
    said = run_reindex("--status")
    assert f"{vector_index().collection}: done" in said
    assert "live     memories_v1_" in said
    assert "previous memories_v1 (pgvector" in said


def test_a_run_in_the_background_is_left_to_the_worker(ann: EndUser) -> None:
    assert "started" in run_reindex("--background")
    assert ReindexRun.objects.get().rows_done == 0
    assert "paused" in run_reindex("--pause")
    assert "done" in run_reindex("--resume")


def test_giving_up_and_rolling_back(ann: EndUser) -> None:
    run_reindex("--background")
    assert "given up" in run_reindex("--cancel")
    with pytest.raises(CommandError, match="no earlier collection"):
        run_reindex("--rollback")
    run_reindex("--rate=0")
    assert "12 rows compared, 0 put right" in run_reindex("--rollback")
    assert vector_index().collection == "memories_v1"


def test_one_user_or_what_changed_since(ann: EndUser) -> None:
    assert "done (check, 12 of" in run_reindex("--user=ann", "--rate=0")
    assert "done (check, 0 of" in run_reindex("--since=2999-01-01", "--rate=0")
    assert "done (check, 0 of" in run_reindex("--tier=books", "--rate=0")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--user=nobody"], "acme has no user 'nobody'"),
        (["--since=yesterday"], "--since: 'yesterday' is no ISO 8601 time"),
        (["--since=2026-02-31"], "--since: '2026-02-31': day is out of range"),
        (["--tier=attic"], "--tier"),
        (["--rate=-1"], "--rate: '-1' is no number from 0 to 1,000,000"),
        (["--resume"], "no run waits"),
        (["--pause"], "no run is going on"),
        (["--pause", "--resume"], "not allowed with"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(ann: EndUser, words: list[str], reason: str) -> None:
    with pytest.raises(CommandError, match=reason):
        run_reindex(*words)


def test_a_second_run_is_refused(ann: EndUser) -> None:
    run_reindex("--background")
    with pytest.raises(CommandError, match="--resume, --pause or --cancel"):
        run_reindex()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_killed_command_is_carried_on_by_the_next(ann: EndUser) -> None:
    """The process is really killed, in the middle of its rows."""
    code = (
        "import django, sys; django.setup(); from django.db import connection; "
        f"connection.settings_dict['NAME'] = {str(connection.settings_dict['NAME'])!r}; "
        "from memory.indexing import rebuild; rebuild.BATCH = 2; "
        "from django.core.management import call_command; call_command('reindex', '--rate=4')"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings_test"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually(lambda: ReindexRun.objects.filter(rows_done__gte=4).exists() or process.poll() is not None)
        assert process.poll() is None
        with pytest.raises(CommandError, match="--resume"):
            run_reindex()
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    left = ReindexRun.objects.get()
    assert left.state == ReindexRun.State.RUNNING
    assert 4 <= left.rows_done < 12
    ReindexRun.objects.update(rows_per_s=0)
    assert "done" in run_reindex("--resume")
    assert runs.find_open_run() is None
    assert read_index(ann) == read_rows(ann)
