"""Start the whole product on this machine and keep it running."""

from io import StringIO
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from config.embedded import EmbeddedError, paths
from config.runtime.installation import Choices, Installation
from config.runtime.programs import WebAddress


class Command(BaseCommand):
    help = "Start database, queue, embedder, web, worker and schedule; migrate; load the demo; run until Ctrl-C."
    # The checks want a database; the migrations, which run first thing, check themselves.
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address the web process listens on")
        parser.add_argument("--port", type=int, default=8000, help="port the web process listens on")
        parser.add_argument("--data-dir", help="where all data is kept (default: DATA_DIR or .data)")
        parser.add_argument("--no-demo", action="store_true", help="make no demo organisation and load no conversation")

    def handle(self, *_args: object, **options: Any) -> None:
        if not 0 < options["port"] < 65536:
            raise CommandError(f"a port is a number between 1 and 65535, not {options['port']}")
        choices = Choices(WebAddress(options["host"], options["port"]), demo=not options["no_demo"])
        try:
            code = Installation(paths(settings.DATA_DIR), choices, self._say).run()
        except EmbeddedError as error:
            raise CommandError(str(error)) from error
        if code:
            raise SystemExit(code)

    def _say(self, text: str) -> None:
        try:
            self.stdout.write(text)
            self.stdout.flush()
        except OSError:
            # The terminal is gone or its disk is full; what runs must go on, and above all be stopped in order.
            self.stdout = OutputWrapper(StringIO())
