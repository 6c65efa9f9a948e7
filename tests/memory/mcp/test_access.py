"""Who is let in over HTTP and stdio, for whom, and what happens when the process that speaks MCP is away."""

import json
import re
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command
from mcp import MCPError
from pytest_django.plugin import DjangoDbBlocker

from memory.proving.installation import Stack, manage
from tests.database_roles import connected_to
from tests.memory.mcp.conftest import over_http, over_stdio, run_async
from tests.memory.mcp.test_tools import done, words_of
from tests.patience import eventually

pytestmark = pytest.mark.slow

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
ACCEPTED = {"Accept": "application/json, text/event-stream"}


def post_message(stack: Stack, body: dict[str, Any], query: str = "", **headers: str) -> httpx.Response:
    named = {"Authorization": f"Bearer {stack.api_key}"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    given = {name: value for name, value in named.items() if value}
    return httpx.post(f"{stack.access['mcp_url']}{query}", json=body, headers={**ACCEPTED, **given}, timeout=20)


@pytest.mark.parametrize("header", ["", "Bearer cpl_nonsense", "Basic YTpi"])
def test_nobody_enters_without_a_key(stack: Stack, header: str) -> None:
    answer = post_message(stack, HELLO, Authorization=header)

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorised")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_page_of_another_origin_is_kept_out(stack: Stack) -> None:
    assert post_message(stack, HELLO, Origin="https://evil.example").status_code == 403
    assert post_message(stack, HELLO, Origin="null").status_code == 403
    assert post_message(stack, HELLO, Origin=stack.api_url).status_code == 200
    assert post_message(stack, HELLO, Host="evil.example").status_code in {400, 403}


def test_a_get_is_told_that_there_is_no_stream(stack: Stack) -> None:
    answer = httpx.get(stack.access["mcp_url"], headers={"Authorization": f"Bearer {stack.api_key}"}, timeout=20)

    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST, DELETE")


def test_a_key_acts_only_for_its_users(stack: Stack, new_key: Callable[..., str]) -> None:
    key = new_key("--user-ids", "vera", "--scopes", "read,write")

    refused = post_message(stack, HELLO, Authorization=f"Bearer {key}", X_User_Id="demo")
    assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert post_message(stack, HELLO, "?user=demo", Authorization=f"Bearer {key}").status_code == 403
    assert post_message(stack, HELLO, Authorization=f"Bearer {key}", X_User_Id="no spaces").status_code == 422

    async def live() -> None:
        fact = f"Vera is the owner of the boat Dolphin {uuid.uuid4().int % 10_000}"
        async with over_http(stack, "", key=key) as client:  # Nobody named: the one it may act for.
            await done(client, "add_to_memory_bank", content=fact, tags=["context"])
        async with over_http(stack, "", query="?user=vera") as client:
            found = await done(client, "search_memory", query=fact)
            assert found["results"][0]["content"] == fact
        async with over_http(stack, "demo") as client:
            found = await done(client, "search_memory", query=fact)
            assert fact not in [hit["content"] for hit in found["results"]]

    run_async(live)


def test_a_key_that_only_reads_is_told_so(stack: Stack, new_key: Callable[..., str]) -> None:
    key = new_key("--scopes", "read")

    async def live() -> None:
        async with over_http(stack, "demo", key=key) as client:
            assert (await done(client, "search_memory", query="ERR_4521"))["results"]
            result = await client.call_tool("archive_memory", {"match_query": "ERR_4521"})
            assert result.is_error
            assert "scope write" in words_of(result)

    run_async(live)


def test_a_session_is_its_keys_and_its_users_alone(stack: Stack, new_key: Callable[..., str]) -> None:
    opened = post_message(stack, HELLO, X_User_Id="demo")
    session = opened.headers["Mcp-Session-Id"]
    mine = {"Mcp_Session_Id": session, "X_User_Id": "demo"}

    assert post_message(stack, LIST, **mine).status_code == 200
    assert post_message(stack, LIST, **{**mine, "X_User_Id": "vera"}).status_code == 404
    assert post_message(stack, LIST, Authorization=f"Bearer {new_key()}", **mine).status_code == 404
    assert post_message(stack, LIST, Authorization="", **mine).status_code == 401


def test_the_rate_of_a_key_holds_here_too(stack: Stack, new_key: Callable[..., str]) -> None:
    key = new_key("--requests-per-second", "1")

    answers = (post_message(stack, HELLO, Authorization=f"Bearer {key}") for _ in range(100))
    late = next(answer for answer in answers if answer.status_code == 429)
    assert int(late.headers["Retry-After"]) >= 1


def test_a_body_that_is_too_large_is_refused(stack: Stack) -> None:
    answer = post_message(stack, {**HELLO, "padding": "x" * 3_000_000})

    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_health_names_the_process_and_it_comes_back_when_killed(stack: Stack) -> None:
    def health() -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {stack.api_key}"}
        answer: dict[str, Any] = httpx.get(f"{stack.api_url}/api/health", headers=headers, timeout=20).json()
        return answer

    assert eventually(lambda: health()["components"]["mcp"]["ok"])
    stack.find_child("mcp").kill()
    away = post_message(stack, HELLO)
    assert away.status_code in {200, 503}
    assert eventually(lambda: post_message(stack, HELLO).status_code == 200)


def test_stdio_asks_for_no_key_and_keeps_to_one_it_is_given(stack: Stack, new_key: Callable[..., str]) -> None:
    key = new_key("--scopes", "read", "--user-ids", "vera")

    async def live() -> None:
        async with over_stdio(stack, "vera", "--key", key) as client:
            result = await client.call_tool("add_to_memory_bank", {"content": "Vera sails", "tags": ["identity"]})
            assert result.is_error
            assert "scope write" in words_of(result)

    run_async(live)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--key", "cpl_nonsense"), "unknown, expired or revoked"),
        (("--user", "no spaces"), "1-128"),
    ],
)
def test_stdio_says_what_is_wrong_with_its_options(
    stack: Stack, django_db_blocker: DjangoDbBlocker, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    with (
        django_db_blocker.unblock(),
        connected_to(stack.data_dir),
        pytest.raises(CommandError, match=re.escape(said)) as refused,
    ):
        call_command("mcp", *options)
    assert refused.value.returncode == 1
    assert capsys.readouterr().out == ""


def test_what_is_wrong_with_its_options_is_told_beside_the_protocol(stack: Stack) -> None:
    """As whoever starts it sees it; 3 s of CPU, so of one option alone."""
    refused = manage("mcp", "--organization", "nowhere", data_dir=stack.data_dir)

    assert refused.returncode == 1
    assert "there is no nowhere; there are: demo" in refused.stderr
    assert refused.stdout == ""


def test_a_client_that_asks_nonsense_is_told_by_the_protocol(stack: Stack) -> None:
    answer = post_message(stack, {"jsonrpc": "2.0", "id": 1, "method": "tools/fly"}, Mcp_Session_Id="none")
    assert answer.status_code == 404

    async def ask() -> None:
        async with over_http(stack, "demo") as client:
            with pytest.raises(MCPError):
                await client.read_resource("memory://everything")

    run_async(ask)
    assert json.loads(post_message(stack, HELLO).content)["result"]["serverInfo"]["name"] == "commonplace"


def test_the_console_tries_the_tools_through_this_address(stack: Stack) -> None:
    with httpx.Client(base_url=stack.api_url, timeout=30, follow_redirects=True) as console:
        console.get("/console/login")
        named = {"username": stack.access["console_user"], "password": stack.access["console_password"]}
        token = {"csrfmiddlewaretoken": console.cookies["commonplace_csrf"]}
        console.post("/console/login", data={**named, **token})
        token = {"csrfmiddlewaretoken": console.cookies["commonplace_csrf"]}
        tried = console.post("/console/mcp", data={"organization": "demo", **token}).text

    assert "works" in tried
    assert "add_to_memory_bank" in tried.split("Listed:")[1].split("</p>")[0]
