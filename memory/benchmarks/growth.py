"""What the product's work costs as an installation grows: by size, with curves through the sizes.

One person has a tenth of all memories, the others 10,000 each. Figures of a size are kept beside the data, so a run
that was cut off goes on with the next size.
"""

import json
import random
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.db import connection
from django.utils import timezone

from memory.access.keys import SCOPES, issue_key
from memory.access.scope import UNHURRIED, user_scope
from memory.access.users import get_or_create_user
from memory.benchmarks import consolidation
from memory.benchmarks.client import BenchmarkClient
from memory.benchmarks.cpu import CpuCost, CpuMeter
from memory.benchmarks.population import list_small_people, open_population
from memory.benchmarks.serving import run_server
from memory.benchmarks.speed import build_payload
from memory.benchmarks.staging import LONGEST_RUN, MEASURED, UNBOUND_PER_SECOND
from memory.benchmarks.synthetic import NoteWriter
from memory.conf import data_dir
from memory.evaluation.loading import erase_user
from memory.evaluation.timing import LatencySpread
from memory.lifecycle.consolidation import consolidate_user
from memory.lifecycle.promotion import promote_user
from memory.models import EndUser, Organization

SIZES = (10_000, 100_000, 1_000_000)
LIMIT = 10
WARM_UP = 10
DUE = 200
# A person keeps about one fact for ten memories.
MEMORIES_A_FACT = 10
LARGE, SMALL = "large person", "small person"
PARTS = ASKING, PROMOTING, CONSOLIDATING = "asking", "promoting", "consolidating"
STORED = ("memory_item", "memory_vector")
BYTES = "SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class WHERE relname = ANY(%s)"
# Two kinds that a pass moves, each half: ready for patterns, and useless.
MAKE_DUE = """
UPDATE memory_item SET uses = 3, worked = CASE WHEN chosen.n %% 2 = 0 THEN 3 ELSE 0 END,
    failed = CASE WHEN chosen.n %% 2 = 0 THEN 0 ELSE 3 END, score = CASE WHEN chosen.n %% 2 = 0 THEN 0.9 ELSE 0.1 END
FROM (
    SELECT id, row_number() OVER () AS n FROM memory_item
    WHERE user_id = %(user)s AND status = 'active' AND tier = 'history' AND uses = 0 LIMIT %(due)s
) AS chosen WHERE memory_item.id = chosen.id
"""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class GrowthPlan:
    sizes: tuple[int, ...] = SIZES
    queries: int = 100
    seed: int = 1


@dataclass(slots=True)
class SizeFigures:
    """Of one size: milliseconds a call as a client sees them, processor time a call, bytes on disk by table."""

    spreads: dict[str, LatencySpread] = field(default_factory=dict)
    costs: dict[str, CpuCost] = field(default_factory=dict)
    stored: dict[str, int] = field(default_factory=dict)
    # The parts of the work that have been measured.
    parts: list[str] = field(default_factory=list)

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> "SizeFigures":
        return cls(
            {name: LatencySpread(**spread) for name, spread in content["spreads"].items()},
            {name: CpuCost(**cost) for name, cost in content["costs"].items()},
            dict(content["stored"]),
            list(content["parts"]),
        )


def read_sizes(text: str) -> tuple[int, ...]:
    sizes = text.split(",")
    if not all(size.isdecimal() and int(size) for size in sizes):
        raise ArgumentTypeError(f"{text!r} are no numbers of memories, with commas between them")
    return tuple(sorted({int(size) for size in sizes}))


def add_arguments(parser: ArgumentParser) -> None:
    usual = GrowthPlan()
    parser.add_argument("--sizes", type=read_sizes, default=usual.sizes, help="numbers of memories, with commas")
    parser.add_argument("--queries", type=int, default=usual.queries, help="of each kind at each size")
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--again", action="store_true", help="also the sizes that an earlier run has measured")


def measure(plan: GrowthPlan, say: Say, *, again: bool = False) -> dict[int, SizeFigures]:
    path = data_dir() / "benchmarks" / f"growth-{plan.seed}.json"
    known = {} if again else read_figures(path)
    for size in plan.sizes:
        figures = known.setdefault(size, SizeFigures())
        missing = [part for part in PARTS if part not in figures.parts]
        if not missing:
            say(f"{size:,} memories: measured before")
            continue
        with open_population(size, plan.seed, say) as organization:
            say(f"{size:,} memories: measuring")
            for _ in measure_parts(organization, size, plan, figures, missing, say):
                # Part by part: one that fails costs no other.
                write_figures(path, known)
    return {size: known[size] for size in plan.sizes}


def read_figures(path: Path) -> dict[int, SizeFigures]:
    if not path.exists():
        return {}
    content = json.loads(path.read_text(encoding="utf-8"))
    return {int(size): SizeFigures.from_json(figures) for size, figures in content.items()}


def write_figures(path: Path, figures: Mapping[int, SizeFigures]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({size: asdict(one) for size, one in figures.items()}, indent=1) + "\n", encoding="utf-8")


def measure_parts(
    organization: Organization, size: int, plan: GrowthPlan, figures: SizeFigures, parts: Sequence[str], say: Say
) -> Iterator[str]:
    """Do these parts of the work one after the other; the figures have each as soon as its name is given."""
    now = timezone.now()
    figures.stored = figures.stored or read_stored_bytes()
    _, key = issue_key(
        organization, "bench", SCOPES, now=now, lifetime=LONGEST_RUN, requests_per_second=UNBOUND_PER_SECOND
    )
    with run_server(data_dir()) as url, BenchmarkClient(url, key) as client:
        run = GrowthRun(organization, client, NoteWriter(plan.seed + size), plan, now, CpuMeter(data_dir()))
        work: dict[str, Callable[[Say], None]] = {
            ASKING: run.ask,
            PROMOTING: run.promote,
            CONSOLIDATING: partial(run.consolidate, size),
        }
        for part in parts:
            work[part](say)
            figures.spreads |= client.watch.summarize()
            figures.costs |= run.meter.costs
            figures.parts.append(part)
            yield part


def read_stored_bytes() -> dict[str, int]:
    with connection.cursor() as cursor:
        cursor.execute(BYTES, [list(STORED)])
        rows = cursor.fetchall()
    found: dict[str, int] = {}
    for name, of_rows, of_indexes in rows:
        found |= {f"{name}, rows": of_rows, f"{name}, indexes": of_indexes}
    return found


@dataclass(slots=True)
class GrowthRun:
    """The work of one size."""

    organization: Organization
    client: BenchmarkClient
    writer: NoteWriter
    plan: GrowthPlan
    now: datetime
    meter: CpuMeter
    large: EndUser = field(init=False)
    small: list[EndUser] = field(init=False)

    def __post_init__(self) -> None:
        self.large = get_or_create_user(self.organization, MEASURED)
        self.small = list_small_people(self.organization)

    def ask(self, say: Say) -> None:
        rng = random.Random(self.plan.seed)  # noqa: S311  (who is asked, not a secret)
        self.warm_up()
        for name, people in ((LARGE, [self.large]), (SMALL, self.small)):
            say(f"{name}: searching, composing, storing")
            with self.count(f"search, {name}", "search"):
                for question in self.writer.draw_questions(self.plan.queries):
                    self.client.search(rng.choice(people).external_id, question, LIMIT)
            with self.count(f"context, {name}", "context"):
                for question in self.writer.draw_questions(self.plan.queries):
                    self.client.compose_context(rng.choice(people).external_id, question)
            with self.count(f"store until indexed, {name}", "store one memory"):
                chosen = [rng.choice(people).external_id for _ in range(self.plan.queries)]
                for user, note in zip(chosen, self.writer.notes(self.plan.queries), strict=True):
                    self.client.store(user, build_payload(note, self.now))
                for user in sorted(set(chosen)):
                    self.client.wait_until_indexed(user)

    def warm_up(self) -> None:
        with self.client.pause_counting():
            for person in (self.large, self.small[0]):
                for question in self.writer.draw_questions(WARM_UP):
                    self.client.search(person.external_id, question, LIMIT)
                    self.client.compose_context(person.external_id, f"{question} ({WARM_UP})")
                self.client.store(person.external_id, build_payload(next(self.writer.notes(1)), self.now))
                self.client.wait_until_indexed(person.external_id)

    @contextmanager
    def count(self, what: str, stage: str) -> Iterator[None]:
        """Processor time of the block, and the times of its calls under the name of the work."""
        with self.meter.measure(what, self.plan.queries):
            yield
        taken = self.client.watch.taken
        taken[what] = taken.pop(stage)
        # The server's own stages say more in `bench speed`.
        for name in [name for name in taken if name.startswith("  ")]:
            del taken[name]

    def promote(self, say: Say) -> None:
        say(f"promoting: {DUE} that are due, then everybody once")
        with user_scope(self.large, settings=UNHURRIED), connection.cursor() as cursor:
            cursor.execute(MAKE_DUE, {"user": self.large.pk, "due": DUE})
        with self.meter.measure(f"promotion, each of {DUE} due", DUE):
            promote_user(self.large, now=self.now, counting=False)
        people = [self.large, *self.small]
        with self.meter.measure("promotion, a person with nothing due", len(people)):
            for person in people:
                with self.client.watch.measure("promotion, a person with nothing due"):
                    promote_user(person, now=self.now, counting=False)

    def consolidate(self, size: int, say: Say) -> None:
        """Of a person of their own: facts come with the memories of the large one, a tenth as many."""
        facts = max(1, size // (10 * MEMORIES_A_FACT))
        user = get_or_create_user(self.organization, "consolidated")
        say(f"consolidating {facts:,} facts")
        try:
            consolidation.load_facts(user, consolidation.ConsolidationPlan(facts, seed=self.plan.seed), self.now)
            for name in ("first night", "next night"):
                what = f"consolidation, {name}"
                with self.meter.measure(what, 1), self.client.watch.measure(what):
                    consolidate_user(user, now=self.now, clock=timezone.now)
        finally:
            erase_user(user)
