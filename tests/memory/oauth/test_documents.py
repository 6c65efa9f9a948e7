"""Clients known by a document they publish, and programs on the operator's machine that take any free port."""

import json
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from django.test import Client
from pytest_django import Settings

from memory.models import OAuthClient
from memory.oauth import documents
from tests.memory.console.conftest import Console
from tests.memory.oauth.conftest import RETURN, HandMadeClient, knock, make_client
from tests.memory.webhooks.conftest import set_up_webhooks

pytestmark = pytest.mark.usefixtures("services")

ADDRESS = "https://assistant.example/oauth/client.json"
Publish = Callable[..., HandMadeClient]


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch) -> Publish:
    """A client with this document at its address; the one thing that is not real here is the web."""

    def publish(at: str = ADDRESS, status: int = 200, content: bytes | None = None, **bent: Any) -> HandMadeClient:
        said = {"client_id": at, "client_name": "Assistant", "redirect_uris": [RETURN], **bent}
        body = json.dumps({name: value for name, value in said.items() if value is not None}).encode()

        def answer(request: httpx.Request) -> httpx.Response:
            assert str(request.url) == at
            return httpx.Response(status, stream=httpx.ByteStream(body if content is None else content))

        fake = httpx.Client(transport=httpx.MockTransport(answer))
        monkeypatch.setattr(documents, "open_document_client", lambda: fake)
        return HandMadeClient({"client_id": at})

    return publish


def test_a_client_is_known_by_its_document(publish: Publish, console: Console) -> None:
    assert Client().get("/.well-known/oauth-authorization-server").json()["client_id_metadata_document_supported"]
    client = publish(client_name="As\x07sistant", logo_uri="https://assistant.example/x.png")
    page = console.get(client.address()).content.decode()
    assert "assistant.example" in page
    assert "publishes" in page
    tokens = client.connect(console)
    assert not isinstance(knock(tokens["access_token"]), str)
    assert client.refresh(tokens["refresh_token"]).status_code == 200
    row = OAuthClient.objects.get()
    assert (row.client_id, row.name, row.auth_method) == (ADDRESS, "As sistant", "none")
    # What it publishes next is what holds from the next consent on.
    moved = publish(redirect_uris=["https://assistant.example/elsewhere"])
    assert console.get(moved.address()).status_code == 400
    assert console.get(moved.address(redirect_uri="https://assistant.example/elsewhere")).status_code == 200
    assert OAuthClient.objects.get().redirect_uris == ["https://assistant.example/elsewhere"]


@pytest.mark.parametrize(
    ("published", "reason"),
    [
        ({"client_id": "https://assistant.example/other.json"}, "another client_id"),
        ({"redirect_uris": ["http://assistant.example/callback"]}, "must be https"),
        ({"token_endpoint_auth_method": "private_key_jwt"}, "must be none"),
        ({"client_secret": "x"}, "must be none"),
        ({"status": 302}, "answered with 302"),
        ({"status": 404}, "answered with 404"),
        ({"content": b"x" * 20_000}, "larger than"),
        ({"content": b"[" * 9_000}, "no JSON object"),
        ({"content": b"[]"}, "no JSON object"),
    ],
)
def test_a_document_that_will_not_do_is_told_and_not_kept(
    published: dict[str, Any], reason: str, publish: Publish, console: Console
) -> None:
    client = publish(**published)
    client.info["client_id"] = ADDRESS
    page = console.get(client.address())
    assert (page.status_code, reason in page.content.decode()) == (400, True), page.content.decode()
    assert not OAuthClient.objects.exists()


@pytest.mark.parametrize(
    "address",
    [
        "https://assistant.example",
        "https://assistant.example/",
        "https://assistant.example/a/../b.json",
        "https://user@assistant.example/a.json",
        "https://assistant.example/a.json#b",
        "https://10.0.0.1/a.json",
        "https://[::1]/a.json",
        "https://localhost/a.json",
        "https://assistant.example:99999/a.json",
        f"https://assistant.example/{'a' * 600}",
    ],
)
def test_an_address_that_is_none_of_a_document_is_not_asked(address: str, console: Console) -> None:
    page = console.get(HandMadeClient({"client_id": address}).address())
    assert (page.status_code, "invalid_client" in page.content.decode()) == (400, True)
    assert not OAuthClient.objects.exists()


def test_a_document_inside_is_never_read_and_a_stranger_has_nothing_fetched(
    publish: Publish, console: Console, monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    asked: list[str] = []

    def lead_inside(host: str, port: int, **kwargs: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    # Receivers of webhooks may be inside where the settings say so; a client's document may not.
    set_up_webhooks(settings, allows_private=True)
    client = HandMadeClient({"client_id": ADDRESS})
    monkeypatch.setattr(socket, "getaddrinfo", lead_inside)
    page = Client().get(client.address())
    assert (page.status_code, asked) == (302, [])
    refused = console.get(client.address())
    assert (refused.status_code, "cannot be fetched" in refused.content.decode()) == (400, True)
    assert asked == ["assistant.example"]
    assert client.ask_token(code="cpc_" + "x" * 43).status_code in {400, 401}
    assert asked == ["assistant.example"]
    settings.MEMORY = {**settings.MEMORY, "FLAGS": {**settings.MEMORY["FLAGS"], "oauth_documents": False}}
    assert console.get(publish().address()).status_code == 400
    told = Client().get("/.well-known/oauth-authorization-server").json()
    assert told["client_id_metadata_document_supported"] is False


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "localhost"])
def test_a_program_on_this_machine_may_return_to_any_port(host: str, console: Console) -> None:
    client = make_client(redirect_uris=[f"http://{host}:8799/callback?app=1", RETURN])
    back = f"http://{host}:49152/callback?app=1"
    answers = {"person": "acme/ann", "access": "read write", "decision": "allow"}
    answer = console.post(client.address(redirect_uri=back), answers)
    assert (answer.status_code, answer.headers["Location"].startswith(f"{back}&")) == (303, True)
    code = dict(part.split("=") for part in urlsplit(answer.headers["Location"]).query.split("&"))["code"]
    # The one it was given to, whatever else is registered.
    assert client.ask_token(code=code, redirect_uri=f"http://{host}:8799/callback?app=1").status_code == 400
    for other in (
        f"http://{host}:49152/elsewhere",
        f"http://{host}:49152/callback",
        f"https://{host}:49152/callback?app=1",
        f"http://{host}.example:49152/callback?app=1",
        f"http://{host}@assistant.example:8799/callback?app=1",
        f"http://u@{host}:49152/callback?app=1",
        f"http://{host}:49152/callback?app=1#x",
        f"http://{host}:99999/callback?app=1",
        "http://127.0.0.2:49152/callback?app=1",
        RETURN.replace("example/", "example:444/"),
    ):
        assert console.get(client.address(redirect_uri=other)).status_code == 400, other
    answer = console.post(client.address(redirect_uri=back), answers)
    code = dict(part.split("=") for part in urlsplit(answer.headers["Location"]).query.split("&"))["code"]
    assert client.ask_token(code=code, redirect_uri=back).status_code == 200
