"""Health: one word for everybody, the parts for a key; and what requests answer while a part is away."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import OperationalError

from memory.access.keys import generate_key
from memory.operations import health
from memory.platform.faults import Unavailable
from tests.api_client import ApiClient


@pytest.fixture(autouse=True)
def look_again() -> Iterator[None]:
    health.forget()
    yield
    health.forget()


def make_unavailable(*arguments: Any, **options: Any) -> Any:
    raise Unavailable("embedder", "did not answer in time")


def test_everybody_is_told_one_word(api: ApiClient) -> None:
    answer = api.http.get("/api/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_a_key_is_told_the_parts(api: ApiClient) -> None:
    reported = api.get("/api/health").json()
    assert reported["status"] == "ok"
    assert set(reported["components"]) == {"postgres", "redis", "embedder", "vector_index", "queue"}
    assert all(part["ok"] for part in reported["components"].values())
    assert reported["disk"]["free"] > 0
    assert set(reported["sizes"]) == {"database", "memories", "vectors"}
    assert reported["warnings"] == []


def test_a_wrong_key_is_told_nothing(api: ApiClient) -> None:
    api.key = generate_key()
    assert api.get("/api/health").status_code == 401


def test_a_part_that_is_away_is_named(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "probe_embedder", make_unavailable)
    reported = api.get("/api/health").json()
    assert reported["status"] == "degraded"
    assert reported["warnings"] == ["embedder: embedder: did not answer in time"]


def test_without_its_database_the_service_is_unavailable_and_says_so_to_a_key_holder_too(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any, **options: Any) -> Any:
        raise OperationalError("connection refused")

    monkeypatch.setattr(health, "probe_postgres", refuse)
    monkeypatch.setattr("memory.api.operations.authenticate_request", refuse)
    answer = api.get("/api/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "unavailable"})


@pytest.mark.parametrize(
    ("free", "status", "words"),
    [
        (10 * health.GIGABYTE, "ok", None),
        (4 * health.GIGABYTE, "ok", "4.0 GB free"),
        (health.GIGABYTE - 1, "degraded", "very low"),
        (400 * 1024**2, "unavailable", "writes will fail"),
    ],
)
def test_a_filling_disk_is_told_before_it_is_full(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, free: int, status: str, words: str | None
) -> None:
    monkeypatch.setattr(health, "measure_free_space", lambda: {"free": free, "total": 100 * health.GIGABYTE})
    reported = api.get("/api/health").json()
    assert reported["status"] == status
    assert (words is None and reported["warnings"] == []) or words in reported["warnings"][0]


def test_many_who_ask_cause_one_look(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[health.Health] = []
    look = health.probe_all

    def counted() -> health.Health:
        looks.append(look())
        return looks[-1]

    monkeypatch.setattr(health, "probe_all", counted)
    for _ in range(5):
        api.http.get("/api/health")
    assert len(looks) == 1


def database_error(sqlstate_class: type[psycopg.Error]) -> Any:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise OperationalError("away") from sqlstate_class("away")

    return fail


@pytest.mark.parametrize(
    ("cause", "status", "code"),
    [
        (psycopg.OperationalError, 503, "unavailable"),
        (psycopg.errors.QueryCanceled, 503, "unavailable"),
        (psycopg.errors.AdminShutdown, 503, "unavailable"),
        (psycopg.errors.TooManyConnections, 503, "unavailable"),
        (psycopg.errors.DiskFull, 503, "unavailable"),
        (psycopg.errors.LockNotAvailable, 409, "conflict"),
        (psycopg.errors.DeadlockDetected, 409, "conflict"),
    ],
)
def test_a_database_in_trouble_is_an_answer_with_a_time_to_come_back(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, cause: type[psycopg.Error], status: int, code: str
) -> None:
    monkeypatch.setattr("memory.facade.MemoryFacade.store", database_error(cause))
    answer = api.post("memories", {"text": "a memory"})
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_failure_nobody_thought_of_tells_no_detail(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr("memory.facade.MemoryFacade.store", fail)
    answer = api.post("memories", {"text": "a memory"})
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "secret" not in answer.content.decode()
    assert answer.headers["X-Request-Id"]
