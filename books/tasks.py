"""Reads what was handed in, in the background and in a queue of its own. May be killed at any point."""

from functools import partial

from celery import shared_task
from django.utils import timezone

from books import digests, ingestion, jobs
from books.precedence import SmallFilesFirst, end_turn, list_by_turn
from memory.access.locks import try_task_lock
from memory.models import EndUser


# Longer than other tasks may: with a slow embedder five million characters take half an hour, and as long again where
# small files come between.
@shared_task(name="books.work", time_limit=7_200, soft_time_limit=7_100)
def work_on_books(user_id: int) -> int:
    """One open job of whoever's turn it is, this person among them. Returns how many were worked on."""
    for user in [*list_by_turn(timezone.now()), *EndUser.objects.filter(pk=user_id)]:
        with try_task_lock("books", user.pk) as is_mine:
            if not is_mine:
                continue
            done = take_turn(user)
        end_turn(user, now=timezone.now())
        # Whoever's message this was may not have been the one whose turn it was.
        if waiting := jobs.DUE.list_users(timezone.now(), 1):
            work_on_books.delay(waiting[0])
        return done
    return 0


def take_turn(user: EndUser) -> int:
    jobs.clear_away(user, now=timezone.now())
    done = 0
    for job in jobs.list_open_jobs(user)[:1]:
        run = partial(ingestion.run_job, clock=timezone.now)
        done += run(user, job.pk, between=SmallFilesFirst(job, run, timezone.now)) is not None
    if not done:
        # A file that waits goes first: a model reads for minutes what is found already.
        done += digests.read_next_part(user, now=timezone.now())
    return done


@shared_task(name="books.sweep")
def sweep_books() -> int:
    """Enqueue every person with a job that a lost message or a killed worker left, or with something to clear away."""
    users = jobs.DUE.list_users(timezone.now())
    for user_id in users:
        work_on_books.delay(user_id)
    return len(users)
