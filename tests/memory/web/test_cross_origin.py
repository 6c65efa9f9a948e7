"""Pages of other sites: those that a setting names may ask the API by a key, and nobody lends them a session."""

import json

import pytest
from pytest_django import Settings

from memory.models import Operator
from tests.api_client import ApiClient

CHAT = "https://chat.example.org"
ALLOWED, CREDENTIALS = "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials"
PREFLIGHT = {"Origin": CHAT, "Access-Control-Request-Method": "POST"}
STRANGERS = ("https://evil.example", "http://chat.example.org", f"{CHAT}.evil.example", f"{CHAT}:8443", "null")


@pytest.fixture
def chat(settings: Settings) -> None:
    settings.CORS_ALLOWED_ORIGINS = [CHAT]


@pytest.mark.usefixtures("chat")
def test_a_preflight_of_a_page_that_is_named_is_answered_without_a_key(api: ApiClient) -> None:
    answer = api.http.options(api.url("memories"), headers=PREFLIGHT)
    assert (answer.status_code, answer[ALLOWED], answer.content) == (200, CHAT, b"")
    assert {"authorization", "content-type", "idempotency-key", "x-user-id"} <= set(
        answer["Access-Control-Allow-Headers"].split(", ")
    )
    assert {"GET", "POST", "PUT", "PATCH", "DELETE"} <= set(answer["Access-Control-Allow-Methods"].split(", "))
    assert CREDENTIALS not in answer
    assert "origin" in answer["Vary"].lower()


@pytest.mark.usefixtures("chat")
def test_a_page_that_is_named_reads_answers_and_refusals(api: ApiClient) -> None:
    stored = api.post("memories", {"text": "Ann prefers tea"}, Origin=CHAT)
    refused = api.post("memories", {"text": ""}, Origin=CHAT)
    unknown = api.http.get(api.url("memories"), headers={"Origin": CHAT})
    too_large = api.http.generic("POST", api.url("memories"), b"x" * 3_000_000, headers={"Origin": CHAT})
    missing = api.get("/api/v1/no-such-thing", headers={"Origin": CHAT})
    answers = (stored, refused, unknown, too_large, missing)
    assert [answer.status_code for answer in answers] == [201, 422, 401, 413, 404]
    assert [answer[ALLOWED] for answer in answers] == [CHAT] * 5
    assert all(CREDENTIALS not in answer for answer in answers)
    assert "retry-after" in stored["Access-Control-Expose-Headers"]


@pytest.mark.usefixtures("chat")
@pytest.mark.parametrize("origin", STRANGERS)
def test_another_page_is_answered_as_before(api: ApiClient, origin: str) -> None:
    preflight = api.http.options(api.url("memories"), headers={**PREFLIGHT, "Origin": origin})
    assert ALLOWED not in preflight
    assert "Access-Control-Allow-Headers" not in preflight
    assert ALLOWED not in api.get("memories", headers={"Origin": origin})


def test_nobody_is_named_by_default(api: ApiClient) -> None:
    assert ALLOWED not in api.http.options(api.url("memories"), headers=PREFLIGHT)
    assert ALLOWED not in api.get("memories", headers={"Origin": CHAT})


@pytest.mark.usefixtures("chat", "db", "services")
@pytest.mark.parametrize(
    "path", ["/console/", "/admin/", "/api/admin/v1/people", "/api/health", "/v1/models", "/mcp", "/", "/authorize"]
)
def test_only_the_api_is_opened(api: ApiClient, path: str) -> None:
    assert ALLOWED not in api.http.options(path, headers=PREFLIGHT)
    assert ALLOWED not in api.get(path, headers={"Origin": CHAT})


@pytest.mark.usefixtures("chat")
def test_a_session_of_the_console_says_nothing_to_the_api(api: ApiClient, settings: Settings) -> None:
    api.http.force_login(Operator.objects.create_superuser("root", password="correct horse battery"))
    api.key = None
    assert api.get("memories", headers={"Origin": CHAT}).status_code == 401
    settings.MEMORY = {**settings.MEMORY, "REQUIRE_AUTH": False}
    assert api.get("memories", headers={"Origin": CHAT}).status_code == 401, "a page is no program of this machine"
    body = json.dumps({"text": "planted"})
    sent = api.http.post(api.url("memories"), body, content_type="application/json", headers={"Origin": CHAT})
    assert sent.status_code == 401
