"""Run a promotion pass now or as of another time, or say what one would do."""

from argparse import ArgumentParser
from collections.abc import Iterator
from itertools import islice
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand
from django.utils import timezone
from rich.table import Table

from memory.facade import MemoryFacade
from memory.lifecycle.promotion import PromotionResult
from memory.management.excerpts import open_table_console, read_memory_excerpts
from memory.management.moments import parse_moment
from memory.management.organizations import add_users_argument, resolve_users
from memory.management.progress import show_progress
from memory.models import EndUser

ACTOR = "command:promote"
# A first pass over an old store moves thousands; the counts below the table are complete.
SHOWN = 50


class Command(BaseCommand):
    help = (
        "Move up what proved itself, make dormant what is past its time and archive what is useless, for one user, one "
        "organisation or everybody. --dry-run only says what would happen and why; --at does what the clock will have "
        "done by then."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_users_argument(parser)
        parser.add_argument("--dry-run", action="store_true", help="change nothing, print what would move and why")
        parser.add_argument("--at", type=parse_moment, metavar="TIME", help="as if it were this ISO 8601 time")

    def handle(self, *args: object, **options: Any) -> None:
        users = resolve_users(options["user"], options["org"])
        memory, now, dry_run = MemoryFacade(ACTOR), options["at"] or timezone.now(), options["dry_run"]
        table = self.build_table()
        moved = rested = let_go = deleted = unchanged = 0
        with show_progress(self.stdout, "users", len(users)) as advance:
            for user in users:
                done = memory.promote(user, now=now, dry_run=dry_run)
                self.add_lines(table, user, done)
                moved, let_go, unchanged = moved + done.moved, let_go + done.let_go, unchanged + done.unchanged
                rested, deleted = rested + done.rested, deleted + done.deleted
                advance(1)
        console = open_table_console(self.stdout)
        if table.row_count:
            console.print(table)
        if moved + rested + let_go > table.row_count == SHOWN:
            console.print(f"and more: the first {SHOWN} are shown")
        verb = "would be" if dry_run else "were"
        console.print(
            f"{moved:,} {verb} moved up, {rested:,} made dormant, {let_go:,} archived, {deleted:,} deleted, "
            f"{unchanged:,} stay; {len(users):,} users"
        )

    def build_table(self) -> Table:
        table = Table()
        for name in ("user", "memory", "it says", "what", "why"):
            table.add_column(name, no_wrap=name not in {"it says", "why"})
        return table

    def add_lines(self, table: Table, user: EndUser, done: PromotionResult) -> None:
        lines = list(islice(self.list_lines(done), SHOWN - table.row_count))
        said = read_memory_excerpts(user, [memory_id for memory_id, _, _ in lines])
        for memory_id, what, why in lines:
            table.add_row(user.external_id, str(memory_id), said.get(memory_id, ""), what, why)

    def list_lines(self, done: PromotionResult) -> Iterator[tuple[UUID, str, str]]:
        for move in done.promoted:
            yield move.memory_id, f"{move.source} → {move.target}", move.reason
        for retired in (*done.dormant, *done.archived):
            yield retired.memory_id, retired.target, retired.reason
