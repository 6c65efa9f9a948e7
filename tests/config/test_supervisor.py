"""The supervisor over small programs of its own."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.env import copy_environment
from config.supervisor import Program, StartFailedError, StopRequestedError, Supervisor
from tests.patience import PATIENCE_S, eventually


class Record:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def report_started(self, name: str, seconds: float | None) -> None:
        self.lines.append(f"{name} started")

    def report_trouble(self, name: str, message: str) -> None:
        self.lines.append(f"{name} {message}")

    def report_line(self, name: str, text: str) -> None:
        self.lines.append(f"{name} says {text}")


@pytest.fixture
def record() -> Record:
    return Record()


@pytest.fixture
def supervisor(tmp_path: Path, record: Record) -> Iterator[Supervisor]:
    kept = {
        number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
    }
    made = Supervisor(record, tmp_path, lambda _pids: None)
    yield made
    made.stop()
    signal.set_wakeup_fd(-1)
    for number, handler in kept.items():
        signal.signal(number, handler)


def make_program(name: str, code: str, tmp_path: Path, **options: object) -> Program:
    return Program(
        name=name,
        argv=[sys.executable, "-u", "-c", code],
        environment=copy_environment(),
        cwd=tmp_path,
        **options,  # type: ignore[arg-type]
    )


FOREVER = "import time; time.sleep(600)"


def supervise_until(supervisor: Supervisor, claim: object, within_s: float = PATIENCE_S) -> None:
    end = time.monotonic() + within_s

    def tick() -> None:
        assert callable(claim)
        if claim() or time.monotonic() > end:
            supervisor.request_stop()

    supervisor.watch(each_tick=tick)
    assert callable(claim)
    assert claim()


def test_programs_stop_in_reverse_order(supervisor: Supervisor, tmp_path: Path) -> None:
    code = "import signal, sys, time; signal.signal(15, lambda *_: (open('order', 'a').write(sys.argv[1]), sys.exit()))"
    ready = "; open(sys.argv[1], 'w').close(); time.sleep(600)"
    for name in ("first ", "second "):
        there = (tmp_path / name).exists
        made = make_program(name, code + ready, tmp_path, ready=there)
        supervisor.start([Program(**{**as_options(made), "argv": [*made.argv, name]})])  # type: ignore[arg-type]

    supervisor.stop()

    assert (tmp_path / "order").read_text() == "second first "


def as_options(made: Program) -> dict[str, object]:
    return {name: getattr(made, name) for name in Program.__dataclass_fields__}


def test_programs_that_were_started_together_stop_together(supervisor: Supervisor, tmp_path: Path) -> None:
    """Two workers took as long to stop as both of them one after the other."""
    # Each waits until the other was asked too, or gives up.
    code = (
        "import pathlib, signal, sys, time\n"
        "def stop(*_):\n"
        "    pathlib.Path(f'{sys.argv[1]}-asked').touch()\n"
        "    for _ in range(300):\n"
        "        if pathlib.Path(f'{sys.argv[2]}-asked').exists():\n"
        "            pathlib.Path(f'{sys.argv[1]}-met').touch()\n"
        "            break\n"
        "        time.sleep(0.01)\n"
        "    sys.exit()\n"
        "signal.signal(15, stop)\n"
        "pathlib.Path(sys.argv[1]).touch()\n"
        "time.sleep(600)\n"
    )
    programs = []
    for name, other in (("one", "two"), ("two", "one")):
        made = make_program(name, code, tmp_path, ready=(tmp_path / name).exists)
        programs.append(Program(**{**as_options(made), "argv": [*made.argv, name, other]}))  # type: ignore[arg-type]
    supervisor.start(programs)
    supervisor.stop()
    assert (tmp_path / "one-met").exists()
    assert (tmp_path / "two-met").exists()


def test_a_program_that_ends_is_started_again_and_named(supervisor: Supervisor, record: Record, tmp_path: Path) -> None:
    code = (
        "import sys, os, time; there = os.path.exists('once'); open('once', 'w'); there or sys.exit(7); time.sleep(600)"
    )
    supervisor.start([make_program("moody", code, tmp_path)])

    supervise_until(supervisor, lambda: any("ended with code 7" in line for line in record.lines))
    supervisor.stopping = False
    supervise_until(supervisor, lambda: supervisor.children[0].is_alive)


def test_failures_in_a_row_wait_longer_each_time(supervisor: Supervisor, record: Record, tmp_path: Path) -> None:
    supervisor.start([make_program("broken", "raise SystemExit(3)", tmp_path)])

    supervise_until(supervisor, lambda: any("3 times in a row" in line for line in record.lines))

    waits = [line.rsplit("again in ", 1)[1] for line in record.lines if "again in" in line]
    assert waits[:3] == ["0.5 s", "1.0 s", "2.0 s"]
    assert any("broken.log" in line for line in record.lines)


def test_a_start_that_fails_tells_the_last_words(supervisor: Supervisor, tmp_path: Path) -> None:
    code = "import sys; print('no such thing as a free port'); sys.exit(2)"

    with pytest.raises(StartFailedError, match=r"(?s)code 2.*free port"):
        supervisor.start([make_program("web", code, tmp_path, ready=lambda: False)])


def test_a_start_that_hangs_is_given_up(supervisor: Supervisor, tmp_path: Path) -> None:
    with pytest.raises(StartFailedError, match="did not answer in time"):
        supervisor.start([make_program("web", FOREVER, tmp_path, ready=lambda: False, ready_within_s=0.3)])


def test_a_signal_ends_even_an_unfinished_start(supervisor: Supervisor, tmp_path: Path) -> None:
    def interrupt() -> bool:
        signal.raise_signal(signal.SIGTERM)
        return False

    with pytest.raises(StopRequestedError):
        supervisor.start([make_program("web", FOREVER, tmp_path, ready=interrupt)])


def test_one_that_ignores_its_signal_is_killed_with_its_helpers(
    supervisor: Supervisor, record: Record, tmp_path: Path
) -> None:
    code = (
        "import signal, subprocess, sys, time; signal.signal(15, signal.SIG_IGN); "
        "helper = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
        "open('pid', 'w').write(str(helper.pid)); open('there', 'w'); time.sleep(600)"
    )
    supervisor.start([make_program("stubborn", code, tmp_path, ready=(tmp_path / "there").exists, grace_s=0.3)])

    supervisor.stop()

    assert any("was killed" in line for line in record.lines)
    helper = int((tmp_path / "pid").read_text())
    assert eventually(lambda: not is_alive(helper))


def test_output_goes_to_the_log_and_only_what_is_loud_is_shown(
    supervisor: Supervisor, record: Record, tmp_path: Path
) -> None:
    code = "print('quiet'); print('ERROR loud'); " + FOREVER
    supervisor.start([make_program("talker", code, tmp_path, is_loud=lambda line: "ERROR" in line)])

    supervise_until(supervisor, lambda: "talker says ERROR loud" in record.lines)

    assert (tmp_path / "talker.log").read_text() == "quiet\nERROR loud\n"
    assert "talker says quiet" not in record.lines


def test_a_step_passes_its_lines_on(supervisor: Supervisor, tmp_path: Path) -> None:
    shown: list[str] = []
    argv = [sys.executable, "-c", "print('one'); print('two')"]

    supervisor.finish_step(supervisor.begin_step("check", argv, copy_environment(), tmp_path, shown.append))

    assert shown == ["one\n", "two\n"]


def test_a_step_that_fails_fails_the_start(supervisor: Supervisor, tmp_path: Path) -> None:
    step = supervisor.begin_step("check", [sys.executable, "-c", "raise SystemExit(4)"], copy_environment(), tmp_path)

    with pytest.raises(StartFailedError, match="check ended with code 4"):
        supervisor.finish_step(step)


def test_a_stop_ends_a_step_on_its_way(supervisor: Supervisor, tmp_path: Path) -> None:
    step = supervisor.begin_step("long", [sys.executable, "-c", FOREVER], copy_environment(), tmp_path)

    supervisor.stop()

    assert step.process.returncode == -signal.SIGTERM


def test_the_children_of_a_killed_supervisor_end(tmp_path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from config.supervisor import Program, Supervisor
from tests.config.test_supervisor import Record, make_program
supervisor = Supervisor(Record(), Path({str(tmp_path)!r}), lambda pids: print(*pids, flush=True))
supervisor.start([make_program("child", {FOREVER!r}, Path({str(tmp_path)!r}))])
supervisor.watch()
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=copy_environment())
    assert parent.stdout is not None
    child = int(parent.stdout.readline())

    parent.kill()
    parent.communicate()

    assert eventually(lambda: not is_alive(child))


def is_alive(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, check=False).stdout.strip()
    return bool(state) and not state.startswith(b"Z")
