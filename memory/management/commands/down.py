"""Stop a running ``up``."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.embedded import paths
from config.runtime.installation import stop_running
from config.runtime.keeping import current_holder


class Command(BaseCommand):
    help = "Stop the running installation of this data directory and wait until it has stopped."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="stop nothing; fail if something runs")

    def handle(self, *_args: object, **options: Any) -> None:
        place = paths(settings.DATA_DIR)
        if options["check"]:
            holder = current_holder(place)
            if holder is not None:
                raise CommandError(f"process {holder.pid} uses {place.data}; stop it first (make down)")
            return
        code = stop_running(place, self.stdout.write)
        if code:
            raise SystemExit(code)
