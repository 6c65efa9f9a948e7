"""Erase a person: what the API and the console do, for whoever has a shell."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.facade import MemoryFacade
from memory.management.organizations import resolve_user, validate_external_id
from memory.models import EndUser


class Command(BaseCommand):
    help = (
        "Erase a person and all that is kept of them: out of every answer at once, then removed by the worker. There "
        "is no way back but a backup. Asks for the person's id to be typed once more; --yes does not."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("organization", metavar="ORGANISATION", help="its slug")
        parser.add_argument("person", metavar="PERSON", help="the id your client uses")
        parser.add_argument("--yes", action="store_true", help="ask nothing, for programs")

    def handle(self, *args: object, **options: Any) -> None:
        # The partition of a space is a row like a person's, and nobody's to erase.
        validate_external_id(options["person"])
        user = resolve_user(options["person"], options["organization"])
        memory = MemoryFacade(f"command:{getpass.getuser()}")
        stats = memory.get_stats(user)
        memories = sum(sum(counts.values()) for counts in stats.tiers.values())
        held = f"{memories:,} memories and {stats.exchanges:,} exchanges"
        if not options["yes"]:
            self.confirm(user, held)
        done = memory.request_erasure(user, now=timezone.now())
        self.stdout.write(
            f"Gone from every answer: {held}. The worker removes rows, vectors and caches (job {done.pk}); how many "
            "rows of each table that were is all that stays. Backups from before still hold them."
        )

    def confirm(self, user: EndUser, held: str) -> None:
        if not sys.stdin.isatty():
            raise CommandError("nobody can be asked here; --yes erases without asking. Nothing was changed.")
        self.stdout.write(f"{user.external_id} of {user.organization.slug} has {held}. There is no way back.")
        if input("Type the id of the person to erase them: ").strip() != user.external_id:
            raise CommandError("that is another id. Nothing was changed.")
