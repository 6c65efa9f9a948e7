"""Descriptions of data sets, and synonyms, into one user's patterns."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.access.users import get_or_create_user
from memory.management.organizations import add_user_argument, resolve_organization, validate_external_id
from memory.transfer.catalogue import BrokenCatalogue, import_catalogue, read_catalogue


class Command(BaseCommand):
    help = (
        "Import a JSON file of data sets (tables, columns, descriptions) and synonyms as patterns. The whole file is "
        "checked first; the same file twice adds nothing, a table described anew is revised."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        add_user_argument(parser)
        parser.add_argument("--dry-run", action="store_true", help="check the file and say what it holds")

    def handle(self, *args: object, **options: Any) -> None:
        organization = resolve_organization(options["org"])
        validate_external_id(options["user"])
        try:
            found = read_catalogue(options["file"])
        except BrokenCatalogue as fault:
            name = options["file"].name
            raise CommandError(f"{name}: {fault}\nNothing was imported from {name}.") from None
        if options["dry_run"]:
            self.stdout.write(f"{len(found):,} descriptions; nothing was written")
            return
        done = import_catalogue(get_or_create_user(organization, options["user"]), found, now=timezone.now())
        self.stdout.write(
            self.style.SUCCESS(
                f"added {done.added:,} to patterns of {options['user']}, revised {done.revised:,}, "
                f"{done.unchanged:,} already there"
            )
        )
