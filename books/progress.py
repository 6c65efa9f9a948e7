"""How far a job is, written into its row while it is worked on."""

import time
import uuid
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from books import jobs
from books.models import JobStage
from memory.models import EndUser
from memory.platform.stopping import is_stopping

# Told twice a second: as often as anybody looks.
TELL_EVERY_S: Final = 0.5
# Which part of the whole each stage is, on 300 pages and on 20,000 rows alike: embedding is most of it.
BEGINS_AT: Final = {
    JobStage.READING: 0.0,
    JobStage.CUTTING: 0.25,
    JobStage.EMBEDDING: 0.35,
    JobStage.STORING: 0.85,
    JobStage.INDEXING: 0.9,
    JobStage.DONE: 1.0,
}
ENDS_AT: Final = dict(zip(BEGINS_AT, [*list(BEGINS_AT.values())[1:], 1.0], strict=True))


# Where a job can be put off: the process that reads a file has a time in which to end, and storing is one transaction.
PUT_OFF_IN: Final = {JobStage.CUTTING, JobStage.EMBEDDING, JobStage.INDEXING}


class JobStopped(Exception):
    """The job was cancelled, or its person forgotten, while it was worked on."""


class FoundByWords(Exception):
    """All of the book is stored. Its vectors are made behind whatever file nobody can ask yet."""


class WorkerStopping(Exception):
    """The worker is to stop, and its job to wait for the next one."""


def go_on() -> None:
    """What is done between two batches where nothing else is."""


@dataclass(slots=True)
class JobProgress:
    """Tells the job's row how far it is; raises JobStopped when nobody wants it any more. Also measures each stage.

    ``between`` is called between two batches, and may take its time.
    """

    user: EndUser
    job_id: uuid.UUID
    between: Callable[[], None] = go_on
    stage: JobStage = JobStage.WAITING
    told_at: float = 0.0
    spent_ms: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    looked_at: float = field(default_factory=time.monotonic)
    lent_s: float = 0.0

    @property
    def own_time(self) -> float:
        """A clock that stands still while something else is done between two batches."""
        return time.monotonic() - self.lent_s

    def report(self, stage: JobStage, done: float) -> None:
        """``done``: the share of the stage, 0 to 1. Raises JobStopped and WorkerStopping."""
        go_on_unless_stopping()
        now = self.own_time
        self.spent_ms[self.stage] += (now - self.looked_at) * 1000
        self.looked_at = now
        if stage in PUT_OFF_IN:
            begun = time.monotonic()
            self.between()
            self.lent_s += time.monotonic() - begun
        if stage is self.stage and now - self.told_at < TELL_EVERY_S:
            return
        self.stage, self.told_at = stage, now
        begin, end = BEGINS_AT[stage], ENDS_AT[stage]
        if not jobs.report_progress(self.user, self.job_id, stage, begin + (end - begin) * min(1.0, max(0.0, done))):
            raise JobStopped

    def finish(self) -> dict[str, float]:
        """How long each stage took, in milliseconds."""
        self.spent_ms[self.stage] += (self.own_time - self.looked_at) * 1000
        self.looked_at = self.own_time
        return {stage: ms for stage, ms in self.spent_ms.items() if stage != JobStage.WAITING}


def go_on_unless_stopping() -> None:
    """Raises WorkerStopping."""
    if is_stopping():
        raise WorkerStopping
