"""The running product to measure: the one that runs already, or one started for as long as it takes."""

import json
import random
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from config import embedded
from config.runtime import programs
from config.runtime.programs import WebAddress
from config.supervisor import Program, build_parent_death_prefix, end_process
from memory.benchmarks.client import CallFailedError

LOOPBACK = "127.0.0.1"
# With thirty other processes at work on two cores a web process took over a minute to begin.
READY_WITHIN_S = 300.0


@contextmanager
def run_server(data_dir: Path, **environment: str) -> Iterator[str]:
    """The address of the product over this data directory, running while the context is open.

    ``environment``: further variables of the web server, where it is started here.
    """
    place = embedded.installation_paths(data_dir)
    running = find_running_address(place.access)
    if running:
        yield running.url
        return
    address = WebAddress(LOOPBACK, find_free_port())
    with ExitStack() as stack:
        web = programs.build_web_program(place, address)
        web = replace(web, environment={**web.environment, **environment})
        # Without the clock nothing took up again what a worker had put off: 78 rows that met a lock waited for ever.
        for program in (
            web,
            programs.build_worker_program(place, address),
            programs.build_beat_program(place, address),
        ):
            stack.enter_context(start_program(program, place.log))
        yield address.url


def find_running_address(access: Path) -> WebAddress | None:
    """Where `up` says it listens, if it really answers there: the file outlives a process that was killed."""
    try:
        url = json.loads(access.read_text(encoding="utf-8"))["api_url"]
        host, _, port = str(url).removeprefix("http://").rstrip("/").partition(":")
        address = WebAddress(host, int(port.partition("/")[0]))
        return address if programs.is_web_ready(address) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def find_free_port() -> int:
    """Below those that systems give to outgoing connections: one of them could take it while a server is restarted."""
    while True:
        port = random.randrange(20_000, 32_000)  # noqa: S311  (a port, no secret)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((LOOPBACK, port))
            return port


@contextmanager
def start_program(program: Program, log_dir: Path) -> Iterator[None]:
    log_dir.mkdir(parents=True, exist_ok=True)
    log = log_dir / f"bench-{program.name}.log"
    log.unlink(missing_ok=True)
    process = spawn_program(program, log)
    try:
        await_ready(program, process, log)
        yield
    finally:
        end_process(process, program.grace_s)


def spawn_program(program: Program, log: Path) -> subprocess.Popen[bytes]:
    """Begun, not yet ready; what it prints is added to ``log``. It ends with the process that began it."""
    with log.open("ab") as output:
        return subprocess.Popen(
            [*build_parent_death_prefix(program.death_signal), *program.argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(program.environment),
            cwd=program.cwd,
            start_new_session=True,
        )


def await_ready(program: Program, process: subprocess.Popen[bytes], log: Path) -> None:
    give_up_at = time.monotonic() + max(program.ready_within_s, READY_WITHIN_S)
    while not is_answering(program):
        if process.poll() is not None or time.monotonic() > give_up_at:
            raise CallFailedError(f"{program.name} did not start; see {log}")
        time.sleep(0.05)


def is_answering(program: Program) -> bool:
    try:
        return program.ready is None or program.ready()
    except OSError:
        return False
