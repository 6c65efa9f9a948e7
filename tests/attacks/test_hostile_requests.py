"""Requests made to break the door itself: bytes that are no text, names that look alike, bodies that never end."""

import json
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from threading import Event
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from memory.access.keys import generate_key
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.web.middleware import ApiEdgeMiddleware
from tests.api_client import ApiClient
from tests.patience import PATIENCE_S

EXCHANGE = {"user_message": "Where is the ladder?", "assistant_message": "Behind the shed."}


def refused_fields(response: Any) -> list[str]:
    assert response.status_code == 422, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    return [error["field"] for error in response.json()["errors"]]


def threads_of(user: EndUser) -> set[str]:
    with user_scope(user):
        return set(MemoryItem.objects.for_user(user).values_list("thread_id", flat=True))


# --- bytes that are no text ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(("sent", "field"), [("q=%ff%fe", "q"), ("q=%ed%a0%80", "q"), ("%ff=1", "\ufffd")])
def test_a_query_string_that_is_not_utf_8_is_refused(api: ApiClient, sent: str, field: str) -> None:
    assert refused_fields(api.send("GET", f"memories?{sent}")) == [field]


@pytest.mark.parametrize("thread", ["%ff%fe", "%ed%a0%80"])
def test_a_path_that_is_not_utf_8_is_refused(api: ApiClient, user: EndUser, thread: str) -> None:
    assert refused_fields(api.post(f"threads/{thread}/exchanges", EXCHANGE)) == ["path"]
    assert threads_of(user) == set()


# --- names that look alike ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("thread", ["%20", "%e2%80%8b", "%e2%80%ae"])
def test_a_thread_without_a_visible_name_is_refused(api: ApiClient, user: EndUser, thread: str) -> None:
    assert refused_fields(api.post(f"threads/{thread}/exchanges", EXCHANGE)) == ["thread_id"]
    body = {**EXCHANGE, "user_id": user.external_id, "thread_id": " "}
    assert refused_fields(api.post("/api/v1/hooks/exchange", body)) == ["thread_id"]
    assert threads_of(user) == set()


def test_names_that_differ_in_what_nobody_sees_are_one_name(api: ApiClient, user: EndUser) -> None:
    assert api.post("threads/a%e2%80%aeb/exchanges", EXCHANGE).status_code == 201
    assert api.post("memories", {"text": "The ladder is new", "thread_id": "a\u202eb"}).status_code == 201
    assert threads_of(user) == {"ab"}


# --- what a refusal says ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("path", "body", "field", "says"),
    [
        ("search", {"query": "a", "collections": 5}, "collections", "must be 'all' or must be a list"),
        ("search", {"query": "a", "limit": 51}, "limit", "must be less than or equal to 50"),
        ("memories", {"text": "a", "tags": ["x"] * 21}, "tags", "must have at most 20 items, not 21"),
        ("memories", {"text": "a", "source": 5}, "source", "must be a valid string or must be a JSON object"),
        ("memories", {"text": "a", "parents": ["x"]}, "parents[0]", "must be a UUID"),
        ("facts", {"statement": "a" * 40_000}, "statement", "must have at most 1000 characters"),
        ("facts", {"statement": "I live in Leeds", "occurred_at": "9999"}, "occurred_at", "must be an ISO 8601"),
        ("facts/search", {"query": "a", "search_type": "all"}, "search_type", "must be 'facts', 'episodes' or 'both'"),
        ("memories", {"text": "a", "occurred_at": "٢٠٢٦-01-01T00:00:00Z"}, "occurred_at", "must be an ISO 8601"),
        ("outcomes", {"outcome": "worked", "related": [-1]}, "related", "name a turn_id, an exchange_id or memory ids"),
        ("outcomes", {"outcome": "worked", "related": [10**20]}, "related[0]", "must be less than or equal to"),
        (
            "threads/t/exchanges",
            {**EXCHANGE, "tools": [{"name": "x", "ok": True, "ms": 1e308}]},
            "tools[0].ms",
            "must be less than or equal to",
        ),
        ("tools/search_memory", [], "", "the body must be a JSON object"),
    ],
)
def test_a_refusal_names_the_field_of_the_request_and_the_rule(
    api: ApiClient, path: str, body: object, field: str, says: str
) -> None:
    response = api.send("POST", path, json.dumps(body).encode())
    assert set(refused_fields(response)) == {field}
    [error] = response.json()["errors"]
    assert error["message"].startswith(says)


def test_an_id_of_the_wrong_form_is_told_in_words(api: ApiClient) -> None:
    for path, says in (
        ("/api/v1/users/ann%20smith/memories", "must be 1-128 of A-Z a-z 0-9 _ . @ : -"),
        ("memories/1", "must be a UUID"),
        ("facts/1", "must be a UUID"),
        ("threads/a%00b", "must not contain a slash or a control character"),
    ):
        [error] = api.get(path).json()["errors"]
        assert error["message"] == says


# --- bodies that never end ----------------------------------------------------------------------------------------
class Unfinished:
    """A body whose rest does not come until it is told to."""

    def __init__(self, body: bytes) -> None:
        self.body, self.is_read, self.may_end = BytesIO(body), Event(), Event()

    def read(self, size: int = -1) -> bytes:
        self.is_read.set()
        assert self.may_end.wait(PATIENCE_S)
        return self.body.read(size)

    def close(self) -> None:
        self.body.close()


@pytest.fixture
def edge(settings: Settings) -> ApiEdgeMiddleware:
    settings.MEMORY = {**settings.MEMORY, "LIMITS": {**settings.MEMORY["LIMITS"], "bodies": 2}}
    return ApiEdgeMiddleware(lambda request: HttpResponse(request.body))


SEARCH = "/api/v1/users/ann/search"


def send(edge: ApiEdgeMiddleware, body: Unfinished, key: str, path: str = SEARCH) -> Any:
    request = RequestFactory().post(
        path, b"{}", content_type="application/json", headers={"Authorization": f"Bearer {key}"}
    )
    request._stream = body  # type: ignore[assignment]
    return edge(request)


@pytest.mark.parametrize("path", [SEARCH, "/mcp", "/console/login"])
def test_clients_that_do_not_finish_sending_leave_room_for_the_others(edge: ApiEdgeMiddleware, path: str) -> None:
    slow = [Unfinished(b"{}") for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(send, edge, body, generate_key(), path) for body in slow]
        assert all(body.is_read.wait(PATIENCE_S) for body in slow)
        quick = send(edge, Unfinished(b"{}"), generate_key())
        assert (quick.status_code, quick.headers["Connection"]) == (503, "close")
        assert quick.headers["Retry-After"]
        assert edge(RequestFactory().get("/api/v1/users/ann/memories")).status_code == 200
        for body in slow:
            body.may_end.set()
        assert [answer.result(PATIENCE_S).content for answer in waiting] == [b"{}", b"{}"]
    ready = Unfinished(b"{}")
    ready.may_end.set()
    assert send(edge, ready, generate_key()).status_code == 200


def test_nothing_is_read_of_a_request_whose_key_cannot_be_one(edge: ApiEdgeMiddleware) -> None:
    body = Unfinished(b"{}")
    edge.get_response = lambda request: HttpResponse(status=401)
    assert send(edge, body, "cpl_nonsense").status_code == 401
    assert not body.is_read.is_set()
