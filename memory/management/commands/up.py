"""Start the whole product on this machine and keep it running."""

from argparse import Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.embedded import EmbeddedError
from config.runtime import installation


class Command(BaseCommand):
    help = "Start database, queue, embedder, web, worker and schedule; migrate; load the demo; run until Ctrl-C."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        installation.add_up_arguments(parser)

    def handle(self, *_args: object, **options: Any) -> None:
        try:
            code = installation.up(Namespace(**options))
        except EmbeddedError as error:
            raise CommandError(str(error)) from error
        if code:
            raise SystemExit(code)
