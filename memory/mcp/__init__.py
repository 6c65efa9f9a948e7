"""The tools over the Model Context Protocol: streamable HTTP in a process of its own, and stdio.

Owns authentication of the caller and nothing else: the tools are in ``memory.tools``. The event loop never waits for a
database: every call runs in a thread, with the time limit of any request. The web process forwards ``/mcp`` to the
process that serves it, so there is one port. A door: may import everything below the doors.
"""
