"""The Celery application. Worker: ``celery -A config worker``; scheduler: ``celery -A config beat``."""

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init

from config.schedule import SCHEDULE

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("commonplace")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = SCHEDULE
app.autodiscover_tasks()


@beat_init.connect
def catch_up(**kwargs: Any) -> None:
    """What came due while nothing ran is looked at now, not at the next full interval."""
    for task in ("memory.sweep_index_queue", "memory.promote_everyone"):
        app.send_task(task)
