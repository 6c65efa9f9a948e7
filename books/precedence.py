"""Lets a small file be read while a large one is under way, in the same worker and between two of its batches."""

import time
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import structlog
from celery.exceptions import SoftTimeLimitExceeded

from books import jobs
from books.models import BookJob, JobState
from memory.access.confinement import EVERYTHING, confine_to
from memory.access.locks import try_task_lock
from memory.access.scope import user_scope
from memory.models import EndUser

logger = structlog.get_logger(__name__)

# Of the size of the file that is put off: ten megabytes of text take some ten minutes, an eighth of it one.
SHARE: Final = 8
LOOK_EVERY_S: Final = 2.0
MOST_PERSONS: Final = 50


@dataclass(slots=True)
class SmallFilesFirst:
    """Called between the batches of a job, reads a file of whomever that is much smaller, then goes on for as long as
    that took: neither holds up the other for more than twice its own time."""

    job: BookJob
    run: Callable[[EndUser, uuid.UUID], object]
    clock: Callable[[], datetime]
    next_at: float = field(default_factory=lambda: time.monotonic() + LOOK_EVERY_S)

    def __call__(self) -> None:
        begun = time.monotonic()
        if begun < self.next_at:
            return
        with confine_to(EVERYTHING):
            for user in self.list_waiting():
                if self.serve(user):
                    break
        ended = time.monotonic()
        self.next_at = ended + max(LOOK_EVERY_S, ended - begun)

    def list_waiting(self) -> list[EndUser]:
        """Persons with something to do, those first that have waited longest."""
        due = jobs.DUE.list_users(self.clock(), MOST_PERSONS)
        found = EndUser.objects.in_bulk(due)
        return [found[pk] for pk in due if pk in found]

    def serve(self, user: EndUser) -> bool:
        """Read one file of a person that may come between. False when there is none, or another worker is at theirs."""
        small = self.find_small(user)
        if small is None:
            return False
        # The large file's own person is this worker's already.
        is_own = user.pk == self.job.user_id
        with nullcontext(enter_result=True) if is_own else try_task_lock("books", user.pk) as is_mine:
            if not is_mine:
                return False
            try:
                self.run(user, small)
            except SoftTimeLimitExceeded:
                raise
            except Exception:
                # It stays open and is tried again; the file it came before has nothing to do with it.
                logger.exception("small book not read", user=user.pk, job=str(small))
        if not is_own:
            jobs.advance_mark(user, now=self.clock())
        return True

    def find_small(self, user: EndUser) -> uuid.UUID | None:
        """A file that is small beside the one under way, or any that nobody can ask yet once all of that is found."""
        with user_scope(user):
            waiting = BookJob.objects.filter(user=user, state=JobState.PENDING, book_id=None)
            if not self.job.is_found:
                waiting = waiting.filter(size__lte=self.job.size // SHARE)
            return waiting.order_by("created_at", "pk").values_list("pk", flat=True).first()
