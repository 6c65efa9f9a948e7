"""All of a person as one file."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.access.users import find_user
from memory.facade import MemoryFacade
from memory.management.organizations import add_organization_argument, resolve_organization
from memory.management.progress import show_progress

ACTOR = "command:export_user"


class Command(BaseCommand):
    help = (
        "Write all that is kept of a person as JSON Lines: memories of all states with their versions and events, "
        "exchanges, outcomes, facts, graphs, records, own data, tombstones. import_user reads it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", metavar="USER", help="the person, by the id your client uses")
        add_organization_argument(parser)
        parser.add_argument("--out", type=Path, metavar="FILE", help="USER.jsonl when left out")

    def handle(self, *args: object, **options: Any) -> None:
        organization = resolve_organization(options["org"])
        user = find_user(organization, options["user"])
        if user is None:
            raise CommandError(f"Nothing is remembered of {options['user']} in {organization.slug}.")
        path = options["out"] or Path(f"{user.external_id}.jsonl")
        # Under another name until it is complete, and for nobody else to read.
        partial = path.with_name(f"{path.name}.partial")
        try:
            with (
                os.fdopen(os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as out,
                show_progress(self.stdout, "exported lines") as advance,
            ):
                taken = MemoryFacade(ACTOR).export_person(user, out, now=timezone.now(), on_lines=advance)
            partial.replace(path)
        except OSError as fault:
            raise CommandError(f"{path} cannot be written: {fault.strerror}") from None
        told = ", ".join(f"{count:,} {name}" for name, count in sorted(taken.counts.items()))
        self.stdout.write(self.style.SUCCESS(f"{path}: {taken.lines:,} lines") + (f" ({told})" if told else ""))
