"""Writes imports and backups in the background. May be killed at any point: the sweep begins again."""

import uuid

from celery import shared_task
from django.utils import timezone

from memory.models import EndUser
from memory.models.transfers import TransferKind
from memory.portability import backups, chats, jobs


# One transaction, and 256 MiB take minutes: longer than other tasks may.
@shared_task(name="memory.import_person", time_limit=3_600, soft_time_limit=3_500)
def import_person(user_id: int) -> int:
    """Write what waits of a person. Returns how many imports that were."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    done = sum(
        jobs.write_import(user, job_id, now=timezone.now()) is not None for job_id in jobs.list_open_imports(user)
    )
    now = timezone.now()
    for job_id in jobs.list_open_imports(user, TransferKind.CHATS):
        done += chats.work_on_import(user, job_id, now=now) is not None
    chats.drop_abandoned(user, now=now)
    jobs.clear_user_mark(user)
    return done


@shared_task(name="memory.sweep_imports")
def sweep_imports() -> int:
    """Enqueue every person with an import, and every backup, that a lost message or a killed worker left."""
    users = jobs.DUE.list_users()
    for user_id in users:
        import_person.delay(user_id)
    for run_id in backups.list_waiting_backups(timezone.now()):
        write_backup.delay(str(run_id))
    return len(users)


# As long as all rows take; a second worker that the queue sends it meanwhile finds the lock taken.
@shared_task(name="memory.write_backup", time_limit=6 * 3_600, soft_time_limit=6 * 3_600 - 60)
def write_backup(run_id: str) -> None:
    backups.run_backup(uuid.UUID(run_id), clock=timezone.now)
