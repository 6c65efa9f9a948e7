"""The protocol's own client finds its way in by itself, with a running installation and a person at the console."""

import contextlib
import json
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from memory.proving.installation import Stack
from tests.memory.mcp.conftest import over_http, run_async
from tests.memory.mcp.test_tools import done, words_of
from tests.memory.tools.test_tools import NAMES
from tests.patience import eventually

pytestmark = pytest.mark.slow

RETURN = "http://127.0.0.1:8799/callback"


@pytest.fixture(autouse=True)
def is_ready(stack: Stack) -> None:
    """The process that speaks MCP starts beside the web process, and nobody else waits for it."""
    assert eventually(lambda: post(stack, "unknown").status_code == 401)


@dataclass
class KeptTokens:
    """What a client keeps between its runs."""

    tokens: OAuthToken | None = None
    info: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.info = client_info


@dataclass
class OperatorAtTheConsole:
    """A browser that is sent to the page, signs in when asked to, and presses a button."""

    stack: Stack
    access: str = "read write"
    answer: dict[str, str] = field(default_factory=dict)
    visits: int = 0

    async def open(self, url: str) -> None:
        self.visits += 1
        with httpx.Client(base_url=self.stack.api_url, follow_redirects=True, timeout=20) as browser:
            page = browser.get(url)
            assert page.url.path == "/console/login"
            signed_in = {
                "username": self.stack.access["console_user"],
                "password": self.stack.access["console_password"],
            }
            page = self.send(browser, page, {**signed_in, "next": hidden(page.text, "next")}, "/console/login")
            assert page.url.path == "/authorize", page.text
            assert "127.0.0.1:8799" in page.text
            browser.follow_redirects = False
            said = {"person": "demo/demo", "access": self.access, "decision": "allow"}
            back = self.send(browser, page, said, str(page.url))
        assert back.status_code == 303, back.text
        assert back.headers["Location"].startswith(RETURN)
        self.answer = {name: value for name, [value] in parse_qs(urlsplit(back.headers["Location"]).query).items()}

    def send(self, browser: httpx.Client, page: httpx.Response, said: dict[str, str], path: str) -> httpx.Response:
        data = {**said, "csrfmiddlewaretoken": hidden(page.text, "csrfmiddlewaretoken")}
        return browser.post(urljoin(str(page.url), path), data=data, headers={"Referer": str(page.url)})

    async def come_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(code=self.answer["code"], state=self.answer["state"], iss=self.answer["iss"])


def hidden(page: str, name: str) -> str:
    return unescape(page.split(f'name="{name}" value="')[1].split('"')[0])


def set_out(stack: Stack, kept: KeptTokens, operator: OperatorAtTheConsole) -> OAuthClientProvider:
    return OAuthClientProvider(
        server_url=stack.access["mcp_url"],
        client_metadata=OAuthClientMetadata(client_name="Assistant", redirect_uris=[AnyUrl(RETURN)]),
        storage=kept,
        redirect_handler=operator.open,
        callback_handler=operator.come_back,
    )


@contextlib.asynccontextmanager
async def over_oauth(stack: Stack, auth: OAuthClientProvider) -> AsyncIterator[Client]:
    async with httpx2.AsyncClient(auth=auth, timeout=30) as http:
        transport = streamable_http_client(stack.access["mcp_url"], http_client=http)
        async with Client(transport) as client:
            yield client


def test_a_client_without_a_key_is_let_in_by_consent(stack: Stack) -> None:
    kept, operator = KeptTokens(), OperatorAtTheConsole(stack)
    auth = set_out(stack, kept, operator)

    async def live() -> None:
        async with over_oauth(stack, auth) as client:
            assert (await done(client, "search_memory", query="ERR_4521"))["results"]
            await cite_a_memory(client, stack)
            first = kept.tokens
            # As after an hour: renewed without a person, in the session that is open.
            auth.context.token_expiry_time = 1.0
            assert (await done(client, "search_memory", query="ERR_4521"))["results"]
        assert first is not None
        assert kept.tokens is not None
        assert kept.tokens.refresh_token not in {None, first.refresh_token}
        assert operator.visits == 1
        # The old one in somebody else's hands: both holders are out, and the client has to ask again.
        copied, again = KeptTokens(first, kept.info), OperatorAtTheConsole(stack, access="read")
        thief = set_out(stack, copied, again)
        await thief._initialize()
        thief.context.token_expiry_time = 1.0
        async with over_oauth(stack, thief) as client:
            refused = await client.call_tool("archive_memory", {"match_query": "ERR_4521"})
            assert refused.is_error
            assert "scope write" in words_of(refused)
        assert again.visits == 1
        assert post(stack, kept.tokens.access_token).status_code == 401
        assert copied.tokens is not None
        assert post(stack, copied.tokens.access_token, X_User_Id="ben").status_code == 403

    run_async(live)


async def cite_a_memory(client: Client, stack: Stack) -> None:
    """As ChatGPT's connectors do: results, then one of them, each the same as data and as the one text."""
    assert [tool.name for tool in (await client.list_tools()).tools] == [*NAMES, "search", "fetch"]
    found = await done(client, "search", query="ERR_4521")
    first = found["results"][0]
    assert set(first) == {"id", "title", "url"}
    assert first["url"] == f"{stack.api_url}/console/demo/demo/memories/{first['id']}"
    result = await client.call_tool("fetch", {"id": first["id"]})
    read = result.structured_content
    assert read is not None
    assert json.loads(words_of(result)) == read
    assert set(read) == {"id", "title", "text", "url", "metadata"}
    assert "ERR_4521" in read["text"]
    nothing = {"id": str(uuid.uuid4())}
    for name, wrong in (("fetch", {"id": "7"}), ("fetch", nothing), ("search", {}), ("search", {"q": "x"})):
        assert (await client.call_tool(name, wrong)).is_error


def test_a_key_lists_the_seven_unless_its_address_says_all(stack: Stack) -> None:
    async def look() -> None:
        for query, names in (("", NAMES), ("?tools=all", [*NAMES, "search", "fetch"])):
            async with over_http(stack, "nobody-yet", query=query) as client:
                assert [tool.name for tool in (await client.list_tools()).tools] == names
                assert (await done(client, "search", query="ERR_4521"))["results"] == []

    run_async(look)


def post(stack: Stack, token: str, **headers: str) -> httpx.Response:
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accepted = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {token}"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(stack.access["mcp_url"], json=body, headers=accepted | named, timeout=20)
