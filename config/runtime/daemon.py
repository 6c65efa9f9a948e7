"""Runs embedded parts for commands that are run without ``up``, and exits with the last of them.

``python -m config.runtime.daemon DATA_DIR PART...``
"""

import sys
import time
from functools import partial
from io import TextIOWrapper

from config.embedded import PARTS, Paths, installation_paths
from config.runtime import leases, orphans
from config.runtime.programs import start_parts
from config.supervisor import StopRequestedError, Supervisor

# One command often follows another, and a start costs more than a moment of waiting.
LINGER_S = 1.5


class DaemonReport:
    """Reports on standard output, which is the daemon's log."""

    def report_started(self, name: str, seconds: float | None) -> None:
        self.report_line(name, "started" if seconds is None else f"ready after {seconds:.2f} s")

    def report_trouble(self, name: str, message: str) -> None:
        self.report_line(name, message)

    def report_line(self, name: str, text: str) -> None:
        sys.stdout.write(f"{time.strftime('%H:%M:%S')} {name}: {text}\n")
        sys.stdout.flush()


class PartsDaemon:
    def __init__(self, paths: Paths, lock: leases.InstallationLock, supervisor: Supervisor) -> None:
        self._paths = paths
        self._lock = lock
        self._supervisor = supervisor
        self._idle_since: float | None = None
        self._shutdown_lock: TextIOWrapper | None = None

    def run(self, parts: list[str]) -> None:
        try:
            self._add(parts)
            self._supervisor.watch(each_tick=self._tick)
        except StopRequestedError:
            return
        finally:
            self._lock.publish(ready=[], kind="stopping")
            self._supervisor.stop()
            orphans.clear_record(self._paths)

    def _add(self, parts: list[str]) -> None:
        known = self._lock.owner
        self._lock.publish(parts=[*known.parts, *parts], ready=known.ready)
        start_parts(
            self._supervisor, self._paths, parts, lambda ready: self._lock.publish(ready=[*known.ready, *ready])
        )

    def _tick(self) -> None:
        requested = [part for part in PARTS if leases.part_request_file(self._paths, part).exists()]
        for part in requested:
            leases.part_request_file(self._paths, part).unlink()
        new = [part for part in requested if part not in self._lock.owner.parts]
        if new:
            self._add(new)
        shutdown_lock = leases.lock_out_leases(self._paths)
        if shutdown_lock is None:
            self._idle_since = None
            return
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        if now - self._idle_since > LINGER_S:
            # Held until the process ends: a new command waits for the shutdown and then starts the parts again.
            self._shutdown_lock = shutdown_lock
            self._supervisor.request_stop()
        else:
            shutdown_lock.close()


def main(data_dir: str, parts: list[str]) -> int:
    paths = installation_paths(data_dir)
    lock = leases.InstallationLock(paths, "daemon", [])
    if not lock.acquire():
        return 0  # Somebody was faster; the client that started us uses theirs.
    orphans.end_orphans(paths)
    try:
        PartsDaemon(paths, lock, Supervisor(DaemonReport(), paths.log, partial(orphans.record_processes, paths))).run(
            parts
        )
    finally:
        lock.release()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
