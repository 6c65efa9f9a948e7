"""The Celery application. Worker: ``celery -A config worker``; scheduler: ``celery -A config beat``."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init

from config.schedule import SCHEDULE

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("commonplace")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = SCHEDULE
app.autodiscover_tasks()


STEPS_BACK = 10
"""Of niceness. Where the machine is short of time, whoever waits for an answer comes before work nobody waits for."""


@worker_init.connect
def step_back(**kwargs: Any) -> None:
    os.nice(STEPS_BACK)


@beat_init.connect
def catch_up(**kwargs: Any) -> None:
    """What came due while nothing ran is looked at now, not at the next full interval."""
    for task in ("memory.sweep_index_queue", "memory.promote_everyone"):
        app.send_task(task)
