"""Work on the whole installation that somebody starts and a worker does: rebuilding, comparing, backing up."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeVar

from memory import tasks
from memory.access.audit import record_change
from memory.indexing import drift, runs
from memory.indexing.rebuild import ReindexRefused
from memory.models import BackupRun, DriftReport, ReindexRun
from memory.models.administration import AuditAction
from memory.platform.faults import Unavailable
from memory.platform.queue import enqueue
from memory.portability import backups
from memory.portability.installation_backup import BackupRefused
from memory.portability.tasks import write_backup

T = TypeVar("T")


# A comparison that says nothing for so long has lost its worker, and another may begin.
SILENT: Final = timedelta(hours=1)


class TaskRefused(Exception):
    """Why the work was not started. Nothing was changed."""


@dataclass(frozen=True, slots=True)
class InstallationWork:
    """The latest of each kind, the newest first."""

    reindexes: list[ReindexRun]
    checks: list[DriftReport]
    backups: list[BackupRun]

    @property
    def is_running(self) -> bool:
        return (
            any(run.state == ReindexRun.State.RUNNING for run in self.reindexes)
            or any(report.finished_at is None for report in self.checks)
            or any(run.is_open for run in self.backups)
        )

    @property
    def open_reindex(self) -> ReindexRun | None:
        return next((run for run in self.reindexes if run.is_open), None)


def read_work(limit: int) -> InstallationWork:
    return InstallationWork(
        list(ReindexRun.objects.order_by("-started_at")[:limit]),
        list(DriftReport.objects.filter(mode=drift.Mode.FULL, end_user=None).order_by("-started_at")[:limit]),
        backups.list_backups(limit),
    )


def start_reindex(*, now: datetime, actor: str) -> ReindexRun:
    run = refuse_if_unable(lambda: runs.start_run(now=now))
    record_change(None, AuditAction.REINDEX_STARTED, actor=actor, now=now, subject=str(run.pk))
    enqueue(tasks.continue_reindex)
    return run


def pause_reindex(*, now: datetime, actor: str) -> ReindexRun:
    return change_reindex(runs.pause_run, "paused", now=now, actor=actor)


def resume_reindex(*, now: datetime, actor: str) -> ReindexRun:
    run = change_reindex(runs.resume_run, "resumed", now=now, actor=actor)
    enqueue(tasks.continue_reindex)
    return run


def cancel_reindex(*, now: datetime, actor: str) -> ReindexRun:
    return change_reindex(lambda: runs.cancel_run(now=now), "cancelled", now=now, actor=actor)


def change_reindex(change: Callable[[], ReindexRun], what: str, *, now: datetime, actor: str) -> ReindexRun:
    run = refuse_if_unable(change)
    record_change(None, AuditAction.REINDEX_CHANGED, actor=actor, now=now, subject=str(run.pk), done=what)
    return run


def start_check(*, now: datetime, actor: str) -> DriftReport:
    """A full comparison that puts right what differs. Raises TaskRefused while one goes on."""
    going_on = DriftReport.objects.filter(mode=drift.Mode.FULL, end_user=None, finished_at=None)
    if going_on.filter(started_at__gt=now - SILENT).exists():
        raise TaskRefused("a comparison goes on already")
    report = drift.start_report(drift.Mode.FULL, now=now)
    record_change(None, AuditAction.CHECK_STARTED, actor=actor, now=now, subject=str(report.pk))
    enqueue(tasks.check_consistency, str(report.pk))
    return report


def start_backup(*, now: datetime, actor: str) -> BackupRun:
    run = refuse_if_unable(lambda: backups.start_backup(now=now, actor=actor))
    enqueue(write_backup, str(run.pk))
    return run


def refuse_if_unable(start: Callable[[], T]) -> T:
    try:
        return start()
    except (ReindexRefused, BackupRefused, Unavailable) as refused:
        raise TaskRefused(str(refused)) from None
