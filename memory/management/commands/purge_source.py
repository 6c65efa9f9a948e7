"""Remove a source with everything that came of it."""

import uuid
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.facade import MemoryFacade
from memory.lifecycle.purging import PurgeFilter
from memory.management.organizations import add_user_argument, resolve_user
from memory.store.admission import WriteRefused

ACTOR = "command:purge_source"


def parse_id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not the id of a memory") from None


class Command(BaseCommand):
    help = (
        "Remove the memories of a source and all that was derived from them, in any number of steps. Memories that "
        "others worded too get their last clean wording back. All that is given must hold."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_user_argument(parser)
        parser.add_argument("--source", default="", help="a kind (tool, document, ...) or the name a client gave")
        parser.add_argument("--principal", default="", help='who wrote it, as in "key:mobile"')
        parser.add_argument("--thread", default="")
        parser.add_argument("--memory", type=parse_id, help="this memory and everything derived from it")
        parser.add_argument("--dry-run", action="store_true", help="only count")

    def handle(self, *args: object, **options: Any) -> None:
        user = resolve_user(options["user"], options["org"])
        purge_filter = PurgeFilter(options["source"], options["principal"], options["thread"], options["memory"])
        try:
            done, exchanges = MemoryFacade(ACTOR).purge(
                user, purge_filter, now=timezone.now(), dry_run=options["dry_run"]
            )
        except WriteRefused as error:
            raise CommandError(error.rule) from error
        verb = "would be" if options["dry_run"] else "were"
        self.stdout.write(f"{done.matched:,} memories contain text of it, {done.derived:,} were derived from those")
        self.stdout.write(
            f"{done.removed:,} {verb} removed, {done.reverted:,} given an earlier wording, "
            f"{done.versions:,} wordings taken off others, {exchanges:,} exchanges forgotten, "
            f"{done.shared:,} copies taken out of spaces"
        )
