"""Leaving and arriving: all of a person as one file, and back."""

import uuid
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import IO

from memory.facade.actor import FacadePart
from memory.lifecycle.purging import PurgeResult
from memory.models import EndUser, Transfer
from memory.platform.queue import enqueue
from memory.portability import chats, checking, jobs, tasks
from memory.portability.checking import FileCheck
from memory.tiers import Tier


class PortabilityVerbs(FacadePart):
    def export_person(
        self, user: EndUser, out: IO[bytes], *, now: datetime, on_lines: Callable[[int], None] = lambda _: None
    ) -> Transfer:
        """One snapshot of everything, written to ``out``."""
        return jobs.export_person(user, out, now=now, actor=self.actor, on_lines=on_lines)

    def check_export_file(self, stream: IO[bytes], on_lines: Callable[[int], None] = lambda _: None) -> FileCheck:
        """Read all of a file. Raises BrokenFile."""
        return checking.check_file(stream, on_lines)

    def preview_import(self, user: EndUser, stream: IO[bytes], *, now: datetime) -> dict[str, dict[str, int]]:
        """What a checked file would add, by type of line; nothing is written."""
        return jobs.preview_import(user, stream, now=now)

    def stage_import(self, user: EndUser, stream: IO[bytes], check: FileCheck, *, now: datetime) -> Transfer:
        """Keep a checked file for the worker, which writes all of it or nothing."""
        job = jobs.stage_import(user, stream, check, now=now, actor=self.actor)
        enqueue(tasks.import_person, user.pk)
        return job

    def hold_import(self, user: EndUser, stream: IO[bytes], check: FileCheck, *, now: datetime) -> Transfer:
        """Keep a checked file for a day, with what it would add, until ``start_import``."""
        return jobs.hold_import(user, stream, check, now=now, actor=self.actor)

    def hold_chats(self, user: EndUser, path: Path, spool: IO[bytes], *, tier: Tier, now: datetime) -> Transfer:
        """The same of chats of another product, by way of ``spool``. Raises BrokenExport."""
        return chats.check_chats(user, path, spool, tier=tier, now=now, actor=self.actor)

    def start_import(self, user: EndUser, job_id: uuid.UUID, *, now: datetime) -> bool:
        """Let the worker write what is held; False when it is not."""
        return self.hand_over(user, is_moved=chats.start_import(user, job_id, now=now))

    def discard_import(self, user: EndUser, job_id: uuid.UUID) -> bool:
        """Forget what is held and was not started."""
        return chats.discard_checked(user, job_id)

    def undo_import(self, user: EndUser, job_id: uuid.UUID, *, now: datetime) -> bool:
        """Let the worker remove what an import of chats added, with all that came of it; False unless it has ended."""
        return self.hand_over(user, is_moved=chats.start_undo(user, job_id, now=now))

    def hand_over(self, user: EndUser, *, is_moved: bool) -> bool:
        if is_moved:
            enqueue(tasks.import_person, user.pk)
        return is_moved

    def preview_undo(self, user: EndUser, job: Transfer, *, now: datetime) -> PurgeResult:
        """What taking back an import of chats would remove; nothing is written."""
        return chats.preview_undo(user, job, now=now)

    def write_import(self, user: EndUser, job_id: uuid.UUID, *, now: datetime) -> Transfer | None:
        """Write a staged import here and now; None when a worker is at it."""
        return jobs.write_import(user, job_id, now=now)

    def find_transfer(self, user: EndUser, job_id: uuid.UUID) -> Transfer | None:
        return jobs.find_transfer(user, job_id)

    def list_transfers(self, user: EndUser, limit: int) -> list[Transfer]:
        """Exports and imports, the latest first."""
        return jobs.list_transfers(user, limit)
