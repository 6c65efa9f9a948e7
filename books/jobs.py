"""What was handed in and how far it is. Every change of a job is one short transaction under the lock of its row.

An open job waits in its row: `books.tasks` is told at once, and the sweep finds what a lost message or a killed worker
left behind.
"""

import hashlib
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Q, QuerySet

from books.models import OPEN_STATES, Book, BookDigest, BookJob, BooksDue, BookUpload, DigestState, JobStage, JobState
from memory.access.confinement import EVERYTHING, RowScope, confine_to, current_scope
from memory.access.locks import lock_for_transaction
from memory.access.outbox import Outbox
from memory.access.scope import user_scope
from memory.conf import memory_conf
from memory.models import EndUser

DUE: Final = Outbox(BooksDue, "since")
# A file that kills the process that carries it does not do so for ever.
MAX_ATTEMPTS: Final = 3
# For as long as this a failed job can be tried again without handing in the file once more.
KEPT_FOR_RETRY: Final = timedelta(hours=24)
# One person's files that wait at the same time: with ten megabytes each, what the database holds of them is bounded.
MOST_WAITING: Final = 50
GIVEN_UP: Final = "given_up"


class TooManyJobs(Exception):
    """More files of one person wait than are kept at a time. Says the name of the one that is not taken."""


class JobRefused(Exception):
    """What is asked of a job does not go with its state. The message says why."""


@dataclass(frozen=True, slots=True)
class NewUpload:
    """A file as it was handed in. ``title`` empty: the document's own. ``thread_id``: a document of that thread."""

    body: bytes
    file_name: str
    title: str = ""
    thread_id: str = ""
    refuses_secrets: bool = False

    @property
    def content_hash(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


def stage_upload(user: EndUser, new: NewUpload, *, now: datetime, actor: str) -> BookJob:
    """Keep a file for the worker. A file that is known, or under way, is not read twice.

    Of a known one the job is completed from the start and names the book. Raises TooManyJobs.
    """
    digest = new.content_hash
    with user_scope(user):
        # Two senders of the same file would each find nothing and both have it read.
        lock_for_transaction("books", user)
        known = find_same_book(user, digest, new.thread_id)
        if known is None and (under_way := find_open_job(user, digest, new.thread_id)):
            return under_way
        if known is None:
            refuse_beyond_limit(user, new.file_name)
        job = BookJob(
            user=user,
            file_name=new.file_name,
            title=new.title,
            thread_id=new.thread_id,
            size=len(new.body),
            content_hash=digest,
            refuses_secrets=new.refuses_secrets,
            actor=actor,
            created_at=now,
        )
        scope = current_scope()
        job.agent_id, job.project_id = scope.agent_id, scope.project_id
        if known:
            name_known_book(job, known, now=now)
        job.save(force_insert=True)
        if not known:
            BookUpload.objects.create(user=user, job=job, body=new.body)
        DUE.mark(user, now)
    return job


def refuse_beyond_limit(user: EndUser, file_name: str) -> None:
    if BookJob.objects.filter(user=user, state__in=OPEN_STATES).count() >= MOST_WAITING:
        raise TooManyJobs(file_name)


def name_known_book(job: BookJob, known: Book, *, now: datetime) -> None:
    """Make the row that of a job with nothing to do: the file is a book already."""
    job.state, job.stage, job.progress = JobState.COMPLETED, JobStage.DONE, 1.0
    job.book_id, job.is_duplicate, job.finished_at = known.pk, True, now


def find_same_book(user: EndUser, content_hash: str, thread_id: str, scope: RowScope | None = None) -> Book | None:
    """The book of these bytes that whoever works in a scope, or else in the one that holds, would find."""
    own = select_own_scope(scope or current_scope())
    return Book.objects.filter(own, user=user, content_hash=content_hash, thread_id=thread_id).first()


def find_open_job(user: EndUser, content_hash: str, thread_id: str, scope: RowScope | None = None) -> BookJob | None:
    same = BookJob.objects.filter(user=user, content_hash=content_hash, thread_id=thread_id, state__in=OPEN_STATES)
    return same.filter(select_own_scope(scope or current_scope())).first()


def select_own_scope(scope: RowScope) -> Q:
    """Rows of a scope, and the person's own. Unconfined, a project's book is not in the person's own."""
    return Q(agent_id__in={"", scope.agent_id}, project_id__in={"", scope.project_id})


def find_job(user: EndUser, job_id: uuid.UUID) -> BookJob | None:
    with user_scope(user):
        return BookJob.objects.filter(user=user, pk=job_id).first()


def list_jobs(user: EndUser, limit: int) -> list[BookJob]:
    """The latest first."""
    with user_scope(user):
        return list(BookJob.objects.filter(user=user).order_by("-created_at", "pk")[:limit])


def lock_job(user: EndUser, job_id: uuid.UUID) -> BookJob | None:
    return BookJob.objects.select_for_update(no_key=True).filter(user=user, pk=job_id).first()


def retry_job(user: EndUser, job_id: uuid.UUID, *, now: datetime) -> BookJob | None:
    """Try a failed job again. None when there is none such. Raises JobRefused and TooManyJobs.

    Where the file was handed in once more meanwhile, the job is completed and names the book, or the answer is the job
    that reads it.
    """
    with user_scope(user):
        lock_for_transaction("books", user)
        job = lock_job(user, job_id)
        if job is None:
            return None
        if job.state != JobState.FAILED:
            raise JobRefused(f"Only a failed job can be tried again; this one is {job.state}.")
        if not BookUpload.objects.filter(user=user, job=job).exists():
            raise JobRefused("The file is no longer kept; hand it in again.")
        same = (user, job.content_hash, job.thread_id, RowScope.of(job))
        known = find_same_book(*same)
        if known is None and (under_way := find_open_job(*same)):
            return under_way
        job.error_code = job.error_detail = ""
        if known is not None:
            name_known_book(job, known, now=now)
            close_job(job, JobState.COMPLETED, now=now)
            return job
        refuse_beyond_limit(user, job.file_name)
        job.state, job.stage, job.progress, job.attempts = JobState.PENDING, JobStage.WAITING, 0.0, 0
        job.finished_at = None
        job.save()
        DUE.mark(user, now)
    return job


def begin_attempt(user: EndUser, job_id: uuid.UUID, *, now: datetime) -> BookJob | None:
    """Counted before it begins. None when there is nothing to do any more."""
    with user_scope(user):
        job = lock_job(user, job_id)
        if job is None or job.state not in OPEN_STATES:
            return None
        job.attempts += 1
        if job.attempts > MAX_ATTEMPTS and job.book_id is None:
            detail = f"Reading it was begun {MAX_ATTEMPTS} times and came to no end; nothing of it was stored."
            close_job(job, JobState.FAILED, now=now, code=GIVEN_UP, detail=detail)
            return None
        job.state = JobState.PROCESSING
        job.save(update_fields=["attempts", "state"])
    return job


def report_progress(user: EndUser, job_id: uuid.UUID, stage: JobStage, progress: float) -> bool:
    """Write down how far a job is. False when it was cancelled meanwhile, or its person forgotten."""
    with user_scope(user):
        under_way = BookJob.objects.filter(user=user, pk=job_id, state=JobState.PROCESSING)
        return bool(under_way.update(stage=stage, progress=round(progress, 3)))


def close_job(job: BookJob, state: JobState, *, now: datetime, code: str = "", detail: str = "") -> None:
    """End a job, under the lock of its row and in the user's scope. The bytes stay for a retry alone."""
    job.state, job.error_code, job.error_detail = state, code[:40], detail[:500]
    # Of a book that could be asked before it was done, that moment.
    job.finished_at = job.finished_at or now
    if state is JobState.COMPLETED:
        job.stage, job.progress = JobStage.DONE, 1.0
    job.save()
    if state is not JobState.FAILED:
        BookUpload.objects.filter(user_id=job.user_id, job=job).delete()


def end_job(
    user: EndUser, job_id: uuid.UUID, state: JobState, *, now: datetime, code: str = "", detail: str = ""
) -> None:
    """End a job unless it is over already."""
    with user_scope(user):
        job = lock_job(user, job_id)
        if job is not None and job.state in OPEN_STATES:
            close_job(job, state, now=now, code=code, detail=detail)


def put_back(user: EndUser, job_id: uuid.UUID) -> None:
    """Have a job wait for its next turn: its worker is to stop, or others' files go first. No attempt of the file's."""
    with user_scope(user):
        job = lock_job(user, job_id)
        if job is None or job.state != JobState.PROCESSING:
            return
        job.state, job.attempts = JobState.PENDING, max(0, job.attempts - 1)
        if job.book_id is None:
            job.stage, job.progress = JobStage.WAITING, 0.0
        job.save(update_fields=["state", "attempts", "stage", "progress"])


def list_open_jobs(user: EndUser) -> list[BookJob]:
    """Of all scopes: those first that nobody can ask yet, and of them those that have waited longest."""
    with confine_to(EVERYTHING), user_scope(user):
        waiting = BookJob.objects.filter(user=user, state__in=OPEN_STATES).order_by("created_at", "pk")
        return sorted(waiting, key=lambda job: job.is_found)


def clear_away(user: EndUser, *, now: datetime) -> None:
    """Drop the bytes of failed jobs that nobody tried again, and jobs as old as logs are kept."""
    with confine_to(EVERYTHING), user_scope(user):
        given_up = select_given_up(user).filter(finished_at__lte=now - KEPT_FOR_RETRY)
        BookUpload.objects.filter(user=user, job__in=given_up).delete()
        select_over(user).filter(finished_at__lte=now - keep_jobs_for()).delete()


def advance_mark(user: EndUser, *, now: datetime) -> bool:
    """Move the user's mark to when there is something to do next. False if there is now."""
    with confine_to(EVERYTHING):
        return DUE.advance(user, lambda one: find_next_moment(one, now), now)


def find_next_moment(user: EndUser, now: datetime) -> datetime | None:
    """When there is work next: now, when bytes or a job's row have been kept long enough, or never. In the scope."""
    if BookJob.objects.filter(user=user, state__in=OPEN_STATES).exists():
        return now
    digest = BookDigest.objects.filter(user=user, state=DigestState.PENDING).order_by("due_at")
    kept = select_given_up(user).filter(upload__isnull=False)
    moments = [
        moment + life
        for rows, life in ((kept, KEPT_FOR_RETRY), (select_over(user), keep_jobs_for()))
        if (moment := rows.order_by("finished_at").values_list("finished_at", flat=True).first())
    ]
    moments += [due for due in digest.values_list("due_at", flat=True)[:1] if due]
    return min(moments, default=None)


def select_given_up(user: EndUser) -> "QuerySet[BookJob, Any]":
    return BookJob.objects.filter(user=user, state=JobState.FAILED)


def select_over(user: EndUser) -> "QuerySet[BookJob, Any]":
    return BookJob.objects.filter(user=user, finished_at__isnull=False)


def keep_jobs_for() -> timedelta:
    return timedelta(days=memory_conf().limits.log_days)
