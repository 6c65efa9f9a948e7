"""The tools over the Model Context Protocol: streamable HTTP in a process of its own, and stdio.

Owns who is calling, and nothing else: what tools there are and what they do is in ``memory.tools``. The protocol's loop
never waits for a database: every call runs in a thread, within the time any request has. The web process passes
``/mcp`` on to the process that serves it, so there is one port. A door: may import everything below the doors.
"""
