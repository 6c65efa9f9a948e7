"""ASGI entry of the process that speaks MCP."""

import gc
import os

import django

# As in the web process: .4 of the 3.3 s of CPU of a start went into it.
COLLECTS = gc.isenabled()
gc.disable()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from memory.mcp.http import build_application as make_application  # noqa: E402 -- after the set-up it needs

application = make_application()
gc.freeze()
if COLLECTS:
    gc.enable()
