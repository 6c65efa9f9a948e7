"""Requests at work, apart from those that only wait."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.platform import slots
from memory.platform.slots import SlottedApplication, leave_slot, work_in_slot


@pytest.fixture
def one_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "_slots", [])


def is_free() -> bool:
    """Whether another thread could work now."""

    def look() -> bool:
        with slots._slots[-1].take():
            return True

    with ThreadPoolExecutor(1) as pool:
        try:
            return pool.submit(look).result(timeout=0.2)
        except TimeoutError:
            # For the thread to end.
            leave_slot()
            return False


def test_a_request_has_a_slot_while_it_works_and_none_while_its_answer_is_read(one_slot: None) -> None:
    seen: list[bool] = []

    def application(environ: dict[str, object], start_response: object) -> Iterator[bytes]:
        seen.append(is_free())

        def body() -> Iterator[bytes]:
            yield b"as slowly as the client reads"

        return body()

    served = SlottedApplication(application, 1)
    body = served({}, None)
    assert (seen, is_free()) == ([False], True)
    assert list(body) == [b"as slowly as the client reads"]


def test_a_request_that_fails_gives_its_slot_back(one_slot: None) -> None:
    def application(*call: object) -> None:
        raise ValueError

    served = SlottedApplication(application, 1)
    for _ in range(3):
        with pytest.raises(ValueError):
            served()
    assert is_free()


def test_a_request_that_waits_leaves_its_slot_and_takes_one_again_to_work(one_slot: None) -> None:
    seen: list[bool] = []

    def application(*call: object) -> None:
        leave_slot()
        leave_slot()
        seen.append(is_free())
        with work_in_slot(), work_in_slot():
            pass
        seen.append(is_free())
        with work_in_slot():
            seen.append(is_free())

    served = SlottedApplication(application, 1)
    served()
    assert (seen, is_free()) == ([True, True, False], True)


def test_so_many_work_at_once_and_the_others_wait(one_slot: None) -> None:
    at_work, most, together = 0, 0, threading.Barrier(2)
    lock = threading.Lock()

    def application(*call: object) -> None:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
        together.wait(timeout=30)
        with lock:
            at_work -= 1

    served = SlottedApplication(application, 2)
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(served) for _ in range(8)]:
            done.result(timeout=30)
    assert most == 2


def test_without_an_application_of_the_server_nothing_is_limited(one_slot: None) -> None:
    with work_in_slot():
        leave_slot()
