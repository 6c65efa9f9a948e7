"""One client over standard input and output, on the machine that has the database."""

from collections.abc import Callable

import anyio
from mcp.server.stdio import stdio_server

from memory.mcp.server import build_server
from memory.web.callers import Caller


def serve_stdio(identify: Callable[[], Caller]) -> None:
    """Serve until the client closes its end. The caller is looked up for each call: a key may be revoked meanwhile."""

    async def run() -> None:
        server = build_server(lambda _: identify())
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
