"""Measures in the background. A run whose worker dies is told as lost, and another may begin."""

import uuid

from celery import shared_task
from django.utils import timezone

from memory.access.confinement import RowScope, confine_to
from memory.measuring import runs
from memory.models import EndUser


@shared_task(name="memory.measure_person")
def measure_person(user_id: int, run_id: str, agent_id: str = "", project_id: str = "") -> int:
    """In the scope it was asked for in. Returns how many questions were asked."""
    user = EndUser.objects.filter(pk=user_id).first()
    if user is None:
        return 0
    with confine_to(RowScope(agent_id, project_id)):
        run = runs.perform_run(user, uuid.UUID(run_id), clock=timezone.now)
    return run.done if run else 0
