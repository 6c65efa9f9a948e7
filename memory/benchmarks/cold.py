"""The first searches after a restart beside those of a warm product: with the system's file cache and from disk.

Postgres is ended and started again by whoever keeps it running, and a web server of its own is started over it.
"""

import os
import signal
import time
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import psutil
from django.db import DatabaseError, connection
from django.utils import timezone
from rich.console import Console
from rich.table import Table

from config.embedded import Paths, installation_paths, list_embedded_parts
from memory.access.keys import SCOPES, issue_key
from memory.benchmarks.client import BenchmarkClient
from memory.benchmarks.growth import LIMIT
from memory.benchmarks.population import open_population
from memory.benchmarks.serving import find_running_address, run_server
from memory.benchmarks.staging import LONGEST_RUN, MEASURED, UNBOUND_PER_SECOND, BenchmarkStageError
from memory.benchmarks.synthetic import NoteWriter
from memory.conf import data_dir
from memory.evaluation.timing import LatencySpread, summarize_latencies

FILE_CACHE, DISK = "from the system's file cache", "from disk"
RESTARTED_WITHIN_S = 60.0
# As promised: the first hundred stay under twice the warm figure.
MOST_TIMES_WARM = 2.0
READ = "SELECT blks_read, blks_hit FROM pg_stat_database WHERE datname = current_database()"

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class ColdPlan:
    memories: int = 1_000_000
    queries: int = 100
    rounds: int = 1
    seed: int = 1


@dataclass(frozen=True, slots=True)
class ColdStart:
    """Milliseconds of the first search, of the first ones and of as many later on; pages that Postgres had to fetch for
    the first and the later ones."""

    way: str
    first_ms: float
    cold: LatencySpread
    warm: LatencySpread
    cold_pages: int
    warm_pages: int

    @property
    def times_warm(self) -> float:
        return self.cold.p95 / self.warm.p95


def add_arguments(parser: ArgumentParser) -> None:
    usual = ColdPlan()
    parser.add_argument("--memories", type=int, default=usual.memories, help="of all people; one has a tenth")
    parser.add_argument("--queries", type=int, default=usual.queries, help="searches that count as the first")
    parser.add_argument("--rounds", type=int, default=usual.rounds)
    parser.add_argument("--seed", type=int, default=usual.seed)


def measure(plan: ColdPlan, say: Say) -> list[ColdStart]:
    paths = installation_paths(data_dir())
    if not list_embedded_parts(["postgres"]) or find_running_address(paths.access):
        raise BenchmarkStageError("a cold start is of the embedded Postgres and of no server that runs already")
    starts = []
    with open_population(plan.memories, plan.seed, say) as organization:
        _, key = issue_key(
            organization, "bench", SCOPES, now=timezone.now(), lifetime=LONGEST_RUN,
            requests_per_second=UNBOUND_PER_SECOND,
        )  # fmt: skip
        writer = NoteWriter(plan.seed)
        for number in range(plan.rounds):
            for way in (FILE_CACHE, DISK):
                say(f"starting {way} ({number + 1} of {plan.rounds})")
                restart_postgres(paths, drop_cache=way == DISK)
                with run_server(paths.data) as url, BenchmarkClient(url, key) as client:
                    starts.append(time_start(way, client, writer, plan.queries))
    return starts


def time_start(way: str, client: BenchmarkClient, writer: NoteWriter, queries: int) -> ColdStart:
    taken: list[float] = []
    pages = [read_pages()]
    # The middle ones belong to neither: they bring in what the first have not.
    for question in writer.draw_questions(3 * queries):
        start = time.perf_counter()
        client.search(MEASURED, question, LIMIT)
        taken.append((time.perf_counter() - start) * 1000)
        if len(taken) % queries == 0:
            pages.append(read_pages())
    cold, warm = summarize_latencies(taken[:queries]), summarize_latencies(taken[2 * queries :])
    return ColdStart(way, taken[0], cold, warm, pages[1] - pages[0], pages[3] - pages[2])


def read_pages() -> int:
    """Pages that Postgres has asked the system for, as far as its processes have told."""
    # A process tells when it has been idle for a moment.
    time.sleep(1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(READ)
        return int(cursor.fetchone()[0])


def restart_postgres(paths: Paths, *, drop_cache: bool) -> None:
    """End the server; whoever runs it starts it again. Meanwhile its files may leave the system's cache."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_postmaster_start_time()")
        started_at = cursor.fetchone()[0]
    connection.close()
    cast("Any", connection).close_pool()
    process = psutil.Process(int((paths.postgres / "postmaster.pid").read_text(encoding="utf-8").split()[0]))
    process.send_signal(signal.SIGINT)
    process.wait(RESTARTED_WITHIN_S)
    if drop_cache:
        forget_files(paths.postgres)
    until = time.monotonic() + RESTARTED_WITHIN_S
    while time.monotonic() < until:
        time.sleep(0.2)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_postmaster_start_time()")
                if cursor.fetchone()[0] != started_at:
                    return
        except DatabaseError:
            connection.close()
    raise BenchmarkStageError("Postgres did not come back")


def forget_files(folder: Path) -> None:
    """Ask the system to drop these files from its cache, which needs no rights beyond reading them."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fdatasync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def print_starts(console: Console, plan: ColdPlan, starts: list[ColdStart]) -> None:
    table = Table(title=f"the first {plan.queries} searches of {plan.memories:,} memories", title_justify="left")
    table.add_column("milliseconds")
    for heading in ("the first", "p50", "p95", "warm p50", "warm p95", "times", "pages", "warm pages"):
        table.add_column(heading, justify="right")
    for one in starts:
        colour = "green" if one.times_warm < MOST_TIMES_WARM else "red"
        figures = (one.first_ms, one.cold.p50, one.cold.p95, one.warm.p50, one.warm.p95)
        table.add_row(
            one.way,
            *(f"{figure:.1f}" for figure in figures),
            f"[{colour}]{one.times_warm:.2f}[/{colour}]",
            f"{one.cold_pages:,}",
            f"{one.warm_pages:,}",
        )
    console.print(table)


def as_json(plan: ColdPlan, starts: list[ColdStart]) -> dict[str, Any]:
    return {"plan": asdict(plan), "starts": [asdict(one) for one in starts]}
