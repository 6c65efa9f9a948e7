"""Many slow streams through the gateway while others search: what each costs the other.

The same searches are timed in turn without and with the streams, so that what else the machine does falls on both. The
language model and the readers of the streams are programs of their own (`slow_model`).
"""

import json
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import psutil

from config.env import BASE_DIR
from memory.benchmarks import slow_model
from memory.benchmarks.client import BenchmarkClient, CallFailedError
from memory.benchmarks.kills import list_web_workers
from memory.benchmarks.speed import BATCH, LIMIT, WARM_UP, build_payload, split_batches
from memory.benchmarks.synthetic import NoteWriter
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import LatencySpread, Pace, Stopwatch, summarize_latencies

QUIET, BUSY, CONTEXT = "search, quiet", "search, beside streams", "context"
FIRST, OPENING = "first token, beyond the model's own", "the same while all are opened"
# Beside the context: the request read, laid out and passed on.
FIRST_SPARE_MS: Final = 15.0
MOST_SLOWDOWN: Final = 2.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class StreamPlan:
    streams: int = 200
    events: float = 5.0
    searches: float = 10.0
    seconds: float = 15.0
    rounds: int = 2
    memories: int = 2_000
    seed: int = 1

    @property
    def stream_s(self) -> float:
        """Long enough for all to be open while the searches are timed."""
        return self.streams / 8 + self.seconds * 2 + 10


def add_arguments(parser: ArgumentParser) -> None:
    usual = StreamPlan()
    parser.add_argument("--streams", type=int, default=usual.streams, help="open at once")
    parser.add_argument("--events", type=float, default=usual.events, help="a second, of each stream")
    parser.add_argument("--searches", type=float, default=usual.searches, help="a second")
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=usual.rounds, help="of one measurement without and one with")
    parser.add_argument("--memories", type=int, default=usual.memories)
    parser.add_argument("--seed", type=int, default=usual.seed)


@dataclass(slots=True)
class StreamFigures:
    spreads: dict[str, LatencySpread] = field(default_factory=dict)
    events: int = 0
    complete: int = 0
    opened: int = 0
    bytes_a_stream: list[float] = field(default_factory=list)
    processor_share: list[float] = field(default_factory=list)

    @property
    def targets(self) -> dict[str, BenchmarkTarget]:
        found = {}
        if QUIET in self.spreads:
            found[BUSY] = BenchmarkTarget(self.spreads[QUIET].p95 * MOST_SLOWDOWN)
        if CONTEXT in self.spreads:
            found[FIRST] = BenchmarkTarget(self.spreads[CONTEXT].p95 + FIRST_SPARE_MS)
        return found

    def notes(self) -> Iterator[str]:
        yield f"{self.opened:,} streams, {self.complete:,} of them to their end, {self.events:,} events"
        for number, (size, share) in enumerate(zip(self.bytes_a_stream, self.processor_share, strict=True), 1):
            yield f"round {number}: {size / 1024:,.0f} KB a stream, web processes {share:.2f} cores beside the streams"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class StreamMeasurement:
    client: BenchmarkClient
    user: str
    plan: StreamPlan
    writer: NoteWriter
    now: datetime
    say: Say
    watch: Stopwatch = field(default_factory=Stopwatch)
    figures: StreamFigures = field(default_factory=StreamFigures)
    first_ms: list[float] = field(default_factory=list)

    def run(self) -> StreamFigures:
        if not list_web_workers():
            raise CallFailedError("only web processes of its own are measured: stop the server that runs here")
        self.fill()
        for number in range(self.plan.rounds):
            self.say(f"round {number + 1}: searching without streams")
            self.search(QUIET)
            self.compose()
            self.search_beside_streams(f"round-{number}")
        self.figures.spreads = self.watch.summarize()
        if self.first_ms:
            self.figures.spreads[FIRST] = summarize_latencies(self.first_ms)
        return self.figures

    def fill(self) -> None:
        self.say(f"storing {self.plan.memories:,} memories")
        memories = [build_payload(note, self.now) for note in self.writer.notes(self.plan.memories)]
        with self.client.pause_counting():
            for batch in split_batches(memories, BATCH):
                self.client.store_batch(self.user, batch)
            self.client.wait_until_indexed(self.user)
            for question in self.writer.draw_questions(WARM_UP):
                self.client.search(self.user, question, LIMIT)
                self.client.compose_context(self.user, question)

    def search(self, stage: str) -> None:
        pace = Pace(self.plan.searches)
        questions = self.writer.draw_questions(max(1, round(self.plan.searches * self.plan.seconds)))
        for question in questions:
            pace.wait()
            with self.client.pause_counting(), self.watch.measure(stage):
                self.client.search(self.user, question, LIMIT)

    def compose(self) -> None:
        """A context and a first token in turn, one at a time."""
        for question in self.writer.draw_questions(2 * max(1, round(self.plan.seconds * 3))):
            if len(self.first_ms) < len(self.watch.taken.get(CONTEXT, ())):
                self.first_ms.append(self.client.wait_for_first_token(self.user, question, find_thought_ms))
            else:
                with self.client.pause_counting(), self.watch.measure(CONTEXT):
                    self.client.compose_context(self.user, question)

    def search_beside_streams(self, name: str) -> None:
        before = measure_memory()
        self.say(f"opening {self.plan.streams} streams")
        with run_readers(self.client, self.plan.streams, name) as lines:
            read_line(lines)
            self.figures.bytes_a_stream.append((measure_memory() - before) / self.plan.streams)
            busy_s, begun = measure_processor(), time.monotonic()
            self.say("searching beside them")
            self.search(BUSY)
            self.figures.processor_share.append((measure_processor() - busy_s) / (time.monotonic() - begun))
            told = read_line(lines)
        for waited_ms in told["first_ms"]:
            self.watch.add(OPENING, waited_ms)
        self.figures.opened += self.plan.streams
        self.figures.events += told["events"]
        self.figures.complete += told["complete"]


def find_thought_ms(data: str) -> float | None:
    """How long the model thought, of the event that tells it."""
    choices = json.loads(data).get("choices") or [{}]
    text = str((choices[0].get("delta") or {}).get("content") or "")
    return float(text.removeprefix(slow_model.FIRST)) * 1000 if text.startswith(slow_model.FIRST) else None


def read_line(lines: Iterator[str]) -> dict[str, Any]:
    line = next(lines, "")
    if not line:
        raise CallFailedError("the readers of the streams ended before their time")
    told: dict[str, Any] = json.loads(line)
    return told


@contextmanager
def run_readers(client: BenchmarkClient, streams: int, name: str) -> Iterator[Iterator[str]]:
    argv = ["read", "--url", f"{client.url}/v1", "--key", client.key, "--streams", str(streams), "--user", name]
    with run_slow_model(argv) as process:
        yield iter(process.stdout or ())


@contextmanager
def serve_slow_model(port: int, plan: StreamPlan) -> Iterator[None]:
    argv = ["serve", "--port", str(port), "--events", str(plan.events), "--seconds", str(plan.stream_s)]
    with run_slow_model(argv):
        yield


@contextmanager
def run_slow_model(argv: list[str]) -> Iterator[subprocess.Popen[str]]:
    module = [sys.executable, "-m", "memory.benchmarks.slow_model"]
    with subprocess.Popen([*module, *argv], cwd=BASE_DIR, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def list_processes() -> list[psutil.Process]:
    return [psutil.Process(pid) for pid in list_web_workers()]


def measure_memory() -> float:
    """Bytes that the web processes have of their own, wherever the system keeps them."""
    return float(sum(map(read_own_bytes, list_processes())))


def read_own_bytes(process: psutil.Process) -> int:
    # What is resident counts the pages of programs as well, and leaves out what the system has put away: a kernel that
    # reclaims what lies idle made 1.5 to 3 MB a stream of it, in one round of two.
    try:
        told = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    except OSError:
        return int(process.memory_info().rss)
    fields = dict(line.split(":", 1) for line in told.splitlines())
    return sum(int(fields[name].split()[0]) * 1024 for name in ("RssAnon", "VmSwap"))


def measure_processor() -> float:
    """Seconds that the web processes have worked."""
    return float(sum(sum(process.cpu_times()[:2]) for process in list_processes()))
