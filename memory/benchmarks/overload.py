"""More than the server can do: what is answered in time, what is refused, whether health stays true, how it recovers.

Searches and writes arrive at a multiple of the rate that the server can serve, whether it has answered the earlier ones
or not: clients who wait for their answers before they ask again can never show it.
"""

import threading
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from itertools import count
from typing import Any, Final

import httpx

from memory.benchmarks.client import BenchmarkClient
from memory.benchmarks.speed import BATCH, LIMIT, WARM_UP, build_payload, split_batches
from memory.benchmarks.synthetic import NoteWriter
from memory.evaluation.timing import LatencySpread, Pace, Stopwatch, run_clients, summarize_latencies

# What a search may take before its stages are skipped: an answer after that is no longer in time.
IN_TIME_MS: Final = 2_000.0
WRITE_EVERY: Final = 5
# Enough that the pace is kept while as many wait as the server lets in.
SENDERS: Final = 600
ASKED_AT_ONCE: Final = 16
HEALTH_EVERY_S: Final = 0.25
RECOVERS_WITHIN_S: Final = 10.0
QUIET_PER_SECOND: Final = 10.0
# Of what it can do alone, still answered in time; the rest is the cost of refusing.
LEAST_SHARE: Final = 0.6

ANSWERED, REFUSED, HEALTH = "answered", "refused", "health"
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class OverloadPlan:
    times: float = 3.0
    seconds: float = 20.0
    memories: int = 2_000
    seed: int = 1


def add_arguments(parser: ArgumentParser) -> None:
    usual = OverloadPlan()
    parser.add_argument("--times", type=float, default=usual.times, help="as many requests as it can serve")
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="of too much")
    parser.add_argument("--memories", type=int, default=usual.memories)
    parser.add_argument("--seed", type=int, default=usual.seed)


@dataclass(slots=True)
class OverloadFigures:
    """Rates are requests a second; ``recovered_s`` counts from the last request of the flood."""

    capacity: float = 0.0
    sent: int = 0
    in_time: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    acknowledged: int = 0
    lost: int = 0
    recovered_s: float = 0.0
    spreads: dict[str, LatencySpread] = field(default_factory=dict)

    @property
    def is_kept(self) -> bool:
        is_told = not set(self.statuses) - {"200", "201", "503"}
        is_served = self.in_time >= LEAST_SHARE * self.capacity * self.seconds
        return is_told and is_served and not self.lost and self.recovered_s <= RECOVERS_WITHIN_S

    def notes(self) -> Iterator[str]:
        told = ", ".join(f"{number:,} x {status}" for status, number in sorted(self.statuses.items()))
        yield f"it can serve {self.capacity:.0f} requests a second; {self.sent:,} sent in {self.seconds:.0f} s: {told}"
        yield f"{self.in_time:,} answered within {IN_TIME_MS / 1000:g} s, {self.in_time / self.seconds:.0f} a second"
        yield f"{self.acknowledged:,} writes acknowledged, {self.lost} of them lost"
        yield f"as fast as before {self.recovered_s:.1f} s after it ended (wanted: {RECOVERS_WITHIN_S:g} s)"

    def as_json(self) -> dict[str, Any]:
        # `asdict` copies a Counter pair by pair, as if each were one thing to count.
        return {**asdict(self), "statuses": dict(self.statuses), "is_kept": self.is_kept}


@dataclass(slots=True)
class OverloadRun:
    client: BenchmarkClient
    user: str
    plan: OverloadPlan
    writer: NoteWriter
    now: datetime
    say: Say
    figures: OverloadFigures = field(default_factory=OverloadFigures)
    questions: list[str] = field(default_factory=list)
    watch: Stopwatch = field(default_factory=Stopwatch)
    written: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> OverloadFigures:
        self.say(f"storing {self.plan.memories:,} memories")
        notes = self.writer.notes(self.plan.memories)
        for batch in split_batches((build_payload(note, self.now) for note in notes), BATCH):
            self.client.store_batch(self.user, batch)
        self.client.wait_until_indexed(self.user)
        self.questions = self.writer.draw_questions(WARM_UP + 500)
        with self.open_http() as http:
            for number in range(WARM_UP):
                self.ask(http, number)
            quiet = self.measure_quiet(http)
            self.measure_capacity(http)
            rate = self.figures.capacity * self.plan.times
            self.say(f"{rate:.0f} requests a second for {self.plan.seconds:g} s")
            self.flood(http, rate)
            self.measure_recovery(http, quiet)
        self.client.wait_until_indexed(self.user)
        kept = self.client.list_ids(self.user)
        self.figures.acknowledged, self.figures.lost = len(self.written), len(set(self.written) - kept)
        self.figures.spreads = {"quiet": quiet, **self.watch.summarize()}
        return self.figures

    @contextmanager
    def open_http(self) -> Iterator[httpx.Client]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        headers = {"authorization": f"Bearer {self.client.key}"}
        with httpx.Client(
            base_url=self.client.url, headers=headers, timeout=30.0, limits=limits, trust_env=False
        ) as http:
            yield http

    def ask(self, http: httpx.Client, number: int) -> tuple[httpx.Response, float]:
        """The answer to one request of the mix, and how many milliseconds it took."""
        begun = time.perf_counter()
        if number % WRITE_EVERY:
            body: dict[str, Any] = {"query": self.questions[number % len(self.questions)], "limit": LIMIT}
            answer = http.post(f"/api/v1/users/{self.user}/search", json=body)
        else:
            body = {"text": f"Parcel {number} of run {self.plan.seed} waits at the counter.", "tier": "history"}
            answer = http.post(f"/api/v1/users/{self.user}/memories", json=body)
        return answer, (time.perf_counter() - begun) * 1000

    def measure_quiet(self, http: httpx.Client) -> LatencySpread:
        """Searches alone, so that the same is compared afterwards."""
        pace, taken = Pace(QUIET_PER_SECOND), []
        for number in range(int(QUIET_PER_SECOND * 5)):
            pace.wait()
            taken.append(self.ask(http, number * WRITE_EVERY + 1)[1])
        return summarize_latencies(taken)

    def measure_capacity(self, http: httpx.Client) -> None:
        until, numbers = time.monotonic() + self.plan.seconds / 2, count()
        served: list[int] = []

        def ask_on(_: int) -> None:
            while time.monotonic() < until:
                answer, _taken = self.ask(http, next(numbers))
                served.append(answer.status_code)

        begun = time.monotonic()
        run_clients(ask_on, range(ASKED_AT_ONCE), ASKED_AT_ONCE)
        self.figures.capacity = sum(status < 300 for status in served) / (time.monotonic() - begun)

    def flood(self, http: httpx.Client, rate: float) -> None:
        pace, begun, over = Pace(rate), time.monotonic(), threading.Event()
        with ThreadPoolExecutor(SENDERS) as pool, ThreadPoolExecutor(1) as beside:
            watching = beside.submit(self.watch_health, over)
            sent = []
            for number in count():
                pace.wait()
                if time.monotonic() - begun > self.plan.seconds:
                    break
                sent.append(pool.submit(self.send_one, http, number))
            self.figures.sent, self.figures.seconds = len(sent), time.monotonic() - begun
            wait(sent)
            over.set()
            watching.result()

    def send_one(self, http: httpx.Client, number: int) -> None:
        try:
            answer, taken = self.ask(http, number)
        except httpx.HTTPError as error:
            self.count_status(type(error).__name__)
            return
        is_told = answer.status_code != 503 or "retry-after" in answer.headers
        self.count_status(str(answer.status_code) if is_told else "503 without Retry-After")
        if answer.status_code >= 300:
            self.watch.add(REFUSED, taken)
            return
        self.watch.add(ANSWERED, taken)
        with self._lock:
            self.figures.in_time += taken <= IN_TIME_MS
            if answer.status_code == 201:
                self.written.append(answer.json()["id"])

    def count_status(self, status: str) -> None:
        with self._lock:
            self.figures.statuses[status] += 1

    def watch_health(self, over: threading.Event) -> None:
        """As a load balancer does, by connections of its own; what is not a plain 200 counts among the statuses."""
        with httpx.Client(base_url=self.client.url, timeout=10.0, trust_env=False) as http:
            while not over.wait(HEALTH_EVERY_S):
                begun = time.perf_counter()
                try:
                    answer = http.get("/api/health")
                except httpx.HTTPError as error:
                    self.count_status(f"health: {type(error).__name__}")
                    continue
                self.watch.add(HEALTH, (time.perf_counter() - begun) * 1000)
                if answer.status_code != 200 or answer.json()["status"] == "down":
                    self.count_status(f"health: {answer.status_code} {answer.text[:40]}")

    def measure_recovery(self, http: httpx.Client, quiet: LatencySpread) -> None:
        """Until the last search that was refused or took twice the quiet p95, of 15 s; one in twenty may."""
        pace, begun, late = Pace(QUIET_PER_SECOND), time.monotonic(), []
        for number in range(int(QUIET_PER_SECOND * 15)):
            pace.wait()
            answer, taken = self.ask(http, number * WRITE_EVERY + 1)
            if answer.status_code != 200 or taken > 2 * quiet.p95:
                late.append(time.monotonic() - begun)
        spared = len(late) // 20 + 1
        self.figures.recovered_s = sorted(late)[-1 - spared] if len(late) > spared else 0.0
