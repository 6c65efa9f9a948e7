"""Requests made to break the door itself: bytes that are no text, names that look alike, bodies that never end."""

import json
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from threading import Event
from typing import Any, NamedTuple, NoReturn
from urllib.parse import unquote_to_bytes

import pytest
from django.test import RequestFactory

from memory.access.keys import generate_key
from memory.access.scope import user_scope
from memory.models import EndUser, MemoryItem
from memory.platform import slots
from memory.platform.slots import SlottedApplication
from memory.web import receiving
from memory.web.large_bodies import BOOKS, RECEIVED, get_spooled_body
from memory.web.overload import refuse_request
from memory.web.receiving import ReceivingApplication
from tests.api_client import ApiClient
from tests.patience import PATIENCE_S

SEARCH = "/api/v1/users/ann/search"
EXCHANGE = {"user_message": "Where is the ladder?", "assistant_message": "Behind the shed."}


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    content: bytes


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
        ("search", {"query": "a", "collections": ["hist"]}, "collections[0]", "must be 'working', 'history'"),
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
        ("/api/v1/users/ann%20smith/memories", "must be 1-128 of A-Z a-z 0-9 _ . @ : + | -"),
        ("memories/1", "must be a UUID"),
        ("facts/1", "must be a UUID"),
        ("threads/a%00b", "must not contain a control character"),
    ):
        [error] = api.get(path).json()["errors"]
        assert error["message"] == says
    triple = {"s": "you", "r": "Favourite Tea", "d": "Assam"}
    [error] = api.post("hot/triples", {"triples": [triple]}).json()["errors"]
    assert error["field"] == "triples[0].r"
    assert error["message"] == "must be 1-64 of a-z 0-9 _ and begin with a letter, as in favorite_tea"
    assert refused_fields(api.post("/api/v1/users/j%C3%BCrgen/context", {"query": "Where is the ladder?"})) == [
        "user_id"
    ]


# --- bodies that never end ----------------------------------------------------------------------------------------
class Unfinished(BytesIO):
    """A body whose rest does not come until it is told to."""

    def __init__(self, body: bytes = b"{}") -> None:
        super().__init__(body)
        self.is_read, self.may_end = Event(), Event()

    def read(self, size: int | None = -1) -> bytes:
        self.is_read.set()
        assert self.may_end.wait(PATIENCE_S)
        return super().read(size)


@pytest.fixture
def no_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slots, "_slots", [])
    monkeypatch.setattr(receiving, "PATIENCE_S", 0.01)


def answer_with_body(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """In a slot, as the product does."""
    start_response("200 OK", [])
    return [environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"] or 0))]


def open_server(bodies: int, work_at: int = 1) -> ReceivingApplication:
    return ReceivingApplication(SlottedApplication(answer_with_body, work_at, 1, refuse_request), bodies)


def send(server: ReceivingApplication, body: BytesIO, path: str = SEARCH, key: str = "", **more: str) -> Answer:
    head = {"HTTP_AUTHORIZATION": f"Bearer {key or generate_key()}", **more}
    environ = RequestFactory().post(path, b"{}", content_type="application/json", **head).environ  # type: ignore[arg-type]
    told: list[tuple[str, dict[str, str]]] = []
    # As a server gives it; the request that was made here has decoded its own.
    environ["PATH_INFO"] = unquote_to_bytes(path).decode("latin-1")
    content = b"".join(server({**environ, "wsgi.input": body}, lambda status, head: told.append((status, dict(head)))))
    [(status, headers)] = told
    return Answer(int(status.split()[0]), headers, content)


@pytest.mark.parametrize("path", [SEARCH, BOOKS, "/api/v1/users/ann/import", "/mcp", "/console/login", "/v1/responses"])
def test_clients_that_do_not_finish_sending_hold_no_slot(no_slots: None, path: str) -> None:
    server, slow = open_server(bodies=3), [Unfinished() for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(send, server, body, path) for body in slow]
        assert all(body.is_read.wait(PATIENCE_S) for body in slow)
        assert send(server, BytesIO(b"{}")).content == b"{}"
        for body in slow:
            body.may_end.set()
        assert [answer.result(PATIENCE_S).content for answer in waiting] == [b"{}", b"{}"]


def test_so_many_bodies_are_received_at_a_time(no_slots: None) -> None:
    server, slow = open_server(bodies=1), Unfinished()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(send, server, slow)
        assert slow.is_read.wait(PATIENCE_S)
        refused = send(server, BytesIO(b"{}"))
        assert (refused.status, refused.headers["Connection"]) == (503, "close")
        assert refused.headers["Retry-After"]
        # What has no body needs nobody to receive it.
        assert send(server, BytesIO(), CONTENT_LENGTH="").status == 200
        slow.may_end.set()
        assert waiting.result(PATIENCE_S).status == 200
    assert send(server, BytesIO(b"{}")).status == 200


@pytest.mark.parametrize(
    ("key", "length"), [("cpl_nonsense", "2"), ("", "999999999"), ("", "nonsense"), ("", "-1"), ("", "")]
)
def test_nothing_is_received_of_what_its_head_condemns(no_slots: None, key: str, length: str) -> None:
    def answer(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("401 Unauthorized", [])
        return [b""]

    body = Unfinished()
    server = ReceivingApplication(answer, 1)
    assert send(server, body, key=key, CONTENT_LENGTH=length).status == 401
    assert not body.is_read.is_set()


def test_a_body_that_breaks_off_is_refused_and_one_that_cannot_be_kept_too(
    no_slots: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> NoReturn:
        raise OSError("no space left on device")

    cut = send(open_server(bodies=1), BytesIO(b"{"))
    assert (cut.status, b"ended before it was complete" in cut.content) == (422, True)
    monkeypatch.setattr(receiving, "KEPT_IN_MEMORY", 1)
    assert send(open_server(bodies=1), BytesIO(b"{}")).content == b"{}"
    monkeypatch.setattr(receiving, "open_spool", fail)
    full = send(open_server(bodies=1), BytesIO(b"{}"))
    assert (full.status, "Retry-After" in full.headers) == (503, True)


@pytest.mark.parametrize("name", ["j%C3%BCrgen", "%D7%90", "ann", "k%FCche"])
def test_a_path_stays_as_it_was_sent_where_a_body_is_received(no_slots: None, name: str) -> None:
    def answer_with_path(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [environ["PATH_INFO"].encode("latin-1")]

    path = f"/api/v1/users/{name}/context"
    assert send(ReceivingApplication(answer_with_path, 1), BytesIO(b"{}"), path).content == unquote_to_bytes(path)


def test_a_body_that_breaks_off_leaves_no_file_open(no_slots: None, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = BytesIO()
    monkeypatch.setattr(receiving, "KEPT_IN_MEMORY", 0)
    monkeypatch.setattr(receiving, "open_spool", lambda: spool)
    assert send(open_server(bodies=1), BytesIO(b"{")).status == 422
    assert spool.closed


def test_what_the_server_received_is_not_written_to_the_disk_again(user: EndUser) -> None:
    received = BytesIO(b"{}")
    request = RequestFactory().post("/api/v1/users/ann/import", b"{}", content_type="application/x-ndjson")
    request.META[RECEIVED] = received
    assert get_spooled_body(request, "application/x-ndjson") is received
