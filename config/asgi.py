"""ASGI entry of the process that speaks MCP."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from memory.mcp.http import build_application as make_application  # noqa: E402 -- after the set-up it needs

application = make_application()
