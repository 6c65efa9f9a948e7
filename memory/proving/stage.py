"""The installation that promises are proved on: its own, in a temporary directory, and nothing of it stays."""

import signal
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import httpx
import psutil
import psycopg

from config import embedded
from config.runtime.postgres import connect_superuser
from config.runtime.registry import unregister
from memory.benchmarks.serving import find_free_port
from memory.proving.installation import InstallationError, Stack, find_processes, manage
from memory.proving.patience import PATIENCE_S, eventually

Say = Callable[[str], None]


@dataclass(slots=True)
class ProvingStage:
    stack: Stack
    is_brief: bool
    say: Say

    def ensure_running(self) -> None:
        """Also after a row that stopped it."""
        if not self.stack.is_running:
            self.start()
        if not eventually(self.is_ready, PATIENCE_S):
            raise InstallationError("it did not become ready again after the row before")

    def start(self, *words: str) -> None:
        """No command that is given beside it may take it for the installation that somebody uses."""
        self.stack.start(*words)
        unregister(embedded.installation_paths(self.stack.data_dir))

    def is_ready(self) -> bool:
        with suppress(httpx.HTTPError):
            return httpx.get(f"{self.stack.api_url}/api/health", timeout=5).status_code == 200
        return False

    def scale(self, brief: int, nightly: int) -> int:
        return brief if self.is_brief else nightly

    @contextmanager
    def call(self, key: str = "", timeout_s: float = 60.0) -> Iterator[httpx.Client]:
        headers = {"authorization": f"Bearer {key or self.stack.api_key}"}
        # A proxy for browsing has nothing to do with an address of this machine.
        with httpx.Client(base_url=self.stack.api_url, headers=headers, timeout=timeout_s, trust_env=False) as client:
            yield client

    @contextmanager
    def query_all(self) -> Iterator[psycopg.Connection[Any]]:
        """As the superuser of the embedded database, who sees every row of everybody."""
        paths = embedded.installation_paths(self.stack.data_dir)
        with closing(connect_superuser(paths, embedded.DATABASE)) as server:
            yield server

    @contextmanager
    def query_as_product(self) -> Iterator[psycopg.Connection[Any]]:
        place = embedded.database_settings(self.stack.data_dir, "app")
        with psycopg.connect(
            host=place["HOST"],
            port=int(place["PORT"]),
            user=place["USER"],
            password=place["PASSWORD"],
            dbname=place["NAME"],
            autocommit=True,
        ) as server:
            yield server

    def manage(self, *words: str) -> str:
        """What a command of the installation prints. Raises InstallationError where it fails."""
        done = manage(*words, data_dir=self.stack.data_dir)
        if done.returncode:
            raise InstallationError(f"manage.py {words[0]}: {done.stderr[-500:]}")
        return done.stdout

    def make_key(self, organization: str, **options: str) -> str:
        named = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        return self.manage("create_key", "--org", organization, "--name", "prove", *named).strip()

    def wait_until_indexed(self, user: str, within_s: float = 3 * PATIENCE_S) -> dict[str, int]:
        with self.call() as client:
            status: dict[str, int] = {}

            def has_ended() -> bool:
                with suppress(httpx.HTTPError):
                    answer = client.get(f"/api/v1/users/{user}/index-status")
                    if answer.status_code == 200:
                        status.update(answer.json())
                return status.get("pending") == 0

            eventually(has_ended, within_s)
            return status


def name_person(what: str) -> str:
    return f"prove-{what}-{uuid.uuid4().hex[:8]}"


def name_canary() -> str:
    """A word that nobody else says."""
    return f"zq{uuid.uuid4().hex[:14]}"


@contextmanager
def stage_installation(*, is_brief: bool, say: Say) -> Iterator[ProvingStage]:
    """Ends every process of it and removes its directory, also when the command is interrupted or told to end."""
    with ending_as_interrupted(), tempfile.TemporaryDirectory(prefix="prove-", ignore_cleanup_errors=True) as home:
        stack = Stack(Path(home) / "data", find_free_port(), find_free_port())
        try:
            stage = ProvingStage(stack, is_brief, say)
            stage.start()
            yield stage
        finally:
            end_installation(stack)


@contextmanager
def ending_as_interrupted() -> Iterator[None]:
    """SIGTERM and a closed terminal unwind as Ctrl-C does."""
    before = {number: signal.signal(number, raise_interrupt) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def raise_interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def end_installation(stack: Stack) -> None:
    if stack.process is None:
        return
    for process in find_processes(stack.data_dir):
        # One that a row has frozen would not hear that it is to end.
        with suppress(psutil.Error):
            process.send_signal(signal.SIGCONT)
    if stack.is_running:
        with suppress(Exception):
            stack.stop()
    for process in find_processes(stack.data_dir):
        with suppress(psutil.Error):
            process.kill()
