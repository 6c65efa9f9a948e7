"""How fast the running product is, seen from outside: storing, indexing, searching, composing a context."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from memory.benchmarks.client import BenchmarkClient
from memory.benchmarks.synthetic import NoteWriter, SyntheticNote
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import LatencySpread, run_clients

BATCH = 500
# More than this is not sent through the API but loaded directly.
MOST_SENT = 10_000
SINGLE_STORES = 200
# Opening connections, compiling plans and the embedder's first batch are not what is measured.
WARM_UP = 10
LIMIT = 10
# From this many memories of one user on, the figure for large users is the one to reach.
LARGE = 50_000

Say = Callable[[str], None]
# Two cores with the embedded parts reached 243.
INGEST_TARGET = BenchmarkTarget(150, at_least=True)


@dataclass(frozen=True, slots=True)
class SpeedPlan:
    memories: int
    others: int
    queries: int
    clients: int
    seed: int

    @property
    def sent_memories(self) -> int:
        return min(self.memories, MOST_SENT)

    @property
    def loaded_memories(self) -> int:
        """Memories of the measured user that are there before anything is measured."""
        return self.memories - self.sent_memories

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class SpeedFigures:
    spreads: dict[str, LatencySpread] = field(default_factory=dict)
    accepted_per_second: float = 0.0
    indexed_per_second: float = 0.0
    searches_per_second: float = 0.0
    not_indexed: int = 0
    fallbacks: dict[str, int] = field(default_factory=dict)
    loading: str = ""

    def notes(self) -> Iterator[str]:
        """What a reader must know before believing the rest."""
        if self.not_indexed:
            yield f"[red]{self.not_indexed} memories could not be indexed[/red]"
        if self.fallbacks:
            yield f"[red]searches without a stage: {self.fallbacks}[/red]"
        if self.searches_per_second:
            yield f"searches: {self.searches_per_second:.1f} a second"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def list_targets(memories: int) -> dict[str, BenchmarkTarget]:
    """The 95th percentiles to reach on two cores with the embedded parts."""
    return {
        "store one memory": BenchmarkTarget(25),
        "search": BenchmarkTarget(120 if memories >= LARGE else 60),
        "context": BenchmarkTarget(120),
    }


@dataclass(slots=True)
class SpeedMeasurement:
    """Times everything on one user, who is left as they are then: whoever made the user erases."""

    client: BenchmarkClient
    user: str
    plan: SpeedPlan
    writer: NoteWriter
    now: datetime
    say: Say
    figures: SpeedFigures = field(default_factory=SpeedFigures)

    def run(self) -> SpeedFigures:
        with self.client.pause_counting():
            # A worker that was started a moment ago takes seconds to begin; only then is indexing measured.
            self.client.store_batch(self.user, [build_payload(note, self.now) for note in self.writer.notes(1)])
            self.client.wait_until_indexed(self.user)
        self.ingest()
        self.store_singly()
        questions = self.writer.draw_questions(WARM_UP + 2 * self.plan.queries)
        self.warm_up(questions[:WARM_UP])
        # No question is asked twice, so none of their vectors can be in a cache.
        self.search(questions[WARM_UP : WARM_UP + self.plan.queries])
        self.compose(questions[WARM_UP + self.plan.queries :])
        self.figures.spreads = self.client.watch.summarize()
        self.figures.fallbacks = dict(self.client.fallbacks)
        return self.figures

    def ingest(self) -> None:
        memories = [build_payload(note, self.now) for note in self.writer.notes(self.plan.sent_memories)]
        self.say(f"storing {len(memories):,} memories in batches of {BATCH}, until all are indexed")
        start = time.perf_counter()
        for batch in split_batches(memories, BATCH):
            self.client.store_batch(self.user, batch)
        self.figures.accepted_per_second = len(memories) / (time.perf_counter() - start)
        self.figures.not_indexed = self.client.wait_until_indexed(self.user).failed
        self.figures.indexed_per_second = len(memories) / (time.perf_counter() - start)

    def store_singly(self) -> None:
        self.say(f"storing {SINGLE_STORES} memories one by one")
        for note in self.writer.notes(SINGLE_STORES):
            self.client.store(self.user, build_payload(note, self.now) | {"tier": "working"})
        self.figures.not_indexed = self.client.wait_until_indexed(self.user).failed

    def warm_up(self, questions: list[str]) -> None:
        with self.client.pause_counting():
            for query in questions:
                self.client.search(self.user, query, LIMIT)
                self.client.compose_context(self.user, f"{query} ({WARM_UP})")

    def search(self, questions: list[str]) -> None:
        self.say(f"searching {len(questions)} times, {self.plan.clients} at once")
        start = time.perf_counter()
        run_clients(lambda query: self.client.search(self.user, query, LIMIT), questions, self.plan.clients)
        self.figures.searches_per_second = len(questions) / (time.perf_counter() - start)

    def compose(self, questions: list[str]) -> None:
        self.say(f"composing {len(questions)} contexts, {self.plan.clients} at once")
        run_clients(lambda query: self.client.compose_context(self.user, query), questions, self.plan.clients)


def build_payload(note: SyntheticNote, now: datetime) -> dict[str, Any]:
    return {
        "text": note.text,
        "tier": "history",
        "tags": [note.topic],
        "occurred_at": (now - timedelta(days=note.days_ago)).isoformat(),
    }


def split_batches(rows: Iterable[dict[str, Any]], size: int) -> Iterator[list[dict[str, Any]]]:
    pending = iter(rows)
    while batch := list(islice(pending, size)):
        yield batch
