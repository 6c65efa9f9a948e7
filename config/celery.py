"""The Celery application. Worker: ``celery -A config worker``; scheduler: ``celery -A config beat``."""

import gc
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from celery import Celery
from celery.signals import beat_init, worker_before_create_process, worker_init, worker_ready
from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from config import embedded
from config.schedule import SCHEDULE
from config.traces import trace_tasks
from memory.platform.urgency import RequestUrgency

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Each worker and the scheduler would check the whole program, with every page and endpoint of it, before they begin:
# 2.4 of the 4.9 s of CPU of a start. The installation checks it with `migrate` when it starts.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("commonplace")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = SCHEDULE
app.autodiscover_tasks()
# No apps of their own: one stands above those whose rows it carries, the other beside what it tells of.
app.autodiscover_tasks(
    ["memory.portability", "memory.webhooks", "memory.measuring", "memory.enrichment", "memory.inbox"]
)


# Of niceness. Where the machine is short of time, whoever waits for an answer comes before work nobody waits for.
NICENESS = 10


@worker_init.connect
def trace_worker(**kwargs: Any) -> None:
    """Not as this module is loaded: a command with a bad setting imports it before it can say which one that is."""
    trace_tasks()


@worker_init.connect
def lower_worker_priority(**kwargs: Any) -> None:
    RequestUrgency.step_back()
    lower_priority(os.getpid(), os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
    if settings.DATABASES["default"]["HOST"] == str(embedded.run_dir(settings.DATA_DIR)):
        connection_created.connect(lower_backend_priority)


def lower_backend_priority(connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """The embedded Postgres computes on the same machine: what it does for the worker steps back with it."""
    lower_priority(connection.connection.info.backend_pid, os.getpriority(os.PRIO_PROCESS, 0))


def lower_priority(pid: int, niceness: int) -> None:
    """Give a process less of a busy machine. Where the system does not allow it, it goes on as it is."""
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, pid, niceness)
    # Linux may share out time by session first, and niceness then counts only among the processes of one. Each server
    # process of Postgres is a session, and so is each process of ours; a worker started by hand shares its terminal's,
    # where everything else would step back with it.
    with suppress(OSError):
        if os.getsid(pid) != pid:
            return
        Path(f"/proc/{pid}/autogroup").write_text(str(min(niceness, 19)), "ascii")


@worker_before_create_process.connect
def freeze_loaded_code(**kwargs: Any) -> None:
    """What a worker has loaded stays to its end: 300,000 objects, which it looked through three times as it stopped.

    Without these 0.17 s instead of 0.69, ten times as much on a machine whose time goes to others first; and the
    processes that are forked share the memory, as no collection writes into it.
    """
    gc.freeze()


@beat_init.connect
def enqueue_startup_sweeps(**kwargs: Any) -> None:
    """What came due while nothing ran is looked at now, not at the next full interval."""
    for task in ("memory.sweep_index_queue", "memory.promote_everyone"):
        app.send_task(task)


@worker_ready.connect
def enqueue_worker_sweeps(**kwargs: Any) -> None:
    """The messages a killed worker had taken come back after minutes; what they were about waits in the tables."""
    for task in (
        "memory.sweep_index_queue",
        "outcomes.sweep_conversations",
        "memory.sweep_imports",
        "books.sweep",
        "memory.deliver_webhooks",
    ):
        app.send_task(task)
