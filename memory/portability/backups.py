"""A backup of the installation that was asked for in the console: written by a worker, with how far it is.

The row is the queue: what a killed worker left is begun again by the sweep, and given up after three attempts.
"""

import os
import socket
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.utils.module_loading import import_string
from psycopg import Error

from memory.access.audit import record_change
from memory.access.locks import try_task_lock
from memory.conf import data_dir, memory_conf
from memory.models import BackupRun
from memory.models.administration import AuditAction, BackupState
from memory.portability.installation_backup import BackupRefused, list_tables, write_backup

logger = structlog.get_logger(__name__)

MOST_ATTEMPTS: Final = 3
# The worker has taken it up by then, or is away.
PATIENCE: Final = timedelta(seconds=60)


def find_backup_address() -> str:
    """Of the role that sees every row. Raises BackupRefused where none is configured."""
    find = import_string(memory_conf().installation["address"])
    # The database this process uses, which in tests is another than the configured one.
    address: str = find(data_dir(), "backup", connection.settings_dict["NAME"])
    if not address:
        raise BackupRefused("set DATABASE_BACKUP_URL: the role of DATABASE_URL does not see every row")
    return address


def start_backup(*, now: datetime, actor: str) -> BackupRun:
    """The row of a backup that a worker is to write. Raises BackupRefused."""
    find_backup_address()
    try:
        with transaction.atomic():
            run = BackupRun.objects.create(tables_total=len(list_tables()), actor=actor, started_at=now)
            record_change(None, AuditAction.BACKUP_STARTED, actor=actor, now=now, subject=str(run.pk))
    except IntegrityError:
        raise BackupRefused("a backup is being written already") from None
    return run


def list_backups(limit: int) -> list[BackupRun]:
    return list(BackupRun.objects.order_by("-started_at")[:limit])


def list_waiting_backups(now: datetime) -> list[uuid.UUID]:
    """Open ones that nobody seems to work on."""
    rows = BackupRun.objects.filter(state=BackupState.RUNNING.value, started_at__lt=now - PATIENCE)
    return list(rows.values_list("pk", flat=True))


def run_backup(run_id: uuid.UUID, *, clock: Callable[[], datetime]) -> None:
    """Write the archive, whole or not at all. A second worker that is sent the same returns at once."""
    with try_task_lock("backup", 0) as mine:
        run = BackupRun.objects.filter(pk=run_id, state=BackupState.RUNNING.value).first() if mine else None
        if run is None:
            return
        if run.attempts >= MOST_ATTEMPTS:
            finish_run(run, clock(), state=BackupState.FAILED, error=f"broken off {run.attempts} times")
            return
        BackupRun.objects.filter(pk=run.pk).update(attempts=F("attempts") + 1, tables_done=0, host=socket.gethostname())
        write_archive(run, clock)


def write_archive(run: BackupRun, clock: Callable[[], datetime]) -> None:
    folder = Path(memory_conf().installation["backups"])
    path = folder / f"commonplace-{run.started_at:%Y-%m-%d-%H%M%S}.zip"
    # Under another name until it is complete, and for nobody else to read.
    partial = path.with_name(f"{path.name}.partial")

    def advance(_: str) -> None:
        BackupRun.objects.filter(pk=run.pk).update(tables_done=F("tables_done") + 1)

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
        manifest = write_backup(find_backup_address(), partial, now=clock(), say=advance)
        partial.replace(path)
    except (BackupRefused, Error, OSError) as fault:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        finish_run(run, clock(), state=BackupState.FAILED, error=" ".join(str(fault).split())[:300])
        return
    size = path.stat().st_size
    finish_run(run, clock(), state=BackupState.DONE, path=str(path), rows=manifest.rows, bytes=size, error="")


def finish_run(run: BackupRun, now: datetime, *, state: BackupState, **values: str | int) -> None:
    BackupRun.objects.filter(pk=run.pk).update(state=state.value, finished_at=now, **values)
    logger.info("backup finished", run=str(run.pk), state=state.value, error=values.get("error", ""))
