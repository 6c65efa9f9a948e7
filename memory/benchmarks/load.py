"""Many clients at once: searches while others write and delete and the index is rebuilt, and what is true afterwards.

The same searches are timed twice, first with nothing else going on. Then a full comparison of index and rows, and a
look at every written memory, show whether anything was lost or came back.
"""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import cycle
from typing import Any

from django.db import connection
from django.utils import timezone

from memory.benchmarks.client import BenchmarkClient, CallFailedError
from memory.benchmarks.speed import BATCH, LIMIT, WARM_UP, build_payload, split_batches
from memory.benchmarks.synthetic import NoteWriter
from memory.evaluation.timing import LatencySpread, Pace, Stopwatch
from memory.indexing import drift as consistency
from memory.indexing import runs
from memory.indexing.drift import Mode
from memory.indexing.rebuild import ReindexRefused
from memory.models import DriftReport, ReindexRun
from memory.platform.queue import send_task
from memory.tasks import continue_reindex

# Of so many memories written one is deleted again, and must never be found after that.
DELETE_EVERY = 10
# So many of the written memories are searched by their own words in the end.
LOOKED_FOR = 200
# Measured: 2.0 times the quiet one with a worker that steps back by ten, 3.1 times with one that steps back by five.
WORSE_BY = 3.0
LONGEST_REBUILD_S = 1800.0
NUDGE_AGAIN_S = 60.0
LOOK_EVERY_S = 0.5

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LoadPlan:
    """``searches`` and ``writes`` are a second, of all clients together; 0 searches: each asks when it was answered."""

    memories: int
    clients: int
    searches: float
    writes: float
    seconds: float
    seed: int
    rebuild: bool


@dataclass(slots=True)
class LoadFigures:
    quiet: LatencySpread | None = None
    busy: LatencySpread | None = None
    errors: list[str] = field(default_factory=list)
    written: int = 0
    deleted: int = 0
    stale: int = 0
    lost: int = 0
    not_found: int = 0
    rebuilt: str = ""
    drift: int = 0

    @property
    def is_clean(self) -> bool:
        return not (self.errors or self.stale or self.lost or self.drift)

    def notes(self) -> Iterator[str]:
        if self.quiet and self.busy:
            ratio = self.busy.p95 / self.quiet.p95
            yield f"p95 of a search under load: {ratio:.1f} times the quiet one (wanted: under {WORSE_BY:g})"
        yield f"{self.written:,} memories written, {self.deleted:,} deleted again; index rebuilt: {self.rebuilt}"
        yield (
            f"errors {len(self.errors)}, deleted ones found {self.stale}, written ones lost {self.lost}, "
            f"differences of index and rows {self.drift}"
        )
        yield f"{self.not_found} of {LOOKED_FOR} written memories not among the first {LIMIT} of their own words"
        yield from self.errors[:5]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class LoadRun:
    client: BenchmarkClient
    user: str
    plan: LoadPlan
    writer: NoteWriter
    now: datetime
    say: Say
    figures: LoadFigures = field(default_factory=LoadFigures)
    written: dict[str, str] = field(default_factory=dict)
    deleted_ids: set[str] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)

    def run(self) -> LoadFigures:
        self.fill_user()
        questions = self.writer.draw_questions(WARM_UP + 500)
        for question in questions[:WARM_UP]:
            self.client.search(self.user, question, LIMIT)
        self.say(f"{self.plan.clients} clients search for {self.plan.seconds:g} s")
        self.figures.quiet = self.measure_searches(questions[WARM_UP:])
        self.say(f"again for {self.plan.seconds:g} s, with {self.plan.writes:g} writes a second and a rebuilt index")
        with self.keep_writing(), self.rebuild_meanwhile():
            self.figures.busy = self.measure_searches(questions[WARM_UP:])
        self.client.wait_until_indexed(self.user)
        self.verify_writes()
        return self.figures

    def fill_user(self) -> None:
        self.say(f"storing {self.plan.memories:,} memories")
        for batch in split_batches(
            (build_payload(note, self.now) for note in self.writer.notes(self.plan.memories)), BATCH
        ):
            self.client.store_batch(self.user, batch)
        self.client.wait_until_indexed(self.user)

    def measure_searches(self, questions: list[str]) -> LatencySpread:
        """All clients together, for the time of the plan."""
        watch = Stopwatch()
        until = time.monotonic() + self.plan.seconds
        # Without a pause between questions twenty clients measure only how many searches a second two cores can do.
        pace = Pace(self.plan.searches) if self.plan.searches else None

        def ask_until_over(number: int) -> None:
            for question in cycle(questions[number :: self.plan.clients]):
                if pace:
                    pace.wait()
                if time.monotonic() > until:
                    return
                deleted = frozenset(self.deleted_ids)
                with self.collect_errors(), watch.measure("search"):
                    found = self.client.search(self.user, question, LIMIT)
                    self.figures.stale += len(deleted & set(found))

        with ThreadPoolExecutor(self.plan.clients) as pool:
            list(pool.map(ask_until_over, range(self.plan.clients)))
        return watch.summarize()["search"]

    @contextmanager
    def collect_errors(self) -> Iterator[None]:
        try:
            yield
        except CallFailedError as error:
            self.figures.errors.append(str(error))

    @contextmanager
    def keep_writing(self) -> Iterator[None]:
        """Writers keep up their rate as long as the context is open."""
        self.over.clear()
        pace = Pace(self.plan.writes)
        notes = iter(self.writer.notes(round(self.plan.writes * self.plan.seconds * 2)))
        lock = threading.Lock()

        def write_until_over() -> None:
            while not self.over.is_set():
                with lock:
                    note = next(notes, None)
                if note is None:
                    return
                pace.wait()
                with self.collect_errors():
                    self.store_and_delete(note.text)

        # Four, so that a slow call delays no other.
        with ThreadPoolExecutor(4) as pool:
            running = [pool.submit(write_until_over) for _ in range(4)]
            try:
                yield
            finally:
                self.over.set()
        for one in running:
            one.result()

    def store_and_delete(self, text: str) -> None:
        item = self.client.store(self.user, {"text": text, "tier": "history"})
        self.figures.written += 1
        if self.figures.written % DELETE_EVERY:
            self.written[item] = text
        else:
            self.client.remove(self.user, item)
            self.deleted_ids.add(item)
            self.figures.deleted += 1

    @contextmanager
    def rebuild_meanwhile(self) -> Iterator[None]:
        if not self.plan.rebuild:
            self.figures.rebuilt = "no"
            yield
            return
        with ThreadPoolExecutor(1) as pool:
            run: Future[ReindexRun] = pool.submit(rebuild_index)
            yield
            try:
                done = run.result()
            except ReindexRefused as refused:
                self.figures.errors.append(f"the index was not rebuilt: {refused}")
                return
        self.figures.rebuilt = f"{done.state}, {done.rows_done:,} rows"
        if done.state != ReindexRun.State.DONE:
            self.figures.errors.append(f"the index was not rebuilt: {done.state}")

    def verify_writes(self) -> None:
        """Every acknowledged write is there, nothing deleted is, and index and rows agree."""
        self.say("comparing index and rows")
        report = compare_index()
        self.figures.drift = report.drift
        if report.problem:
            self.figures.errors.append(f"not compared: {report.problem}")
        present = self.client.list_ids(self.user)
        self.figures.lost = len(set(self.written) - present)
        self.figures.stale += len(self.deleted_ids & present)
        for item, text in list(self.written.items())[-LOOKED_FOR:]:
            self.figures.not_found += item not in self.client.search(self.user, text, LIMIT)


def rebuild_index() -> ReindexRun:
    """As `manage.py reindex --background`: the worker does it, and here it is waited for."""
    # In a thread of its own, and so over a connection of its own, which must not outlive it.
    try:
        run = runs.start_run(now=timezone.now())
        give_up_at = time.monotonic() + LONGEST_REBUILD_S
        nudged_at = -NUDGE_AGAIN_S
        while run.state == ReindexRun.State.RUNNING and time.monotonic() < give_up_at:
            if time.monotonic() - nudged_at > NUDGE_AGAIN_S:
                # Where no scheduler runs nobody else would find a run whose worker met a fault.
                send_task(continue_reindex)
                nudged_at = time.monotonic()
            time.sleep(LOOK_EVERY_S)
            run.refresh_from_db()
        return run
    finally:
        connection.close()


def compare_index() -> DriftReport:
    report = consistency.start_report(Mode.FULL, now=timezone.now(), repair=False)
    consistency.continue_report(report, clock=timezone.now, stop=lambda: False)
    return report
