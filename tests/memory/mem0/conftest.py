"""mem0's own client, once over the application in this process and once over a running installation."""

import os
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from django.test import Client

from memory.access.keys import SCOPES, issue_key
from memory.models import EndUser
from tests.api_client import ISSUED

if TYPE_CHECKING:
    from mem0 import MemoryClient

HOST = "http://testserver"
NewClient = Callable[..., "MemoryClient"]


class DjangoTransport(httpx.BaseTransport):
    """Hands a request to the application, in the transaction of the test."""

    def __init__(self) -> None:
        self.http = Client(raise_request_exception=False)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        kept = {name: value for name, value in request.headers.items() if name not in {"host", "content-type"}}
        answer = self.http.generic(
            request.method,
            request.url.raw_path.decode(),
            request.read(),
            content_type=request.headers.get("content-type", ""),
            headers=kept,
        )
        return httpx.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)


@pytest.fixture(scope="session")
def mem0(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The package, which reads its settings as it is imported: nothing is reported, nothing written at home."""
    os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(tmp_path_factory.mktemp("mem0"))}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mem0
    return mem0


@pytest.fixture
def new_client(mem0: Any) -> NewClient:
    """A client for the organisation of a user, with a key as ``issue_key`` makes it."""

    def create(user: EndUser, scopes: tuple[str, ...] = SCOPES, **limits: Any) -> "MemoryClient":
        _, key = issue_key(user.organization, "mem0", scopes, now=ISSUED, **limits)
        http = httpx.Client(transport=DjangoTransport())
        return mem0.MemoryClient(api_key=key, host=HOST, client=http)

    return create


@pytest.fixture
def client(new_client: NewClient, user: EndUser) -> "MemoryClient":
    return new_client(user)
