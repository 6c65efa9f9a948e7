"""Celery tasks that label messages: after they are indexed, and each night what was missed or labelled by an older
vocabulary."""

import time
from datetime import datetime
from typing import Final

from celery import shared_task
from django.utils import timezone

from memory.access.locks import try_task_lock
from memory.conf import memory_conf
from memory.enrichment.recording import BATCH, label_due
from memory.enrichment.rereading import reread_by_model
from memory.models import EndUser, Organization
from memory.vocabulary.editions import read_vocabulary
from memory.vocabulary.suggestions import count_suggestions

# After this time the rest waits for the next task, behind the work of others: nobody waits for a label, and in the same
# queue memories wait to be found.
TASK_SECONDS: Final = 3


def label_person(user: EndUser, *, now: datetime, since: datetime | None = None, seconds: float | None = None) -> int:
    """Everything that waits, or as much as fits into ``seconds``. Returns how many messages were labelled."""
    vocabulary, started, labelled = read_vocabulary(user.organization_id), time.monotonic(), 0
    while taken := label_due(user, vocabulary, now=now, since=since):
        labelled += taken
        if taken < BATCH or (seconds is not None and time.monotonic() - started > seconds):
            break
    return labelled


@shared_task(name="memory.label_user")
def label_user(user_id: int) -> int:
    """Label what is new of a person. Returns how many messages."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None or not memory_conf().flags["enrichment"]:
        return 0
    with try_task_lock("labels", user_id) as is_free:
        if not is_free:
            return 0
        labelled = label_person(user, now=timezone.now(), seconds=TASK_SECONDS)
        vocabulary = read_vocabulary(user.organization_id)
        read = reread_by_model(user, vocabulary, now=timezone.now(), seconds=TASK_SECONDS)
    if labelled >= BATCH or read:
        label_user.delay(user_id)
    return labelled


@shared_task(name="memory.sweep_labels")
def sweep_labels() -> int:
    """Label what a killed worker left, and what a changed vocabulary made old; count what fitted no topic."""
    if not memory_conf().flags["enrichment"]:
        return 0
    labelled = sum(label_user(user_id) for user_id in EndUser.objects.order_by("pk").values_list("pk", flat=True))
    for organization_id in Organization.objects.order_by("pk").values_list("pk", flat=True):
        count_suggestions(organization_id, now=timezone.now())
    return labelled
