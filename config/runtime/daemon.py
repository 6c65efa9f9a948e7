"""Runs embedded parts for commands that are run without ``up``, and exits with the last of them.

``python -m config.runtime.keeper DATA_DIR PART...``
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
    """Tells on standard output, which is the keeper's log."""

    def started(self, name: str, seconds: float | None) -> None:
        self.line(name, "started" if seconds is None else f"ready after {seconds:.2f} s")

    def trouble(self, name: str, message: str) -> None:
        self.line(name, message)

    def line(self, name: str, text: str) -> None:
        sys.stdout.write(f"{time.strftime('%H:%M:%S')} {name}: {text}\n")
        sys.stdout.flush()


class PartsDaemon:
    def __init__(self, place: Paths, hold: leases.InstallationLock, supervisor: Supervisor) -> None:
        self._place = place
        self._hold = hold
        self._supervisor = supervisor
        self._idle_since: float | None = None
        self._gate: TextIOWrapper | None = None

    def run(self, parts: list[str]) -> None:
        try:
            self._add(parts)
            self._supervisor.watch(each_tick=self._tick)
        except StopRequestedError:
            return
        finally:
            self._hold.publish(ready=[], kind="stopping")
            self._supervisor.stop()
            orphans.clear_record(self._place)

    def _add(self, parts: list[str]) -> None:
        known = self._hold.holder
        self._hold.publish(parts=[*known.parts, *parts], ready=known.ready)
        start_parts(
            self._supervisor, self._place, parts, lambda ready: self._hold.publish(ready=[*known.ready, *ready])
        )

    def _tick(self) -> None:
        wanted = [part for part in PARTS if leases.part_request_file(self._place, part).exists()]
        for part in wanted:
            leases.part_request_file(self._place, part).unlink()
        new = [part for part in wanted if part not in self._hold.holder.parts]
        if new:
            self._add(new)
        gate = leases.lock_out_leases(self._place)
        if gate is None:
            self._idle_since = None
            return
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        if now - self._idle_since > LINGER_S:
            # Held until the process ends: a new command waits for the shutdown and then starts the parts again.
            self._gate = gate
            self._supervisor.request_stop()
        else:
            gate.close()


def main(data_dir: str, parts: list[str]) -> int:
    place = installation_paths(data_dir)
    hold = leases.InstallationLock(place, "keeper", [])
    if not hold.acquire():
        return 0  # Somebody was faster; the client that started us uses theirs.
    orphans.end_orphans(place)
    try:
        PartsDaemon(place, hold, Supervisor(DaemonReport(), place.log, partial(orphans.record_processes, place))).run(
            parts
        )
    finally:
        hold.release()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
