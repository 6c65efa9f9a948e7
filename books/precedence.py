"""Whose file is read next, and how a small one is read between two batches of a large one, by the same worker."""

import time
import uuid
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError
from psycopg.errors import LockNotAvailable

from books import jobs
from books.models import BookJob, JobState
from memory.access.confinement import EVERYTHING, confine_to
from memory.access.locks import try_task_lock
from memory.access.scope import user_scope
from memory.models import EndUser
from memory.platform.stopping import is_stopping

logger = structlog.get_logger(__name__)

# Of the size of the file that is put off: ten megabytes of text take some ten minutes, an eighth of it one.
SHARE: Final = 8
LOOK_EVERY_S: Final = 2.0
MOST_PERSONS: Final = 50


def list_by_turn(now: datetime) -> list[EndUser]:
    """Persons with something to do, those first whose turn is longest ago: nobody's forty files hold up another.

    Before all of them whoever has a file that nobody can ask yet, last those with nothing but a model's reading to do.
    """
    due = jobs.DUE.list_users(now, MOST_PERSONS)
    found = EndUser.objects.in_bulk(due)
    return sorted((found[pk] for pk in due if pk in found), key=rank_need)


def rank_need(user: EndUser) -> int:
    waiting = jobs.list_open_jobs(user)[:1]
    return 2 if not waiting else 1 if waiting[0].is_found else 0


def end_turn(user: EndUser, *, now: datetime) -> bool:
    """Move the user's mark to when there is something to do next. Where that is now: behind everybody else, and False.

    Messages of the queue tell nothing of turns: each file has one, and of forty handed in at once all forty come first.
    """
    if jobs.advance_mark(user, now=now):
        return True
    go_behind(user, now=now)
    return False


def go_behind(user: EndUser, *, now: datetime) -> None:
    try:
        with user_scope(user):
            if jobs.DUE.lock(user):
                jobs.DUE.move(user, now)
    except OperationalError as error:
        # A writer of theirs is at it: they keep their place.
        if not isinstance(error.__cause__, LockNotAvailable):
            raise


@dataclass(slots=True)
class SmallFilesFirst:
    """Called between the batches of a job, reads files of whomever that are much smaller, for as long as the job has
    been worked on, then lets it go on for as long as that took: neither holds up the other for more than twice its own
    time."""

    job: BookJob
    run: Callable[[EndUser, uuid.UUID], object]
    clock: Callable[[], datetime]
    resumed_at: float = field(default_factory=time.monotonic)
    next_at: float = field(default_factory=lambda: time.monotonic() + LOOK_EVERY_S)

    def __call__(self) -> None:
        begun = time.monotonic()
        if begun < self.next_at:
            return
        worked, tried = begun - self.resumed_at, set[uuid.UUID]()
        with confine_to(EVERYTHING):
            while self.serve_next(tried) and time.monotonic() - begun < worked and not is_stopping():
                pass
        self.resumed_at = time.monotonic()
        self.next_at = self.resumed_at + max(LOOK_EVERY_S, self.resumed_at - begun)

    def serve_next(self, tried: set[uuid.UUID]) -> bool:
        # It is the turn of the large file's own person already.
        waiting = sorted(list_by_turn(self.clock()), key=lambda one: one.pk == self.job.user_id)
        return any(self.serve(user, tried) for user in waiting)

    def serve(self, user: EndUser, tried: set[uuid.UUID]) -> bool:
        """Read one file of a person that may come between. False when there is none, or another worker is at theirs."""
        small = self.find_small(user, tried)
        if small is None:
            return False
        tried.add(small)
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
            end_turn(user, now=self.clock())
        return True

    def find_small(self, user: EndUser, tried: set[uuid.UUID]) -> uuid.UUID | None:
        """A file that is small beside the one under way, or any that nobody can ask yet once all of that is found."""
        with user_scope(user):
            waiting = BookJob.objects.filter(user=user, state=JobState.PENDING, book_id=None).exclude(pk__in=tried)
            if not self.job.is_found:
                waiting = waiting.filter(size__lte=self.job.size // SHARE)
            return waiting.order_by("created_at", "pk").values_list("pk", flat=True).first()
