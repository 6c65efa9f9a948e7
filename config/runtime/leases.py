"""Locks that say who runs the parts of a data directory, and who uses them.

Two advisory locks. The kernel releases them when their process ends, so they are never stale:

* ``up.lock`` is held exclusively by the process that runs the parts, an ``up`` or a daemon; its content says which.
* ``clients.lock`` is held shared by every command that uses the parts. A daemon that can lock it exclusively has no
  users left.
"""

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from config.embedded import EmbeddedError, Paths, make_directories
from config.env import BASE_DIR

Kind = Literal["up", "daemon", "stopping"]
START_TIMEOUT_S = 120.0
# Checking the lock takes it for a moment; acquiring it retries for longer than that.
LOCK_RETRY_S = 1.0


@dataclass(frozen=True, slots=True)
class LockOwner:
    """The process that runs the parts: which it runs, and which are ready."""

    pid: int
    kind: Kind
    parts: tuple[str, ...]
    ready: tuple[str, ...] = ()
    address: str = ""


def read_owner(paths: Paths) -> LockOwner | None:
    """The process that runs the parts of this data directory, None when nothing runs."""
    try:
        file = paths.lock.open(encoding="utf-8")
    except OSError:
        return None
    with file:
        if try_lock(file, fcntl.LOCK_SH):
            return None
        return parse_owner(file)


def parse_owner(file: TextIOWrapper) -> LockOwner:
    """The content of the lock file; an empty owner while the owner is still writing it."""
    try:
        content = json.loads(file.read())
        return LockOwner(
            content["pid"], content["kind"], tuple(content["parts"]), tuple(content["ready"]), content["address"]
        )
    except (ValueError, KeyError, TypeError):
        return LockOwner(pid=0, kind="daemon", parts=())


def try_lock(file: TextIOWrapper, mode: int) -> bool:
    try:
        fcntl.flock(file, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class InstallationLock:
    """Exclusive right to run the parts of a data directory."""

    def __init__(self, paths: Paths, kind: Kind, parts: Iterable[str], address: str = "") -> None:
        make_directories(paths)
        self._owner = LockOwner(os.getpid(), kind, tuple(parts), (), address)
        self._file = paths.lock.open("a+", encoding="utf-8")
        paths.lock.chmod(0o600)

    def acquire(self) -> bool:
        """Take the lock if it is free."""
        end = time.monotonic() + LOCK_RETRY_S
        while not try_lock(self._file, fcntl.LOCK_EX):
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        self._write()
        return True

    @property
    def owner(self) -> LockOwner:
        return self._owner

    def publish(self, *, ready: Iterable[str], parts: Iterable[str] | None = None, kind: Kind | None = None) -> None:
        """Publish which parts are ready now and, if it changed, which are run and by what."""
        before = self._owner
        run = before.parts if parts is None else tuple(parts)
        self._owner = replace(before, ready=tuple(ready), parts=run, kind=kind or before.kind)
        self._write()

    def _write(self) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._file.write(json.dumps(asdict(self._owner)))
        self._file.flush()

    def release(self) -> None:
        self._file.seek(0)
        self._file.truncate()
        self._file.close()


class Lease:
    """A client's lease of running parts, which lasts until it is closed or the process ends.

    If ``up`` is running its parts are used; otherwise a daemon process starts them and ends with its last user.
    """

    def __init__(self, paths: Paths, parts: tuple[str, ...]) -> None:
        make_directories(paths)
        self._paths = paths
        self._parts = parts
        self._daemon: subprocess.Popen[bytes] | None = None
        self._shared_lock = paths.clients.open("a", encoding="utf-8")
        # Waits here while a daemon that had no users left is shutting down.
        fcntl.flock(self._shared_lock, fcntl.LOCK_SH)
        self._are_parts_ready()

    def wait(self, within_s: float = START_TIMEOUT_S) -> None:
        """Return when the parts are ready; between creating a Use and this call there is time for other work."""
        end = time.monotonic() + within_s
        while not self._are_parts_ready():
            if time.monotonic() > end:
                raise EmbeddedError(f"{', '.join(self._parts)} did not start; see {self._paths.log}")
            time.sleep(0.03)
        self._detach_daemon()

    @property
    def is_beside_up(self) -> bool:
        owner = read_owner(self._paths)
        return owner is not None and owner.kind == "up"

    def _are_parts_ready(self) -> bool:
        owner = read_owner(self._paths)
        if owner is None:
            self._start_daemon()
            return False
        missing = set(self._parts) - set(owner.parts)
        if missing and owner.kind == "up":
            raise EmbeddedError(
                f"the running installation (process {owner.pid}) uses its own {', '.join(sorted(missing))}; "
                "give this command the same addresses"
            )
        if missing and owner.pid and owner.kind == "daemon":
            for part in missing:
                part_request_file(self._paths, part).touch()
        return set(self._parts) <= set(owner.ready)

    def _start_daemon(self) -> None:
        if self._daemon is not None and self._daemon.poll() is None:
            return
        log = self._paths.log / "daemon.log"
        if self._daemon is not None and self._daemon.returncode:
            raise EmbeddedError(f"the embedded parts could not be started:\n{read_last_lines(log)}")
        with log.open("wb") as output:
            self._daemon = subprocess.Popen(
                [sys.executable, "-m", "config.runtime.daemon", str(self._paths.data), *self._parts],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=BASE_DIR,
                # Another command may need the parts longer than this one, and outlive its terminal.
                start_new_session=True,
            )

    def _detach_daemon(self) -> None:
        if self._daemon is not None:
            # The child outlives this process; Popen would warn that nobody waited for it.
            self._daemon.returncode = 0

    def close(self) -> None:
        self._shared_lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def part_request_file(paths: Paths, part: str) -> Path:
    """A file by which a client asks a running daemon for one more part."""
    return paths.run / f"requested-{part}"


def lock_out_leases(paths: Paths) -> TextIOWrapper | None:
    """Lock the clients' lock exclusively: no command uses the parts, or starts to, until it is closed."""
    file = paths.clients.open("a", encoding="utf-8")
    if try_lock(file, fcntl.LOCK_EX):
        return file
    file.close()
    return None


def read_last_lines(file: Path, count: int = 12) -> str:
    try:
        return "\n".join(file.read_text(encoding="utf-8", errors="replace").splitlines()[-count:])
    except OSError:
        return ""


def wait_for_lock(hold: InstallationLock, paths: Paths, report: Callable[[LockOwner], None]) -> bool:
    """Acquire for an ``up``: False beside another ``up``; what is about to end by itself is waited for."""
    is_reported = False
    while not hold.acquire():
        owner = read_owner(paths)
        if owner is None:
            continue
        if owner.kind == "up":
            return False
        if not is_reported:
            report(owner)
            is_reported = True
        time.sleep(0.2)
    return True
