"""Print the addresses, key and login of the running installation's demo."""

from argparse import Namespace
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.embedded import EmbeddedError
from config.runtime import installation


class Command(BaseCommand):
    help = "Print the demo's addresses, API key and login, one of them or all as JSON."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        installation.add_show_access_arguments(parser)

    def handle(self, *_args: object, **options: Any) -> None:
        try:
            installation.show_access(Namespace(**options))
        except EmbeddedError as error:
            raise CommandError(str(error)) from error
