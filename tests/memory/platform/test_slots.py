"""Requests at work, apart from those that only wait."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from memory.platform import slots
from memory.platform.slots import SlottedApplication, leave_slot, work_in_slot
from memory.web.overload import refuse_request
from memory.web.polling import poll_until
from tests.patience import eventually

ROOM = 8


@pytest.fixture
def one_slot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "_slots", [])


def refuse(*call: object) -> str:
    return "refused"


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

    served = SlottedApplication(application, 1, ROOM, refuse)
    body = served({}, None)
    assert (seen, is_free()) == ([False], True)
    assert list(body) == [b"as slowly as the client reads"]


def test_a_request_that_fails_gives_its_slot_back(one_slot: None) -> None:
    def application(*call: object) -> None:
        raise ValueError

    served = SlottedApplication(application, 1, ROOM, refuse)
    for _ in range(3):
        with pytest.raises(ValueError):
            served({}, None)
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

    served = SlottedApplication(application, 1, ROOM, refuse)
    served({}, None)
    assert (seen, is_free()) == ([True, True, False], True)


def test_a_call_that_waits_for_a_worker_gives_its_place_to_others(one_slot: None) -> None:
    seen: list[bool] = []

    def application(*call: object) -> None:
        poll_until(lambda: seen.append(is_free()), lambda _: len(seen) == 2, within_s=30)

    SlottedApplication(application, 1, ROOM, refuse)({}, None)
    # Before it has to wait it works, as any other.
    assert (seen, is_free()) == ([False, True], True)


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

    served = SlottedApplication(application, 2, ROOM, refuse)
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(served, {}, None) for _ in range(8)]:
            done.result(timeout=30)
    assert most == 2


@contextmanager
def fill_slots(count: int) -> Iterator[SlottedApplication]:
    """A server all of whose slots are taken until the end."""
    over, begun = threading.Event(), threading.Semaphore(0)

    def application(environ: dict[str, object], start_response: object) -> str:
        if environ.get("PATH_INFO") == "/api/health":
            return "ok"
        begun.release()
        over.wait(timeout=30)
        return "served"

    served = SlottedApplication(application, count, ROOM, refuse)
    with ThreadPoolExecutor(count) as pool:
        working = [pool.submit(served, {}, None) for _ in range(count)]
        for _ in working:
            assert begun.acquire(timeout=30)
        try:
            yield served
        finally:
            over.set()
    assert [one.result() for one in working] == ["served"] * count


def test_who_finds_no_slot_in_time_is_refused_and_health_is_answered(
    one_slot: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "PATIENCE_S", 0.01)
    monkeypatch.setattr(slots, "BURST_S", 0.01)
    with fill_slots(2) as served:
        assert served({"PATH_INFO": "/api/v1/users/ann/search"}, None) == "refused"
        assert served({"PATH_INFO": "/api/health"}, None) == "ok"
    assert served({"PATH_INFO": "/api/health"}, None) == "ok"


def test_who_finds_many_waiting_is_refused_at_once(one_slot: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "PATIENCE_S", 30)
    with ThreadPoolExecutor(ROOM) as pool, fill_slots(1) as served:
        waiting = [pool.submit(served, {}, None) for _ in range(ROOM)]
        wait_for_waiting(ROOM)
        assert served({}, None) == "refused"
    assert [one.result(timeout=30) for one in waiting] == ["served"] * ROOM


def wait_for_waiting(count: int) -> None:
    assert eventually(lambda: slots._slots[-1]._waiting == count)


def test_a_burst_waits_for_longer_and_a_queue_that_stands_does_not(
    one_slot: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slots, "PATIENCE_S", 0.01)
    monkeypatch.setattr(slots, "BURST_S", 30)
    with ThreadPoolExecutor(1) as pool, fill_slots(1) as served:
        first = pool.submit(served, {}, None)
        wait_for_waiting(1)
        slots._slots[-1]._waited_since -= 30
        assert served({}, None) == "refused"
        assert not first.done()
    assert first.result(timeout=30) == "served"


@pytest.mark.parametrize(("accept", "kind"), [("text/html,*/*", "text/plain"), ("*/*", "application/problem+json")])
def test_the_refusal_says_when_to_come_again(accept: str, kind: str) -> None:
    told: list[tuple[str, dict[str, str]]] = []
    body = b"".join(refuse_request({"HTTP_ACCEPT": accept}, lambda status, head: told.append((status, dict(head)))))
    [(status, head)] = told
    assert status == "503 Service Unavailable"
    assert (int(head["Retry-After"]) > 0, int(head["Content-Length"])) == (True, len(body))
    assert head["Content-Type"].startswith(kind)
    assert b"try again" in body


def test_without_an_application_of_the_server_nothing_is_limited(one_slot: None) -> None:
    with work_in_slot():
        leave_slot()
