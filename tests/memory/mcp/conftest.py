"""The protocol's official client against a running installation, over both transports."""

import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from config.env import BASE_DIR
from tests.installation import Stack, clean_environment, manage

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
def new_key(stack: Stack) -> Callable[..., str]:
    def create(*options: str) -> str:
        made = manage("create_key", "--org", ORGANIZATION, "--name", "of a test", *options, data_dir=stack.data_dir)
        assert made.returncode == 0, made.stderr
        return made.stdout.strip()

    return create


def run_async(work: Callable[[], Awaitable[Any]]) -> Any:
    async def bounded() -> Any:
        with anyio.fail_after(90):
            return await work()

    return anyio.run(bounded)
