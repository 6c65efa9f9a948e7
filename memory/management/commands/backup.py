"""The whole installation as one archive."""

import os
from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from psycopg import Error

from memory.conf import memory_conf
from memory.management.database_addresses import find_address
from memory.portability.installation_backup import BackupRefused, write_backup

DEFAULT = "commonplace-DATE.zip in BACKUP_DIR (backups in the data directory) when left out"


class Command(BaseCommand):
    help = (
        "Write everything of this installation into one archive, while it runs: people, memories, facts, keys "
        "(as digests), operators. Vectors are left out and embedded anew after a restore."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, nargs="?", metavar="FILE", help=DEFAULT)

    def handle(self, *args: object, **options: Any) -> None:
        now = timezone.now()
        path = (options["file"] or choose_file(now)).resolve()
        # Under another name until it is complete, and for nobody else to read.
        partial = path.with_name(f"{path.name}.partial")
        try:
            if options["file"] is None:
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600))
            manifest = write_backup(find_address("backup"), partial, now=now, say=self.tell)
            partial.replace(path)
        except (BackupRefused, Error, OSError) as fault:
            partial.unlink(missing_ok=True)
            raise CommandError(f"{fault}\nNo backup was made.") from None
        size = path.stat().st_size / 1e6
        self.stdout.write(
            self.style.SUCCESS(f"{path}: {manifest.rows:,} rows of {len(manifest.tables)} tables, {size:.1f} MB")
        )

    def tell(self, line: str) -> None:
        self.stdout.write(line)


def choose_file(now: datetime) -> Path:
    """Where the console's backups are: in whatever directory somebody stood, it was for others to find."""
    return Path(memory_conf().installation["backups"]) / f"commonplace-{now:%Y-%m-%d-%H%M%S}.zip"
