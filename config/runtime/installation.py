"""The whole product on one machine: what ``manage.py up`` starts, in which order, and its output."""

import argparse
import errno
import json
import os
import signal
import socket
import sys
import time
from functools import partial
from pathlib import Path

from config.embedded import EmbeddedError, Paths, installation_paths, list_embedded_parts
from config.embedding_models import describe_choice
from config.env import BASE_DIR, env_path
from config.runtime import leases, orphans, registry
from config.runtime.programs import (
    WebAddress,
    build_beat_program,
    build_books_program,
    build_child_environment,
    build_mcp_program,
    build_web_program,
    build_worker_program,
    start_parts,
)
from config.runtime.settings_check import check_settings
from config.supervisor import OneOffCommand, StartFailedError, StopRequestedError, Supervisor

EXIT_REFUSED = 3
STOP_TIMEOUT_S = 90.0
MAX_LINE_CHARS = 400


def print_line(text: str) -> None:
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except OSError:
        # The terminal is gone. The processes must go on, and be stopped in order later.
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open to the end of the process


class ConsoleReport:
    """Prints progress for a person, one line per event."""

    def report_started(self, name: str, seconds: float | None) -> None:
        print_line(f"  {name:<10} started" if seconds is None else f"  {name:<10} ready after {seconds:.1f} s")

    def report_trouble(self, name: str, message: str) -> None:
        print_line(f"! {name}: {message}")

    def report_line(self, name: str, text: str) -> None:
        print_line(f"  {name} | {shorten_line(text)}")


class Installation:
    def __init__(self, paths: Paths, address: WebAddress, *, demo: bool) -> None:
        self._paths = paths
        self._address = address
        self._demo = demo
        self._embedded = list_embedded_parts()
        self._begun = time.monotonic()

    def run(self) -> int:
        """Run until a signal; returns the exit code."""
        lock = leases.InstallationLock(self._paths, "up", self._embedded, self._address.url)
        if not leases.wait_for_lock(lock, self._paths, report_waiting):
            return refuse_second_start(self._paths)
        # Before the port is looked at: a web process of the killed run may still lock it for a moment.
        if orphans.end_orphans(self._paths):
            print_line("Ended what a killed run had left behind.")
        refuse_taken_port(self._address)
        registry.register(self._paths)
        supervisor = Supervisor(ConsoleReport(), self._paths.log, partial(orphans.record_processes, self._paths))
        try:
            self._start(supervisor, lock)
            supervisor.watch()
        except StopRequestedError:
            pass
        except (StartFailedError, EmbeddedError) as error:
            print_line(f"! {error}")
            return 1
        finally:
            self._stop(supervisor, lock)
        return 0

    def _start(self, supervisor: Supervisor, lock: leases.InstallationLock) -> None:
        first = "" if self._paths.access.exists() else " for the first time; that takes a minute"
        print_line(f"Starting Commonplace in {self._paths.data}{first}")
        # Importing the code takes longer than starting the parts, so the step starts now and waits for them.
        migrations = self._step(supervisor, "migrations", "migrate", "--no-input", show=True)
        start_parts(supervisor, self._paths, self._embedded, lambda ready: lock.publish(ready=ready))
        self._finish(supervisor, migrations)
        # First on its own: with the CPUs to itself it is ready in half the time.
        supervisor.start([build_web_program(self._paths, self._address, speaks_mcp=True)])
        supervisor.start(
            [
                build_worker_program(self._paths, self._address),
                build_books_program(self._paths, self._address),
                build_beat_program(self._paths, self._address),
                build_mcp_program(self._paths),
            ]
        )
        introduction = f"\n  Console  {self._address.url}/console/\n  MCP      {self._address.url}/mcp\n"
        if self._demo:
            words = ["prepare_demo", "--quiet", "--url", self._address.url]
            self._finish(supervisor, self._step(supervisor, "demo", *words))
            introduction = self._paths.welcome.read_text(encoding="utf-8")
        lock.publish(ready=[*self._embedded, "web"])
        print_line(f"Everything runs, after {time.monotonic() - self._begun:.1f} s.\n{introduction}")
        if "embedder" in self._embedded:
            print_line(describe_choice(self._paths.data))
        print_line(f"Data, logs and this text are in {self._paths.data}\nCtrl-C stops everything.")

    def _step(self, supervisor: Supervisor, name: str, *words: str, show: bool = False) -> OneOffCommand:
        argv = [sys.executable, str(BASE_DIR / "manage.py"), *words]
        environment = build_child_environment(self._paths, self._address)
        return supervisor.begin_step(name, argv, environment, BASE_DIR, print_migration if show else None)

    def _finish(self, supervisor: Supervisor, step: OneOffCommand) -> None:
        seconds = supervisor.finish_step(step)
        print_line(f"  {step.name:<10} done after {seconds:.1f} s")

    def _stop(self, supervisor: Supervisor, lock: leases.InstallationLock) -> None:
        print_line("Stopping ...")
        lock.publish(ready=[], kind="stopping")
        begun = time.monotonic()
        supervisor.stop()
        orphans.clear_record(self._paths)
        lock.release()
        registry.unregister(self._paths)
        print_line(f"Stopped after {time.monotonic() - begun:.1f} s. The data stays in {self._paths.data}")


def shorten_line(line: str) -> str:
    """A short form of a log line: the event and the last line of its reason; the log has the rest."""
    try:
        entry = json.loads(line)
        reason = str(entry.get("exception", "")).strip().rpartition("\n")[2]
        text = f"{entry['level']}: {entry['event']}" + (f": {reason}" if reason else "")
    except (ValueError, KeyError, AttributeError, TypeError):
        text = line
    return text if len(text) <= MAX_LINE_CHARS else text[:MAX_LINE_CHARS] + " ..."


def print_migration(line: str) -> None:
    if line.startswith("  Applying"):
        print_line(line.rstrip())


def report_waiting(owner: leases.LockOwner) -> None:
    what = "is just stopping" if owner.kind == "stopping" else "is used by another command"
    print_line(f"What runs here (process {owner.pid}) {what}; waiting until that is done ...")


def refuse_second_start(paths: Paths) -> int:
    owner = leases.read_owner(paths)
    who = f" (process {owner.pid}) at {owner.address}" if owner else ""
    print_line(f"! Commonplace already runs{who} with the data in {paths.data}.")
    print_line("  Stop it with `make down`, or choose another DATA_DIR and PORT.")
    return EXIT_REFUSED


def refuse_taken_port(address: WebAddress) -> None:
    with socket.socket() as probe:
        # As the server does: a port in TIME_WAIT counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address.host, address.port))
        except OSError as error:
            raise EmbeddedError(describe_port_problem(address, error)) from error


def describe_port_problem(address: WebAddress, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {address.port} is in use; stop what uses it or choose another: make up PORT={address.port + 1}"
    if error.errno in {errno.EACCES, errno.EPERM}:
        return f"port {address.port} needs more rights than this user has; choose one above 1023: make up PORT=8000"
    return f"{address.host}:{address.port} cannot be listened on: {error.strerror}"


def stop_running(paths: Paths) -> int:
    """Ask the ``up`` of a data directory to stop and wait until it has; 0 if nothing runs afterwards."""
    owner = leases.read_owner(paths)
    if owner is None:
        print_line("Nothing runs here.")
        return 0
    if not owner.pid:
        print_line("It is just starting; try again in a moment.")
        return 1
    print_line(f"Stopping process {owner.pid} ...")
    os.kill(owner.pid, signal.SIGTERM)
    end = time.monotonic() + STOP_TIMEOUT_S
    while leases.read_owner(paths) is not None:
        if time.monotonic() > end:
            print_line(f"! process {owner.pid} has not stopped after {STOP_TIMEOUT_S:.0f} s; see {paths.log}")
            return 1
        time.sleep(0.1)
    print_line("Stopped.")
    return 0


def parse_port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or not 0 < int(text) < 65536:
        raise argparse.ArgumentTypeError(f"a port is a number between 1 and 65535, not {text!r}")
    return int(text)


def add_up_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", default="127.0.0.1", help="address the web process listens on")
    parser.add_argument("--port", type=parse_port, default=8000, help="port the web process listens on")
    parser.add_argument("--data-dir", type=Path, help="where all data is kept (default: DATA_DIR or .data)")
    parser.add_argument("--no-demo", action="store_true", help="make no demo organisation and load no conversation")


def add_down_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, help="whose installation (default: DATA_DIR or .data)")
    parser.add_argument("--check", action="store_true", help="stop nothing; fail if something runs")
    parser.add_argument("--environment", action="store_true", help="with --check: or uses this .venv with other data")


def add_show_access_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("field", nargs="?", help="one value alone, such as api_key or api_url; all as JSON by default")
    parser.add_argument("--data-dir", type=Path, help="whose installation (default: DATA_DIR, or the one that runs)")


def resolve_installation(data_dir: Path | None) -> Paths:
    return installation_paths(data_dir or env_path("DATA_DIR", BASE_DIR / ".data"))


def up(given: argparse.Namespace) -> int:
    paths, address = resolve_installation(given.data_dir), WebAddress(given.host, given.port)
    # Before anything is started: each process would fail on it in its own way, with the parts already running.
    if refused := check_settings(build_child_environment(paths, address)):
        return refused
    return Installation(paths, address, demo=not given.no_demo).run()


def down(given: argparse.Namespace) -> int:
    paths = resolve_installation(given.data_dir)
    if not given.check:
        return stop_running(paths)
    owner = leases.read_owner(paths)
    if owner is not None:
        print_line(f"! Process {owner.pid} uses {paths.data}; stop it first (make down).")
        return 1
    if given.environment and (user := orphans.find_environment_user()):
        print_line(f"! Process {user.pid} runs from {BASE_DIR / '.venv'}; stop it first.")
        return 1
    return 0


def show_access(given: argparse.Namespace) -> int:
    """Print the addresses, key and login of an installation's demo, one of them or all."""
    paths = installation_paths(given.data_dir or registry.choose_data_dir())
    try:
        access = json.loads(paths.access.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise EmbeddedError(f"{paths.data} has no demo; create_key makes a key, create_operator a login") from None
    if given.field is None:
        print_line(json.dumps(access, indent=2))
        return 0
    if given.field not in access:
        raise EmbeddedError(f"there is no {given.field}; there are {', '.join(access)}")
    print_line(access[given.field])
    return 0


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="manage.py", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True)
    add_up_arguments(commands.add_parser("up"))
    add_down_arguments(commands.add_parser("down"))
    add_show_access_arguments(commands.add_parser("show_access"))
    given = parser.parse_args(argv)
    return {"up": up, "down": down, "show_access": show_access}[given.command](given)
