"""A client that speaks OAuth by hand, so that it can also say what no library would."""

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.test import Client
from pytest_django import Settings

from memory.access.keys import Principal
from memory.mcp.http import authenticate_caller
from memory.models import EndUser
from memory.web.problems import Problem
from tests.memory.console.conftest import Console, console_for, owner_of

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

RETURN = "https://assistant.example/callback"
BASE = "http://testserver"


def challenge_of(verifier: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")


@dataclass
class HandMadeClient:
    """Registered as ``info`` tells. Each request can be bent by naming other parameters, ``None`` to leave one out."""

    info: dict[str, Any]
    http: Client = field(default_factory=Client)
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(48))

    def address(self, **bent: str | None) -> str:
        asked = {
            "response_type": "code",
            "client_id": self.info["client_id"],
            "redirect_uri": RETURN,
            "code_challenge": challenge_of(self.verifier),
            "code_challenge_method": "S256",
            "state": "s t&a=te",
            "resource": f"{BASE}/mcp",
            **bent,
        }
        return "/authorize?" + urlencode({name: value for name, value in asked.items() if value is not None})

    def consent(self, console: Client, person: str = "acme/ann", **bent: str) -> dict[str, str]:
        """What comes back to the client when an operator allows it."""
        answers = {"person": person, "access": "read write", "decision": "allow"}
        given = {name: bent.pop(name) for name in ("access", "project_id", "decision") if name in bent}
        answer = console.post(self.address(**bent), answers | given)
        assert answer.status_code == 303, answer.content.decode()
        return returned(answer)

    def ask_token(self, **bent: str | None) -> "Response":
        asked = {
            "grant_type": "authorization_code",
            "client_id": self.info["client_id"],
            "redirect_uri": RETURN,
            "code_verifier": self.verifier,
            **bent,
        }
        return self.http.post("/token", {name: value for name, value in asked.items() if value is not None})

    def refresh(self, token: str, **bent: str | None) -> "Response":
        return self.ask_token(
            grant_type="refresh_token", refresh_token=token, code_verifier=None, redirect_uri=None, **bent
        )

    def connect(self, console: Client, **bent: str) -> dict[str, Any]:
        answer = self.ask_token(code=self.consent(console, **bent)["code"])
        assert answer.status_code == 200, answer.content
        tokens: dict[str, Any] = answer.json()
        return tokens


def returned(answer: "Response") -> dict[str, str]:
    target = urlsplit(answer.headers["Location"])
    assert f"{target.scheme}://{target.netloc}{target.path}" == RETURN
    return {name: value for name, [value] in parse_qs(target.query).items()}


def register(**bent: Any) -> "Response":
    said = {
        "client_name": "Assistant",
        "redirect_uris": [RETURN],
        "token_endpoint_auth_method": "none",
        **bent,
    }
    body = json.dumps({name: value for name, value in said.items() if value is not None})
    return Client().post("/register", body, content_type="application/json")


def make_client(**bent: Any) -> HandMadeClient:
    answer = register(**bent)
    assert answer.status_code == 201, answer.content
    return HandMadeClient(answer.json())


def knock(token: str, host: str = "testserver") -> Principal | str:
    """Who a token is at MCP's own process, or the word for why it is nobody."""
    headers = [(b"host", host.encode()), (b"authorization", f"Bearer {token}".encode())]
    scope = {"type": "http", "method": "POST", "path": "/mcp", "query_string": b"", "headers": headers}
    try:
        return authenticate_caller(scope).principal
    except Problem as problem:
        return problem.code


@pytest.fixture(autouse=True)
def has_mcp(settings: Settings) -> None:
    settings.MEMORY = {**settings.MEMORY, "MCP": {"url": "http://127.0.0.1:9"}}


@pytest.fixture
def console(user: EndUser) -> Console:
    return console_for(owner_of(user.organization, "olga"))


@pytest.fixture
def client(db: None) -> HandMadeClient:
    return make_client()
