"""Stop a running ``up``."""

from argparse import Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from config.runtime import installation


class Command(BaseCommand):
    help = "Stop the running installation of this data directory and wait until it has stopped."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        installation.add_down_arguments(parser)

    def handle(self, *_args: object, **options: Any) -> None:
        code = installation.down(Namespace(**options))
        if code:
            raise SystemExit(code)
