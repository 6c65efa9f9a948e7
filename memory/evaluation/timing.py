"""Measures calls: how long each took, how they are spread, and what the machine was."""

import os
import platform
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from memory.scoring import find_percentile

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LatencySpread:
    """Milliseconds."""

    count: int
    p50: float
    p95: float
    worst: float


def summarize_latencies(values: Sequence[float]) -> LatencySpread:
    return LatencySpread(len(values), find_percentile(values, 0.5), find_percentile(values, 0.95), max(values))


@dataclass(slots=True)
class Stopwatch:
    """Collects milliseconds by stage, in the order in which stages were first seen; safe from several threads."""

    taken: dict[str, list[float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, stage: str, milliseconds: float) -> None:
        with self._lock:
            self.taken.setdefault(stage, []).append(milliseconds)

    def add_all(self, prefix: str, stages: Mapping[str, float]) -> None:
        for stage, milliseconds in stages.items():
            self.add(f"{prefix}{stage}", float(milliseconds))

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Time the block as one call of a stage."""
        start = time.perf_counter()
        # A call that raises is not counted: an error is quick and would flatter the figures.
        yield
        self.add(stage, (time.perf_counter() - start) * 1000)

    def summarize(self) -> dict[str, LatencySpread]:
        return {stage: summarize_latencies(values) for stage, values in self.taken.items()}


def run_clients(call: Callable[[T], object], work: Iterable[T], clients: int) -> None:
    """Do the work one after the other, or shared by several clients at once. The first error ends the run."""
    if clients == 1:
        for piece in work:
            call(piece)
        return
    with ThreadPoolExecutor(clients, thread_name_prefix="client") as pool:
        for _ in pool.map(call, work):
            pass


class Pace:
    """Spaces calls out so that a measurement of latency does not run into the rate limit of its own key."""

    def __init__(self, per_second: float) -> None:
        self._gap = 1 / per_second
        self._next = 0.0
        self._lock = threading.Lock()

    def wait(self) -> None:
        with self._lock:
            now = time.monotonic()
            pause = self._next - now
            self._next = max(self._next, now) + self._gap
        if pause > 0:
            time.sleep(pause)


def read_machine_facts() -> dict[str, str]:
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processors": str(os.cpu_count()),
        "memory": f"{memory_gib:.1f} GiB",
        "python": platform.python_version(),
    }
