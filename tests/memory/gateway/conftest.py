"""OpenAI's own client against the application, with a scripted language model behind it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx2
import pytest
from django.core.wsgi import get_wsgi_application
from django.db.backends.base.base import BaseDatabaseWrapper
from openai import OpenAI
from pytest_django import Settings

from memory.gateway import serving, upstream
from memory.models import EndUser
from tests.api_client import client_for
from tests.doubles.chat_server import MODEL, ChatServer, Whole, completion

OpenClient = Callable[..., OpenAI]


@pytest.fixture(scope="session")
def chat_server() -> Iterator[ChatServer]:
    with ChatServer() as server:
        yield server


@pytest.fixture
def model(chat_server: ChatServer, settings: Settings) -> Iterator[ChatServer]:
    """The language model behind the gateway."""
    configure(settings, url=chat_server.url, api_key="sk-of-the-upstream", model=MODEL)
    chat_server.answers(Whole(completion("Noted.")))
    yield chat_server
    forget()


def configure(settings: Settings, **chat: Any) -> None:
    settings.MEMORY = {**settings.MEMORY, "CHAT": {**settings.MEMORY.get("CHAT", {}), **chat}}
    forget()


def forget() -> None:
    upstream.forget_upstream()
    serving.stream_places.forget()
    serving.models_without_tools.forget()


@pytest.fixture
def keep_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A request would close the connection that the test's transaction is on."""
    monkeypatch.setattr(BaseDatabaseWrapper, "close_if_unusable_or_obsolete", lambda self: None)


@pytest.fixture
def openai_for(services: None, keep_connection: None) -> Iterator[OpenClient]:
    """A client with a key for a person; further words are headers that it sends with each call."""
    with ExitStack() as stack:

        def connect(user: EndUser, *, key: str = "", headers: dict[str, str] | None = None, **limits: Any) -> OpenAI:
            transport = httpx2.WSGITransport(get_wsgi_application(), raise_app_exceptions=False)
            http = stack.enter_context(httpx2.Client(transport=transport))
            return OpenAI(
                api_key=key or client_for(user, **limits).key,
                base_url="http://testserver/v1",
                http_client=http,
                max_retries=0,
                default_headers={"X-User-Id": user.external_id, **(headers or {})},
            )

        yield connect


@pytest.fixture
def client(user: EndUser, model: ChatServer, openai_for: OpenClient) -> OpenAI:
    """Ann's."""
    return openai_for(user)
