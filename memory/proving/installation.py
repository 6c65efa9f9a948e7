"""A whole installation of its own, started as an operator starts it: what the tests and `prove` may hurt."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from config.env import BASE_DIR, copy_environment
from config.runtime.programs import WORKER_QUEUES
from memory.proving.patience import eventually

# With a load of fifteen on two cores a start took more than two minutes.
START_WITHIN_S = 400.0
STOP_WITHIN_S = 120.0
# Such installations start sooner with the smaller of the models.
MODEL = "all-MiniLM-L6-v2"
# What a shell or the settings of the tests may have set and an installation of its own must not see.
FOREIGN = (
    "DATA_DIR",
    "EMBEDDING_MODEL",
    "DJANGO_SETTINGS_MODULE",
    "MEMORY_LOG_LEVEL",
    "DB_ROLE",
)


def clean_environment(**changes: str) -> dict[str, str]:
    # Every service that somebody has configured is named by its address: none of them is this installation's.
    own = {name: value for name, value in copy_environment().items() if not name.endswith(("_URL", "_URL_FILE"))}
    kept = {name: value for name, value in own.items() if name not in FOREIGN}
    return {**kept, "EMBEDDING_MODEL": MODEL, **changes}


def manage(*words: str, data_dir: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one management command as a shell would."""
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=BASE_DIR,
        env=clean_environment(DATA_DIR=str(data_dir), **environment),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def find_processes(data_dir: Path) -> list[psutil.Process]:
    """Every process that was started for a data directory, found by its arguments or its environment."""
    found = []
    for process in psutil.process_iter():
        try:
            words = [*process.cmdline(), process.environ().get("DATA_DIR", "")]
        except psutil.Error:
            continue
        if process.pid != os.getpid() and any(str(data_dir) in word for word in words):
            found.append(process)
    return found


class InstallationError(Exception):
    """It did not start; the message is what it said."""


@dataclass(slots=True)
class Stack:
    data_dir: Path
    port: int
    # Where a language model's server may listen for the gateway.
    chat_port: int
    process: subprocess.Popen[bytes] | None = None
    started_in_s: float = 0.0
    access: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def output(self) -> str:
        return self.output_file.read_text(encoding="utf-8")

    @property
    def output_file(self) -> Path:
        return self.data_dir.parent / "output.txt"

    @property
    def pid(self) -> int:
        return self.started.pid

    @property
    def started(self) -> subprocess.Popen[bytes]:
        if self.process is None:
            raise InstallationError("it was never started")
        return self.process

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    @property
    def api_url(self) -> str:
        return self.access["api_url"]

    @property
    def chat_url(self) -> str:
        return f"http://127.0.0.1:{self.chat_port}/v1"

    @property
    def api_key(self) -> str:
        return self.access["api_key"]

    def start(self, *words: str) -> None:
        begun = time.monotonic()
        with self.output_file.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", str(self.port), "--data-dir", str(self.data_dir), *words],
                cwd=BASE_DIR,
                env=clean_environment(CHAT_BASE_URL=self.chat_url, CHAT_MODEL="scripted-1", **self.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        started = self.process
        ready = eventually(lambda: "Ctrl-C stops" in self.output or started.poll() is not None, START_WITHIN_S)
        if not ready or started.poll() is not None:
            raise InstallationError(self.output)
        self.started_in_s = time.monotonic() - begun
        written = self.data_dir / "access.json"
        # Without the demo there is nobody to give access to.
        bare = {"api_url": f"http://127.0.0.1:{self.port}", "api_key": ""}
        self.access = json.loads(written.read_text(encoding="utf-8")) if written.exists() else bare

    def stop(self) -> int:
        self.started.send_signal(signal.SIGTERM)
        return self.started.wait(STOP_WITHIN_S)

    def find_child(self, name: str) -> psutil.Process:
        """The main process of a part, by the word of its command line that only it has."""
        mark = {
            "embedder": "server.py",
            "mcp": "config.asgi:application",
            "redis": "valkey-server",
            "worker": WORKER_QUEUES,
            "web": "config.wsgi:application",
        }.get(name, name)
        mine = psutil.Process(self.pid).children()
        return next(each for each in mine if mark in re.split(r"[ /]", " ".join(each.cmdline())))
