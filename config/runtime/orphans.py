"""Cleans up after a supervisor that was killed with SIGKILL.

On Linux the kernel ends the children of a killed supervisor, though not at once; elsewhere they live on. In both cases
the next start has to end them first. Process ids are recycled, so a process counts as ours only with its start time
or, for a descendant, with our data directory in its environment.
"""

import json
import os
import shutil
import signal
from collections.abc import Iterable
from pathlib import Path

import psutil

from config.embedded import Paths
from config.env import BASE_DIR

GRACE_S = 2.0
POSTGRES_GRACE_S = 30.0


def record_file(paths: Paths) -> Path:
    return paths.run / "processes.json"


def record_processes(paths: Paths, pids: Iterable[int]) -> None:
    rows = []
    for pid in pids:
        try:
            rows.append([pid, psutil.Process(pid).create_time()])
        except psutil.Error:
            continue
    draft = record_file(paths).with_suffix(".new")
    draft.write_text(json.dumps(rows), encoding="utf-8")
    draft.replace(record_file(paths))


def clear_record(paths: Paths) -> None:
    """After an orderly stop: forget the processes and remove empty folders outside the data directory."""
    record_file(paths).unlink(missing_ok=True)
    if paths.run.parent != paths.data:
        shutil.rmtree(paths.run, ignore_errors=True)


def end_orphans(paths: Paths) -> int:
    """End every recorded process that still lives, and its descendants; returns how many there were."""
    rows = read_record(paths)
    mains = [process for pid, born in rows if (process := find_same_process(pid, born))]
    strays = list_group_members({pid for pid, _ in rows}, paths)
    servers = [process for process in mains if is_postgres(process)]
    others = [process for process in mains if process not in servers]
    for process in mains:
        send_signal(process, signal.SIGINT if process in servers else signal.SIGTERM)
    # Without Redis a worker cannot finish; its unfinished tasks run again.
    _, stubborn = psutil.wait_procs(others, timeout=GRACE_S)
    for process in [*stubborn, *strays]:
        send_signal(process, signal.SIGKILL)
    psutil.wait_procs([*stubborn, *strays, *servers], timeout=POSTGRES_GRACE_S)
    record_file(paths).unlink(missing_ok=True)
    return len(mains) + len(strays)


def read_record(paths: Paths) -> list[tuple[int, float]]:
    try:
        return [(int(pid), float(born)) for pid, born in json.loads(record_file(paths).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def find_same_process(pid: int, born: float) -> psutil.Process | None:
    try:
        process = psutil.Process(pid)
        is_same = abs(process.create_time() - born) < 0.5 and process.status() != psutil.STATUS_ZOMBIE
        return process if is_same else None
    except psutil.Error:
        return None


def is_postgres(process: psutil.Process) -> bool:
    try:
        name: str = process.name()
        return name == "postgres"
    except psutil.Error:
        return False


def list_group_members(groups: set[int], paths: Paths) -> list[psutil.Process]:
    """Processes of these process groups, their leaders left out, that were started for this data directory."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid in groups or os.getpgid(process.pid) not in groups:
                continue
            if process.environ().get("DATA_DIR") == str(paths.data):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def send_signal(process: psutil.Process, number: signal.Signals) -> None:
    try:
        process.send_signal(number)
    except psutil.Error:
        return


def find_environment_user() -> psutil.Process | None:
    """A process that runs from this folder's .venv, this one and those it descends from left out."""
    family = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    mark = str(BASE_DIR / ".venv") + os.sep
    for process in psutil.process_iter():
        try:
            if process.pid not in family and any(word.startswith(mark) for word in process.cmdline()[:1]):
                return process
        except psutil.Error:
            continue
    return None
