"""Keeps a set of processes running: ordered start with readiness, restart with back-off, stop in reverse order.

A supervisor must be used from the main thread: the kernel's death signal, which ends the children if the supervisor
is killed outright, belongs to the thread that started them.
"""

import os
import select
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import count, groupby
from logging import Formatter, LogRecord
from logging.handlers import RotatingFileHandler
from operator import attrgetter
from pathlib import Path
from typing import Protocol

TICK_S = 0.2
INITIAL_BACKOFF_S = 0.5
MAX_BACKOFF_S = 30.0
# A process that ran this long had started properly: its back-off starts again.
STABLE_AFTER_S = 60.0
LOG_BYTES = 5_000_000
MAX_LINE_BYTES = 16_384
# For what a process that has ended still left in its pipe; a child of its own may hold that open.
LAST_WORDS_S = 1.0


class StartFailedError(Exception):
    """A process ended or did not answer in time; the message carries the end of its log."""


class StopRequestedError(Exception):
    """A signal asked the supervisor to stop while it was starting."""


class SupervisorReport(Protocol):
    def report_started(self, name: str, seconds: float | None) -> None:
        """It answers after so many seconds; None for one that is not asked."""

    def report_trouble(self, name: str, message: str) -> None: ...
    def report_line(self, name: str, text: str) -> None: ...


def is_never_loud(_line: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Program:
    name: str
    argv: Sequence[str]
    environment: Mapping[str, str]
    cwd: Path
    ready: Callable[[], bool] | None = None
    # On two processors with twelve busy processes beside it the web took 80 s to its first answer.
    ready_within_s: float = 180.0
    before: Callable[[], None] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    # What the kernel sends when the supervisor itself is killed.
    death_signal: signal.Signals = signal.SIGTERM
    grace_s: float = 10.0
    is_loud: Callable[[str], bool] = is_never_loud


@cache
def build_parent_death_prefix(death_signal: signal.Signals) -> tuple[str, ...]:
    """A command prefix that makes a process die with its parent; empty where the system has no such feature."""
    prefix = ("setpriv", "--pdeathsig", death_signal.name.removeprefix("SIG"))
    if not shutil.which("setpriv"):
        return ()
    probe = subprocess.run([*prefix, "true"], capture_output=True, check=False)
    return prefix if probe.returncode == 0 else ()


class ChildLog(RotatingFileHandler):
    def handleError(self, record: LogRecord) -> None:  # noqa: N802 - the library's name
        """Ignore errors: a full disk must not fill the terminal with tracebacks of the logging module."""


@dataclass(slots=True)
class ChildProcess:
    """One program's process, its log and its failures."""

    program: Program
    report: SupervisorReport
    log: ChildLog
    batch: int
    """Which of the starts it belongs to: what was started together is stopped together."""
    process: subprocess.Popen[bytes] | None = None
    born: float = 0.0
    is_ready: bool = False
    failures: int = 0
    retry_at: float | None = None
    tail: deque[str] = field(default_factory=lambda: deque(maxlen=12))
    quiet: bool = False
    _pump_thread: threading.Thread | None = None

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def process_code(self) -> int | None:
        return self.process.poll() if self.process else None

    def spawn(self) -> None:
        self.kill_group()
        if self.program.before:
            self.program.before()
        self.tail.clear()
        self.is_ready = self.program.ready is None
        self.retry_at = None
        self.born = time.monotonic()
        self.process = subprocess.Popen(
            [*build_parent_death_prefix(self.program.death_signal), *self.program.argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(self.program.environment),
            cwd=self.program.cwd,
            # A terminal's Ctrl-C goes to a whole session; only the supervisor shall decide who stops when.
            start_new_session=True,
        )
        self._pump_thread = threading.Thread(target=self._pump, args=(self.process,), daemon=True)
        self._pump_thread.start()

    def _pump(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None  # noqa: S101 - spawned with a pipe
        with process.stdout as lines:
            for raw in iter(lambda: lines.readline(MAX_LINE_BYTES), b""):
                text = raw.decode("utf-8", "replace").rstrip()
                self.tail.append(text)
                self.log.handle(LogRecord(self.name, 20, "", 0, text, None, None))
                if self.program.is_loud(text) and not self.quiet:
                    self.report.report_line(self.name, text)

    def close_log(self) -> None:
        """After the last words: a line that comes later would open the file again, and nobody closed it then."""
        self._await_last_words()
        self.log.close()

    def _await_last_words(self) -> None:
        if self._pump_thread is not None and not self.is_alive:
            self._pump_thread.join(LAST_WORDS_S)

    def check_ready(self) -> bool:
        if not self.is_ready and self.program.ready is not None:
            try:
                self.is_ready = self.program.ready()
            except StartFailedError:
                raise
            except Exception:  # noqa: BLE001 - any answer but yes means not yet
                self.is_ready = False
        return self.is_ready

    @property
    def is_late(self) -> bool:
        return not self.is_ready and time.monotonic() - self.born > self.program.ready_within_s

    def fail(self) -> float:
        """Count a failure and plan the next start; returns the delay in seconds."""
        lived = time.monotonic() - self.born
        self.failures = 1 if lived > STABLE_AFTER_S else self.failures + 1
        delay = min(MAX_BACKOFF_S, INITIAL_BACKOFF_S * 2.0 ** (self.failures - 1))
        self.retry_at = time.monotonic() + delay
        return delay

    def ask_to_stop(self) -> None:
        self.quiet = True
        # Only the main process gets the signal: it knows how to end its own helpers in order.
        if self.process is not None and self.is_alive:
            self.process.send_signal(self.program.stop_signal)

    def await_end(self) -> bool:
        """Wait for a process that was asked to stop, then kill it; True if it ended by itself in time."""
        if self.process is None:
            return True
        try:
            self.process.wait(self.program.grace_s)
        except subprocess.TimeoutExpired:
            self.kill_group()
            self.process.wait()
            return False
        self.kill_group()
        return True

    def kill_group(self) -> None:
        """End what is left of the process and its descendants, such as a web worker that kept the port."""
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                return

    def read_last_words(self) -> str:
        # On a busy machine its end is seen before what it said.
        self._await_last_words()
        return "\n".join(f"    {line}" for line in self.tail)


@dataclass(frozen=True, slots=True)
class OneOffCommand:
    """A command that is expected to end."""

    name: str
    process: subprocess.Popen[bytes]
    reader: threading.Thread
    born: float


class Supervisor:
    def __init__(self, report: SupervisorReport, log_dir: Path, remember: Callable[[list[int]], None]) -> None:
        self.report = report
        self.log_dir = log_dir
        # Told all process ids after each start, for whoever has to clear up if this process is killed.
        self._remember = remember
        self.children: list[ChildProcess] = []
        self._batches = count(1)
        self._steps: list[OneOffCommand] = []
        self.stopping = False
        self._wake, wake_end = os.pipe()
        os.set_blocking(self._wake, False)
        os.set_blocking(wake_end, False)
        signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)
        # Without a handler of its own the end of a child would not wake the loop.
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def _on_signal(self, _number: int, _frame: object) -> None:
        if self.stopping:
            self.report.report_trouble("supervisor", "asked to stop a second time: ending everything at once")
            for child in self.children:
                child.kill_group()
        self.stopping = True

    def request_stop(self) -> None:
        self.stopping = True

    def start(self, programs: Sequence[Program]) -> None:
        """Start these together and return when each answers; raises StartFailedError or StopRequestedError."""
        for child in self.begin(programs).values():
            self.finish(child)

    def begin(self, programs: Sequence[Program]) -> dict[str, ChildProcess]:
        self._raise_if_stopping()
        number = next(self._batches)
        batch = {
            program.name: ChildProcess(program, self.report, self._open_log(program.name), number)
            for program in programs
        }
        for child in batch.values():
            self.children.append(child)
            self._spawn(child)
        return batch

    def _spawn(self, child: ChildProcess) -> None:
        child.spawn()
        self._remember([each.process.pid for each in self.children if each.process])

    def finish(self, child: ChildProcess) -> None:
        """Wait until a started child is ready."""
        while not child.check_ready():
            self._raise_if_stopping()
            if not child.is_alive or child.is_late:
                why = "did not answer in time" if child.is_alive else f"ended with code {child.process_code}"
                raise StartFailedError(f"{child.name} {why}. Its last lines:\n{child.read_last_words()}")
            self._sleep(0.03)
        self.report.report_started(child.name, time.monotonic() - child.born if child.program.ready else None)

    def begin_step(
        self,
        name: str,
        argv: Sequence[str],
        environment: Mapping[str, str],
        cwd: Path,
        show: Callable[[str], None] | None = None,
    ) -> OneOffCommand:
        """Start one command that has an end; it writes to this terminal, or each of its lines goes to ``show``."""
        self._raise_if_stopping()
        process = subprocess.Popen(
            [*build_parent_death_prefix(signal.SIGTERM), *argv],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if show else None,
            env=dict(environment),
            cwd=cwd,
            start_new_session=True,
        )
        reader = threading.Thread(target=forward_lines, args=(process, show), daemon=True)
        reader.start()
        step = OneOffCommand(name, process, reader, time.monotonic())
        self._steps.append(step)
        return step

    def finish_step(self, step: OneOffCommand) -> float:
        """Watch the children until the step has ended; returns its seconds, raises StartFailedError if it failed."""
        while step.process.poll() is None:
            self._raise_if_stopping()
            self._tend()
            self._sleep(0.05)
        self._steps.remove(step)
        step.reader.join(timeout=5)
        if step.process.returncode:
            raise StartFailedError(f"the step {step.name} ended with code {step.process.returncode}")
        return time.monotonic() - step.born

    def watch(self, each_tick: Callable[[], None] | None = None) -> None:
        """Watch the children until a signal or ``request_stop`` ends it."""
        while not self.stopping:
            self._tend()
            if each_tick:
                each_tick()
            self._sleep(TICK_S)

    def _tend(self) -> None:
        for child in self.children:
            if self.stopping:
                return
            if child.retry_at is not None:
                if time.monotonic() >= child.retry_at:
                    self._respawn(child)
            elif not child.is_alive:
                self._plan_restart(child, f"ended with code {child.process_code}")
            elif not child.is_ready:
                if child.check_ready():
                    self.report.report_trouble(child.name, f"is back after {time.monotonic() - child.born:.1f} s")
                elif child.is_late:
                    child.kill_group()
                    self._plan_restart(child, "does not answer")

    def _plan_restart(self, child: ChildProcess, why: str) -> None:
        delay = child.fail()
        again = f" ({child.failures} times in a row; see {self.log_dir / child.name}.log)" if child.failures > 1 else ""
        self.report.report_trouble(child.name, f"{why}{again}, starting it again in {delay:.1f} s")

    def _respawn(self, child: ChildProcess) -> None:
        try:
            self._spawn(child)
        except Exception as error:  # noqa: BLE001 - one broken part must not take the others down
            self._plan_restart(child, f"could not be started: {error}")

    def stop(self) -> None:
        self.stopping = True
        for step in self._steps:
            end_process(step.process)
        self._steps.clear()
        # What was started together needs nothing of each other: one by one, two workers took as long as both.
        for _, batch in groupby(reversed(self.children), attrgetter("batch")):
            together = list(batch)
            for child in together:
                child.ask_to_stop()
            for child in together:
                if not child.await_end():
                    self.report.report_trouble(
                        child.name, f"did not stop within {child.program.grace_s:.0f} s and was killed"
                    )
                child.close_log()
        self.children.clear()

    def _raise_if_stopping(self) -> None:
        if self.stopping:
            raise StopRequestedError

    def _sleep(self, seconds: float) -> None:
        readable, _, _ = select.select([self._wake], [], [], seconds)
        if readable:
            os.read(self._wake, 512)

    def _open_log(self, name: str) -> ChildLog:
        handler = ChildLog(
            self.log_dir / f"{name}.log", maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8", delay=True
        )
        handler.setFormatter(Formatter("%(message)s"))
        return handler


def forward_lines(process: subprocess.Popen[bytes], show: Callable[[str], None] | None) -> None:
    if process.stdout is not None and show is not None:
        with process.stdout as lines:
            for raw in lines:
                show(raw.decode("utf-8", "replace"))


def end_process(process: subprocess.Popen[bytes], grace_s: float = 10.0) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(grace_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
