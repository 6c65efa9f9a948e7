"""What a worker does before it forks the processes that work."""

import gc
from collections.abc import Iterator

import pytest
from celery.signals import worker_before_create_process

from config import celery


@pytest.fixture
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.mark.usefixtures("thawed")
def test_what_it_has_loaded_is_looked_through_by_no_collection() -> None:
    """As it ended it was, three times: half a second of CPU, five where a machine gave it little."""
    before = gc.get_freeze_count()
    worker_before_create_process.send(sender=celery.app)
    assert gc.get_freeze_count() > before + 10_000
