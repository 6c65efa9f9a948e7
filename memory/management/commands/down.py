"""Stop a running ``up``."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from config.embedded import paths
from config.runtime.installation import stop_running


class Command(BaseCommand):
    help = "Stop the running installation of this data directory and wait until it has stopped."
    requires_system_checks = []

    def handle(self, *_args: object, **_options: Any) -> None:
        code = stop_running(paths(settings.DATA_DIR), self.stdout.write)
        if code:
            raise SystemExit(code)
