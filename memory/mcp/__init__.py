"""The tools over the Model Context Protocol: streamable HTTP in a process of its own, and stdio.

Owns who calls (`callers`, `http`) and nothing else: what a tool is and does is in `memory.tools`. `server` lists and
calls them, `forwarding` passes ``/mcp`` on from the web process, so there is one port to open. The protocol's library
is asynchronous and its event loop must never wait for a database: `threads` runs every call beside it, with the time
limit of any request. May import the tools, `memory.web` and what lies below them.
"""
