"""Run the nightly consolidation of facts now, or say what it would do."""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone
from rich.table import Table

from memory.facade import MemoryFacade
from memory.lifecycle.consolidation import FactChange
from memory.management.excerpts import open_table_console, read_fact_excerpts
from memory.management.moments import parse_moment
from memory.management.organizations import add_users_argument, resolve_users
from memory.management.progress import show_progress
from memory.models import EndUser

ACTOR = "command:consolidate"
# A first run over an old store merges thousands; the counts below the table are complete.
SHOWN = 50


class Command(BaseCommand):
    help = (
        "Merge facts that say the same, count the evidence of episodes, end what contradicts and let fade what nobody "
        "mentions any more, for one user, one organisation or everybody. --dry-run only says what would happen."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_users_argument(parser)
        parser.add_argument("--dry-run", action="store_true", help="change nothing, print what would be done")
        parser.add_argument("--at", type=parse_moment, metavar="TIME", help="as if it were this ISO 8601 time")

    def handle(self, *args: object, **options: Any) -> None:
        users = resolve_users(options["user"], options["org"])
        memory, now, dry_run = MemoryFacade(ACTOR), options["at"] or timezone.now(), options["dry_run"]
        table, counts, missing, busy = self.build_table(), Counter[str](), set[str](), 0
        with show_progress(self.stdout, "users", len(users)) as advance:
            for user in users:
                done = memory.consolidate(user, now=now, dry_run=dry_run)
                counts, missing, busy = counts + done.counts, missing | set(done.missing), busy + done.is_busy
                self.add_changes(table, user, done.changes[: SHOWN - table.row_count])
                advance(1)
        console = open_table_console(self.stdout)
        if table.row_count:
            console.print(table)
        told = ", ".join(f"{number:,} {effect}" for effect, number in sorted(counts.items())) or "nothing"
        console.print(f"{'would do' if dry_run else 'done'}: {told}; {len(users):,} users")
        if missing:
            console.print(f"left for the next run, as these were away: {', '.join(sorted(missing))}")
        if busy:
            console.print(f"{busy:,} users are being consolidated by another process")

    def build_table(self) -> Table:
        table = Table()
        for name in ("user", "fact", "it says", "what", "other fact", "that says"):
            table.add_column(name, no_wrap=not name.endswith("says"))
        return table

    def add_changes(self, table: Table, user: EndUser, changes: Sequence[FactChange]) -> None:
        said = read_fact_excerpts(user, [pk for one in changes for pk in (one.fact_id, one.other_id) if pk])
        for one in changes:
            other = (str(one.other_id), said.get(one.other_id, "")) if one.other_id else ("", "")
            table.add_row(user.external_id, str(one.fact_id), said.get(one.fact_id, ""), one.effect, *other)
