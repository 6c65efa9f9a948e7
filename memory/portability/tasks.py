"""Writes imports in the background. May be killed at any point: the sweep begins again."""

from celery import shared_task
from django.utils import timezone

from memory.models import EndUser
from memory.models.transfers import TransferKind
from memory.portability import chats, jobs


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
    """Enqueue every person with an import that a lost message or a killed worker left."""
    users = jobs.DUE.list_users()
    for user_id in users:
        import_person.delay(user_id)
    return len(users)
