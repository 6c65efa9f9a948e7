"""The protocol's official client against a running installation, over both transports."""

import contextlib
import io
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import httpx2
import pytest
from django.core.management import call_command
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from pytest_django.plugin import DjangoDbBlocker

from config.env import BASE_DIR
from memory.proving.installation import Stack, clean_environment
from tests.database_roles import connected_to

Connect = Callable[..., AbstractAsyncContextManager[Client]]
ORGANIZATION = "demo"
TRANSPORTS = ("http", "http of before", "stdio")


@contextlib.asynccontextmanager
async def over_http(
    stack: Stack, user: str, *, key: str = "", mode: str = "auto", query: str = ""
) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key or stack.api_key}", **({"X-User-Id": user} if user else {})}
    async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
        transport = streamable_http_client(f"{stack.access['mcp_url']}{query}", http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@contextlib.asynccontextmanager
async def over_stdio(stack: Stack, user: str, *options: str) -> AsyncIterator[Client]:
    options = options or ("--org", ORGANIZATION)
    program = StdioServerParameters(
        command=sys.executable,
        args=["manage.py", "mcp", "--user", user, *options],
        env=clean_environment(DATA_DIR=str(stack.data_dir)),
        cwd=BASE_DIR,
    )
    async with Client(program) as client:
        yield client


@pytest.fixture(params=TRANSPORTS)
def connect(request: pytest.FixtureRequest, stack: Stack) -> Connect:
    """Opens a client for a user. The older HTTP is that with a session, which most clients still speak."""

    def opened(user: str) -> AbstractAsyncContextManager[Client]:
        if request.param == "stdio":
            return over_stdio(stack, user)
        return over_http(stack, user, mode="legacy" if request.param == "http of before" else "auto")

    return opened


@pytest.fixture
def new_key(stack: Stack, django_db_blocker: DjangoDbBlocker) -> Callable[..., str]:
    """Makes keys of the installation as the command does, without a process for each."""

    def create(*options: str) -> str:
        made = io.StringIO()
        with django_db_blocker.unblock(), connected_to(stack.data_dir):
            named = ("--org", ORGANIZATION, "--name", "of a test")
            call_command("create_key", *named, *options, stdout=made, stderr=io.StringIO())
        return made.getvalue().strip()

    return create


def run_async(work: Callable[[], Awaitable[Any]]) -> Any:
    async def bounded() -> Any:
        with anyio.fail_after(90):
            return await work()

    return anyio.run(bounded)
