"""In which order a worker takes what waits for it."""

from uuid import uuid4

import pytest
from celery import current_app
from django.conf import settings
from kombu import Connection, Message, Queue

from config.queues import SLOW_TASKS
from config.runtime.programs import WORKER_QUEUES


def test_every_task_that_may_wait_is_one() -> None:
    current_app.loader.import_default_modules()
    assert set(SLOW_TASKS) <= current_app.tasks.keys()


@pytest.mark.usefixtures("services")
def test_what_looks_through_everybody_waits_behind_what_was_just_said() -> None:
    options = {**settings.CELERY_BROKER_TRANSPORT_OPTIONS, "global_keyprefix": f"test-{uuid4().hex}:"}
    taken: list[str] = []
    with Connection(settings.CELERY_BROKER_URL, transport_options=options) as connection:
        queues = [Queue(name, routing_key=name) for name in WORKER_QUEUES.split(",")]
        for name in ("slow", "slow", "fast", "fast"):
            connection.Producer().publish(name, routing_key=name, declare=queues)

        def take(body: str, message: Message) -> None:
            taken.append(body)
            message.ack()

        with connection.Consumer(queues, callbacks=[take]) as one:
            one.qos(prefetch_count=1)
            while len(taken) < 4:
                connection.drain_events(timeout=5)
        for queue in queues:
            queue(connection.default_channel).delete()

    assert taken == ["fast", "fast", "slow", "slow"]
