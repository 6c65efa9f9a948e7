"""Compare the vector index with the rows and mend what differs."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.indexing import drift
from memory.indexing.drift import DIFFERENCE_TEXTS, Mode
from memory.management.organizations import add_users_argument, resolve_user
from memory.management.progress import show_progress
from memory.models import DriftReport, EndUser


class Command(BaseCommand):
    help = (
        "Compare the vector index with the rows, user by user: 'counts' compares numbers, 'sample' looks closer where "
        "they differ, 'full' compares every row and point. Ends with 1 when points of one user lay under another, or "
        "when nothing could be compared."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--mode", choices=Mode.values, default=Mode.FULL.value)
        parser.add_argument("--no-repair", action="store_true", help="report differences and change nothing")
        add_users_argument(parser)

    def handle(self, *args: object, **options: Any) -> None:
        user = resolve_user(options["user"], options["org"]) if options["user"] else None
        report = drift.start_report(options["mode"], now=timezone.now(), repair=not options["no_repair"], user=user)
        with show_progress(self.stdout, "users compared", None if user else EndUser.objects.count()) as advance:
            seen = 0

            def report_progress() -> bool:
                nonlocal seen
                advance(report.users - seen)
                seen = report.users
                return False

            drift.continue_report(report, clock=timezone.now, stop=report_progress)
        self.write_report(report)

    def write_report(self, report: DriftReport) -> None:
        self.stdout.write(f"{report.users:,} users, {report.rows:,} rows, {report.points:,} points compared")
        for kind, meaning in DIFFERENCE_TEXTS.items():
            if found := report.found.get(kind, 0):
                self.stdout.write(f"  {found:,} {meaning}, {report.mended.get(kind, 0):,} repaired")
        if not report.drift and not report.problem:
            self.stdout.write(self.style.SUCCESS("index and rows agree"))
        for entry in report.quarantine:
            line = f"item {entry['item']} of user {entry['owner']} was found under user {entry['found_under']}"
            self.stderr.write(line)
        if report.problem:
            raise CommandError(f"not compared: {report.problem}")
        # Points under another user are no drift but a breach: the exit code must reach whoever runs this by a timer.
        if report.is_alarming:
            raise CommandError("points of one user were found under another")
