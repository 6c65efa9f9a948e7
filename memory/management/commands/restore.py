"""An archive of a whole installation into an empty one."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import psycopg
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.management.database_addresses import find_address
from memory.portability.installation_backup import BackupRefused, check_backup, require_empty, restore_backup


class Command(BaseCommand):
    help = (
        "Restore what backup wrote, into an installation that was migrated and never used. The archive is checked "
        "first; everything is restored or nothing. The worker then embeds the memories."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="check the archive and say what would happen")

    def handle(self, *args: object, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = check_backup(path)
            told = f"{manifest.rows:,} rows of {len(manifest.tables)} tables, of {manifest.made_at}"
            target = find_address("owner")
            with psycopg.connect(target) as server:
                require_empty(server, manifest)
            if options["dry_run"]:
                self.stdout.write(f"would restore {told}; nothing was written")
                return
            restore_backup(target, path, manifest, now=timezone.now(), say=self.stdout.write)
        except (BackupRefused, psycopg.Error, OSError) as fault:
            raise CommandError(f"{fault}\nNothing was restored.") from None
        self.stdout.write(
            self.style.SUCCESS(f"restored {told}; memories are found by words now, by meaning once embedded")
        )
