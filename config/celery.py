"""The Celery application. Worker: ``celery -A config worker``; scheduler: ``celery -A config beat``."""

import os
from contextlib import suppress
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_init
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from config import embedded
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
    if settings.DATABASES["default"]["HOST"] == str(embedded.run_dir(settings.DATA_DIR)):
        connection_created.connect(let_server_process_step_back)


def let_server_process_step_back(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """The embedded Postgres computes on the same machine: what it does for the worker steps back with it."""
    # Where the system does not allow it, the work goes on as it is.
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, connection.connection.info.backend_pid, os.getpriority(os.PRIO_PROCESS, 0))


@beat_init.connect
def catch_up(**kwargs: Any) -> None:
    """What came due while nothing ran is looked at now, not at the next full interval."""
    for task in ("memory.sweep_index_queue", "memory.promote_everyone"):
        app.send_task(task)
