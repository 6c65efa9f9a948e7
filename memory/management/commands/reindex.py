"""Rebuild the vector index, or look after a rebuilding that goes on."""

import time
from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from memory.access.locks import try_task_lock
from memory.indexing import drift, rebuild, runs
from memory.indexing.rebuild import ReindexRefused
from memory.management.moments import parse_moment
from memory.management.organizations import add_users_argument, resolve_user
from memory.management.progress import show_progress
from memory.models import ReindexRun, VectorCollection
from memory.platform.faults import Unavailable
from memory.platform.queue import send_task
from memory.tasks import continue_reindex
from memory.tiers import Tier

# For so long a run waits for a service that is away before the command gives up; the run stays open.
PATIENCE_S = 300.0
RETRY_S = 5.0
MOST_ROWS_PER_S = 1_000_000


class Command(BaseCommand):
    help = (
        "Build the vector index anew from the rows while the old one answers, and then let the new one answer. With "
        "--user, --tier or --since only those rows' vectors are written again, in place. Stopped at any point it goes "
        "on from there with --resume; a running worker does so by itself."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_users_argument(parser)
        parser.add_argument("--tier", choices=[tier.value for tier in Tier], help="only this tier")
        parser.add_argument(
            "--since", type=parse_moment, help="only what changed since then, as 2026-03-01 or with a time"
        )
        parser.add_argument("--rate", type=parse_rate, metavar="ROWS", help="rows per second, 0 for no limit")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--background", action="store_true", help="leave the work to the worker")
        what.add_argument("--resume", action="store_true", help="resume an interrupted or paused run")
        what.add_argument("--pause", action="store_true", help="pause the run until --resume")
        what.add_argument("--cancel", action="store_true", help="cancel a run before its swap")
        what.add_argument("--rollback", action="store_true", help="make the previous index live again")
        what.add_argument("--status", action="store_true", help="show the progress of the run, and the collections")

    def handle(self, *args: object, **options: Any) -> None:
        now = timezone.now()
        try:
            if options["status"]:
                self.write_status()
            elif options["pause"]:
                self.write_run(runs.pause_run(), "paused; --resume goes on from here")
            elif options["cancel"]:
                self.write_run(runs.cancel_run(now=now), "given up; what it built will be removed")
            elif options["rollback"]:
                self.roll_back(now)
            elif options["resume"]:
                self.follow_run(runs.resume_run())
            else:
                self.start_run(options, now)
        except (ReindexRefused, Unavailable) as error:
            raise CommandError(str(error)) from None

    def start_run(self, options: dict[str, Any], now: datetime) -> None:
        run = runs.start_run(
            now=now,
            user=resolve_user(options["user"], options["org"]) if options["user"] else None,
            tier=options["tier"] or "",
            since=options["since"],
            rows_per_s=options["rate"],
        )
        self.write_run(run, "started")
        if options["background"]:
            send_task(continue_reindex)
        else:
            self.follow_run(run)

    def follow_run(self, run: ReindexRun) -> None:
        """Do the work here, or watch it when a worker does."""
        try:
            with show_progress(self.stdout, "rows", run.rows_total or None) as advance:
                advance(run.rows_done)
                run = self.wait_until_stopped(run, advance)
        # Ctrl-C leaves a paused run, which the worker does not take up behind the operator's back.
        except KeyboardInterrupt:
            runs.pause_run()
            raise CommandError("paused; --resume goes on from here", returncode=130) from None
        self.write_run(run, run.state)
        if run.state == ReindexRun.State.DONE and run.report is not None:
            self.stdout.write(render_summary(run))

    def wait_until_stopped(self, run: ReindexRun, advance: Any) -> ReindexRun:  # noqa: ANN401  (a bar or lines)
        done, away_since = run.rows_done, 0.0

        def report_rows(run: ReindexRun) -> None:
            nonlocal done
            advance(run.rows_done - done)
            done = run.rows_done

        while run.state == ReindexRun.State.RUNNING:
            try:
                with try_task_lock("reindex", 0) as mine:
                    if mine:
                        return rebuild.continue_run(run.pk, stop=lambda: False, advanced=report_rows)
                time.sleep(1)
                run.refresh_from_db()
                report_rows(run)
            except Unavailable as error:
                away_since = away_since or time.monotonic()
                if time.monotonic() - away_since > PATIENCE_S:
                    raise
                self.stderr.write(f"waiting: {error}")
                time.sleep(RETRY_S)
        return run

    def roll_back(self, now: datetime) -> None:
        restored = runs.roll_back_run(now=now)
        self.stdout.write(f"{restored.name} is live again")
        # The index that comes back is compared in full: it was not the one that answered.
        report = drift.start_report(drift.Mode.FULL, now=now)
        drift.continue_report(report, clock=timezone.now, stop=lambda: False)
        line = report.problem or f"{report.rows:,} rows compared, {sum(report.mended.values()):,} put right"
        self.stdout.write(line)

    def write_status(self) -> None:
        run = ReindexRun.objects.order_by("-started_at").first()
        if run is None:
            self.stdout.write("the index was never rebuilt")
        else:
            self.write_run(run, run.state + (f": {run.error}" if run.error else ""))
        for row in VectorCollection.objects.order_by("pk"):
            kept = f" until {row.keep_until:%Y-%m-%d %H:%M} UTC" if row.keep_until else ""
            self.stdout.write(f"  {row.role:<9}{row.name} ({row.backend}, {row.model}, {row.dimensions}){kept}")

    def write_run(self, run: ReindexRun, what: str) -> None:
        figures = f"{run.phase}, {run.rows_done:,} of about {run.rows_total:,} rows"
        self.stdout.write(f"{run.collection}: {what} ({figures}, {run.rows_refused:,} refused)")


def render_summary(run: ReindexRun) -> str:
    report = run.report
    assert report is not None  # noqa: S101
    if report.problem:
        return f"not compared afterwards: {report.problem}"
    return f"compared afterwards: {report.rows:,} rows, {report.points:,} points, {report.drift:,} differences"


def parse_rate(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MOST_ROWS_PER_S:
        raise ArgumentTypeError(f"{text!r} is no number from 0 to {MOST_ROWS_PER_S:,}")
    return value
