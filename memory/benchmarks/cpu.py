"""Processor time of the processes that serve: what a call costs, whatever else the machine does meanwhile."""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from config.embedded import installation_paths
from config.runtime.leases import read_owner

POSTGRES, PRODUCT = "postgres", "product"


@dataclass(frozen=True, slots=True)
class CpuCost:
    """Milliseconds of processor time a call: of Postgres, and of web, worker and embedder together."""

    calls: int
    postgres: float
    product: float

    @property
    def total(self) -> float:
        return self.postgres + self.product


@dataclass(slots=True)
class CpuMeter:
    """Of everything that runs for a data directory, this process and what it started included."""

    data_dir: Path
    costs: dict[str, CpuCost] = field(default_factory=dict)

    @contextmanager
    def measure(self, what: str, calls: int) -> Iterator[None]:
        before = self.read_seconds()
        yield
        after = self.read_seconds()
        spent = {part: (after.get(part, 0.0) - before.get(part, 0.0)) * 1000 / calls for part in (POSTGRES, PRODUCT)}
        self.costs[what] = CpuCost(calls, **{part: round(ms, 2) for part, ms in spent.items()})

    def read_seconds(self) -> Mapping[str, float]:
        owner = read_owner(installation_paths(self.data_dir))
        found: dict[str, float] = defaultdict(float)
        for pid in {os.getpid(), owner.pid if owner else os.getpid()}:
            for process in (root := psutil.Process(pid), *root.children(recursive=True)):
                # One that has just ended is counted by its parent, which waited for it.
                with suppress(psutil.NoSuchProcess):
                    times = process.cpu_times()
                    part = POSTGRES if process.name() == "postgres" else PRODUCT
                    found[part] += times.user + times.system + times.children_user + times.children_system
        return found
