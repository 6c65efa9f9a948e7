"""One client over standard input and output, on the machine that has the database."""

import anyio
from mcp.server.stdio import stdio_server

from memory.mcp.callers import Caller
from memory.mcp.server import build_server


def serve_stdio(who: Caller) -> None:
    """Serve until the client closes its end."""

    async def run() -> None:
        server = build_server(lambda _: who)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
