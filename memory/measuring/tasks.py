"""Measures in the background. A run whose worker dies is told as lost, and another may begin."""

import uuid

from celery import shared_task
from django.utils import timezone

from memory.access.confinement import RowScope, confine_to
from memory.measuring import everybody, runs
from memory.models import EndUser, Organization
from memory.platform.queue import pass_on


@shared_task(name="memory.measure_person")
def measure_person(user_id: int, run_id: str, agent_id: str = "", project_id: str = "") -> int:
    """In the scope it was asked for in. Returns how many questions were asked."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    with confine_to(RowScope(agent_id, project_id)):
        run = runs.perform_run(user, uuid.UUID(run_id), clock=timezone.now)
    return run.done if run else 0


@shared_task(name="memory.measure_everybody")
def measure_everybody(organization_id: int, batch_id: str, after: int = 0, done: int = 0) -> int:
    """As many people as a task has time for; another does the rest. Returns how many were gone through so far."""
    organization = Organization.objects.filter(pk=organization_id).first()
    if organization is None:
        return 0
    rest = everybody.perform_batch(organization, uuid.UUID(batch_id), clock=timezone.now, after=after, done=done)
    if rest is None:
        return done
    pass_on(measure_everybody, organization_id, batch_id, *rest)
    return rest[1]
