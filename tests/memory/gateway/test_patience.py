"""The memory has so long and no longer, and what it stores late it stores all the same."""

import threading

import pytest
from pytest_django import Settings

from memory.gateway.patience import read_in_time, store_in_time
from memory.platform.faults import DeadlineExceeded
from tests.patience import PATIENCE_S


@pytest.fixture(autouse=True)
def soon(settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "DEADLINES": {**settings.MEMORY["DEADLINES"], "default_s": 0.01}}


def test_what_is_late_is_waited_for_no_longer() -> None:
    gate = threading.Event()
    with pytest.raises(DeadlineExceeded):
        read_in_time(lambda: gate.wait(PATIENCE_S))
    gate.set()
    assert read_in_time(lambda: "in time") == "in time"


def test_what_is_stored_late_is_stored() -> None:
    gate, done = threading.Event(), threading.Event()

    def store() -> None:
        gate.wait(PATIENCE_S)
        done.set()

    with pytest.raises(DeadlineExceeded):
        store_in_time(store)
    gate.set()
    assert done.wait(PATIENCE_S)
