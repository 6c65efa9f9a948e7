"""Passwords, keys and codes out of what is stored already."""

from argparse import ArgumentParser
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from memory.management.organizations import add_users_argument, resolve_users
from memory.management.stored_secrets import redact_stored_secrets


class Command(BaseCommand):
    help = (
        "Replace passwords, keys and codes in everything that is stored by a mark such as [redacted: wifi password]: "
        "memories, versions, events, exchanges, facts, records, own data and graphs. What changes is indexed again. "
        "What is written from now on needs no such run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_users_argument(parser)
        parser.add_argument("--dry-run", action="store_true", help="change nothing, count what would be changed")

    def handle(self, *args: object, **options: Any) -> None:
        users, total = resolve_users(options["user"], options["org"]), Counter[str]()
        for user in users:
            found = redact_stored_secrets(user, now=timezone.now(), dry_run=options["dry_run"])
            changed = {table: count for table, count in sorted(found.rows.items()) if count}
            total.update(changed)
            if changed:
                # Kinds and counts alone: what was found must not stand on a screen either.
                told = ", ".join(f"{table} {count:,}" for table, count in changed.items())
                name = f"{user.organization.slug}/{user.external_id}"
                self.stdout.write(f"{name}: {told} ({', '.join(found.kinds)})")
        ending = "; nothing was written" if options["dry_run"] else ""
        self.stdout.write(self.style.SUCCESS(f"{len(users):,} people, {sum(total.values()):,} rows{ending}"))
