"""``manage.py up`` and what happens to it: commands beside it, deaths, stops, a second start."""

import os
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from config import embedded
from memory.benchmarks.serving import find_free_port
from memory.management.demo import EXAMPLE_QUERY, USER_ID
from memory.proving.installation import MODEL, Stack, find_processes, manage
from tests.patience import PATIENCE_S, eventually, slowness

pytestmark = pytest.mark.slow


def search_demo(stack: Stack, query: str = EXAMPLE_QUERY) -> list[dict[str, str]]:
    answer = httpx.post(
        f"{stack.api_url}/api/v1/users/{USER_ID}/search",
        headers={"Authorization": f"Bearer {stack.api_key}"},
        json={"query": query, "limit": 3},
        timeout=10,
    )
    assert answer.status_code == 200, answer.text
    found: list[dict[str, str]] = answer.json()["results"]
    return found


def test_the_access_file_is_private_and_says_all_one_needs(stack: Stack) -> None:
    file = stack.data_dir / "access.json"

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert set(stack.access) == {"api_url", "api_key", "console_url", "console_user", "console_password", "mcp_url"}
    assert all(stack.access.values())
    assert all(value in stack.output for value in stack.access.values())
    assert f"Meaning is compared by {MODEL} (English)" in stack.output


def test_the_first_search_answers_from_the_demo(stack: Stack) -> None:
    assert any("ERR_4521" in hit["content"] for hit in search_demo(stack))


def test_the_printed_command_works_in_a_shell(stack: Stack) -> None:
    command = stack.output[stack.output.index("curl ") :].split("\n\n")[0]

    answer = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=20, check=True)

    assert "ERR_4521" in answer.stdout


def test_no_port_but_the_web_port_is_open(stack: Stack) -> None:
    ports = {
        connection.laddr.port
        for process in find_processes(stack.data_dir)
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN
    }

    assert ports == {stack.port}


def test_what_holds_secrets_is_closed_to_others(stack: Stack) -> None:
    place = embedded.installation_paths(stack.data_dir)

    for path in (place.data, place.run, place.postgres, place.redis, place.log):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700, path
    assert stat.S_IMODE(place.secrets.stat().st_mode) == 0o600


def test_a_second_one_is_refused_by_name(stack: Stack) -> None:
    refused = manage("up", "--port", str(find_free_port()), data_dir=stack.data_dir)

    assert refused.returncode == 3
    assert f"already runs (process {stack.pid})" in refused.stdout
    assert "make down" in refused.stdout


def test_a_port_in_use_is_told_before_anything_starts(stack: Stack, tmp_path: Path) -> None:
    refused = manage("up", "--port", str(stack.port), data_dir=tmp_path / "other")

    assert refused.returncode == 1
    assert f"port {stack.port} is in use" in refused.stderr
    assert not (tmp_path / "other" / "pg").exists()


@dataclass(frozen=True, slots=True)
class Beside:
    """What a command beside the installation said, and what ran before and after it."""

    said: str
    session_before: str
    session_after: str
    before: set[int]
    after: list[psutil.Process]


OWN_SESSION = Path("/proc/self/autogroup")
# One command for all that is asked of one: each takes 2.5 s of CPU to start. It steps back as a worker does that was
# started by hand.
COMMAND = """
import os
from config.celery import lower_worker_priority
from django.db import connection
from memory.models import ApiKey
from memory.platform.urgency import RequestUrgency
from pathlib import Path
print("demo:", ApiKey.objects.filter(organization__slug="demo").exists())
connection.close()
lower_worker_priority()
print("nice:", os.nice(0))
print("asks in the background:", RequestUrgency.describe())
with connection.cursor() as cursor:
    cursor.execute("SELECT pg_backend_pid()")
    pid = cursor.fetchone()[0]
print("nice of the backend:", os.getpriority(os.PRIO_PROCESS, pid))
session = Path(f"/proc/{pid}/autogroup")
print("of its session:", session.read_text().split()[-1] if session.exists() else "none")
"""


@pytest.fixture(scope="module")
def beside(installation: Stack) -> Beside:
    if not installation.is_running:
        installation.start()
    before = {process.pid for process in find_processes(installation.data_dir)}
    session = read_own_session()
    reported = manage("shell", "-c", COMMAND, data_dir=installation.data_dir)
    assert reported.returncode == 0, reported.stderr
    after = find_processes(installation.data_dir)
    return Beside(reported.stdout, session, read_own_session(), before, after)


def read_own_session() -> str:
    return OWN_SESSION.read_text(encoding="ascii") if OWN_SESSION.exists() else ""


def test_a_command_beside_it_uses_what_runs(beside: Beside) -> None:
    assert "demo: True" in beside.said
    # A server may have replaced one of its own meanwhile, as the worker does with a process that has grown.
    started = [one for one in beside.after if one.pid not in beside.before]
    assert [one for one in started if not has_ancestor(one, beside.before)] == []


def has_ancestor(process: psutil.Process, pids: set[int]) -> bool:
    try:
        return not pids.isdisjoint(parent.pid for parent in process.parents())
    except psutil.NoSuchProcess:
        # It is gone, and so was nothing that was left running.
        return True


def test_work_nobody_waits_for_steps_back(stack: Stack) -> None:
    running = [(process, process.cmdline()) for process in find_processes(stack.data_dir)]
    workers = [process for process, words in running if "celery" in words and "worker" in words]
    serving = [process for process, words in running if "granian" in words]
    own = psutil.Process().nice()
    behind = min(own + 10, 19)
    assert {process.nice() for process in workers} == {behind}
    assert {process.nice() for process in serving} == {own}
    embedder = {os.getpriority(os.PRIO_PROCESS, thread.id) for thread in stack.find_child("embedder").threads()}
    assert embedder == {own, behind}, "bulk jobs step back, questions do not"


def test_what_the_database_does_for_the_worker_steps_back_with_it(beside: Beside) -> None:
    behind = min(psutil.Process().nice() + 10, 19)
    assert f"nice of the backend: {behind}\n" in beside.said
    assert f"of its session: {behind}\n" in beside.said or "of its session: none\n" in beside.said


@pytest.mark.skipif(not OWN_SESSION.exists(), reason="time is not shared out by session here")
def test_a_worker_started_by_hand_leaves_its_terminal_as_it_is(beside: Beside) -> None:
    assert f"nice: {min(psutil.Process().nice() + 10, 19)}\n" in beside.said
    assert "asks in the background: {'background': True}\n" in beside.said
    assert beside.session_after == beside.session_before


@pytest.mark.parametrize("names", [("worker", "books", "beat", "embedder"), ("redis", "web")])
def test_killed_parts_are_started_again_and_named(stack: Stack, names: tuple[str, ...]) -> None:
    victims = {name: stack.find_child(name) for name in names}
    reported = {name: stack.output.count(f"! {name}: ended with code -9") for name in names}

    for victim in victims.values():
        victim.kill()

    for name, victim in victims.items():
        assert eventually(lambda: stack.output.count(f"! {name}: ended with code -9") > reported[name]), name  # noqa: B023
        assert eventually(lambda: is_running_again(stack, name, victim.pid)), name  # noqa: B023
    assert eventually(lambda: answers(stack))


def is_running_again(stack: Stack, name: str, old: int) -> bool:
    try:
        return stack.find_child(name).pid != old
    except (StopIteration, psutil.Error):
        return False


def answers(stack: Stack) -> bool:
    try:
        return bool(search_demo(stack))
    except (httpx.HTTPError, AssertionError):
        return False


def test_after_a_kill_nothing_is_left_and_the_next_start_keeps_everything(stack: Stack) -> None:
    access = dict(stack.access)
    assert stack.process is not None
    stack.process.kill()
    stack.process.wait()

    # At once, while the kernel's death signals are still at work.
    stack.start()

    assert stack.access == access
    assert "Applying" not in stack.output
    assert any("ERR_4521" in hit["content"] for hit in search_demo(stack))
    mains = [each for each in find_processes(stack.data_dir) if each.pid != stack.pid and "granian" in each.cmdline()]
    assert mains
    assert all(psutil.Process(stack.pid) in each.parents() for each in mains)


def works(stack: Stack) -> bool:
    """Whether the worker has got ready and does what it is asked."""
    place = f"{stack.api_url}/api/v1/users/{USER_ID}/memories"
    headers = {"Authorization": f"Bearer {stack.api_key}"}
    with httpx.Client(headers=headers, timeout=PATIENCE_S) as client:
        stored = client.post(place, json={"text": "Somebody will stop all this"}).json()
        return eventually(lambda: client.get(f"{place}/{stored['id']}").json()["indexing"] == "ready")


def test_down_ends_every_process_and_waits_for_it(stack: Stack) -> None:
    assert stack.process is not None
    # One that is stopped while it still loads its words may, on a busy machine, take longer than it is given.
    assert works(stack)
    held = manage("down", "--check", data_dir=stack.data_dir)
    assert held.returncode == 1
    assert str(stack.pid) in held.stdout

    stopped = manage("down", data_dir=stack.data_dir)

    assert stopped.returncode == 0, stopped.stderr
    assert stack.process.wait(PATIENCE_S) == 0
    assert find_processes(stack.data_dir) == []
    assert "Stopped after" in stack.output
    troubles = [line for line in stack.output.split("Stopping ...")[1].splitlines() if line.startswith("!")]
    # The worker ends what it has begun, and steps back for everything else: with a load of twelve it took over 30 s.
    assert troubles == [] or slowness() > 2, troubles
    assert "Nothing runs here" in manage("down", data_dir=stack.data_dir).stdout
