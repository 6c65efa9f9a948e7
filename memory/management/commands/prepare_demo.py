"""Make the demo: an organisation with a key, a console operator and one user with a life to remember."""

import json
import os
import shlex
import tempfile
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from config.embedded import installation_paths
from memory.access.users import find_user
from memory.facade import MemoryFacade
from memory.management import demo
from memory.management.progress import show_progress
from memory.models import EndUser, Organization

# Without a step forward for this long the worker or the embedder is in trouble; waiting on would not help.
PATIENCE_S = 15.0


class Command(BaseCommand):
    help = "Make or complete the demo organisation and write its addresses, key and login to DATA_DIR/access.json."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--url", default=settings.PUBLIC_URL, help="where the web process is reached")
        parser.add_argument("--no-wait", action="store_true", help="do not wait until the demo is indexed")
        parser.add_argument("--quiet", action="store_true", help="leave the introduction to DATA_DIR/welcome.txt")

    def handle(self, *_args: object, **options: Any) -> None:
        file = installation_paths(settings.DATA_DIR).access
        made = demo.prepare_demo(read_access(file))
        url = options["url"].rstrip("/")
        access = {"api_url": url, "console_url": f"{url}/console/", "mcp_url": f"{url}/mcp", **made}
        write_private(file, json.dumps(access, indent=2) + "\n")
        write_private(installation_paths(settings.DATA_DIR).welcome, render_introduction(access))
        user = find_user(Organization.objects.get(slug=demo.SLUG), demo.USER_ID)
        # The addresses are written before: whoever is impatient can sign in while the vectors come.
        if user is not None:
            if not options["no_wait"]:
                self._await_index(user)
            demo.ask_questions(user)
        if not options["quiet"]:
            self.stdout.write(render_introduction(access))

    def _await_index(self, user: EndUser) -> None:
        facade = MemoryFacade()
        pending = facade.count_indexing(user).pending
        if not pending:
            return
        least = pending
        with show_progress(self.stdout, "  demo memories indexed", pending) as advance:
            moved = time.monotonic()
            while pending and time.monotonic() - moved < PATIENCE_S:
                time.sleep(0.2)
                left = facade.count_indexing(user).pending
                if left != pending:
                    moved = time.monotonic()
                # Memories become due again as facts are read in them: what is left may grow, what is done not fall.
                advance(max(0, least - left))
                least, pending = min(least, left), left
        if pending:
            self.stdout.write(f"  demo       {pending} memories still wait for their vectors; words find them already")


def render_introduction(access: dict[str, str]) -> str:
    password = access["console_password"] or "(the password you chose)"
    table = (
        f"  Console  {access['console_url']}\n"
        f"  Login    {access['console_user']}  {password}\n"
        f"  API      {access['api_url']}/api/v1/docs\n"
        f"  MCP      {access['mcp_url']}\n"
        f"  API key  {access['api_key']}\n"
    )
    question = json.dumps({"query": demo.EXAMPLE_QUERY, "limit": 3}, ensure_ascii=False)
    curl = (
        f"  curl -s {access['api_url']}/api/v1/users/{demo.USER_ID}/search \\\n"
        f"    -H 'Authorization: Bearer {access['api_key']}' -H 'Content-Type: application/json' \\\n"
        f"    -d {shlex.quote(question)}\n"
    )
    return f"\n{table}\n  Ask it something:\n\n{curl}"


def read_access(file: Path) -> dict[str, str]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    # Missing or cut short by a full disk: a new key and a new password are made.
    except (OSError, ValueError):
        return {}
    return (
        {name: value for name, value in content.items() if isinstance(value, str)} if isinstance(content, dict) else {}
    )


def write_private(file: Path, text: str) -> None:
    """Replace the file as a whole."""
    # It holds a key and a password, so from its first moment it is its owner's alone.
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    with os.fdopen(handle, "w", encoding="utf-8") as draft:
        draft.write(text)
    Path(name).replace(file)
