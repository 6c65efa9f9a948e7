"""How long a promotion pass takes, and how long another writer waits for one of its rows meanwhile.

Rows are made inside the database: twenty words each out of five thousand, all tiers, a share of them due in equal parts
(ready for history, ready for patterns, garbage, past their time). The pass is the product's own.
"""

import random
import threading
import time
import uuid
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import DatabaseError, connection
from django.utils import timezone
from rich.console import Console

from memory.access.scope import UNHURRIED, user_scope
from memory.access.users import get_or_create_user
from memory.benchmarks.bulk import refresh_statistics
from memory.benchmarks.staging import connect_as_owner
from memory.evaluation import report
from memory.evaluation.loading import create_benchmark_organization
from memory.evaluation.report import BenchmarkTarget
from memory.evaluation.timing import LatencySpread, Stopwatch
from memory.lifecycle import promotion
from memory.models import EndUser, Organization

CHUNK = 20_000
# A million memories of one user, 5 % due, on two cores: 23 s the pass, 0.17 s the longest wait for a row.
PASS_TARGET_S = 60.0
LOCK_TARGET_MS = 1000.0
BETWEEN_REQUESTS_S = 0.01
FILL = """
INSERT INTO memory_item (id, user_id, tier, status, text, version, content_hash, tags, metadata, always_inject,
    importance, confidence, mentions, thread_id, speaker, source_type, source, trust, principal, parents, occurred_at,
    created_at, updated_at, expires_at, score, uses, worked, failed, partial, unknown, overruled_uses, last_outcome,
    retrieved, lexemes, indexing, index_attempts, index_after, index_error, vector_hash, indexed_at)
SELECT gen_random_uuid(), %(user)s, made.tier, 'active', 'Note ' || n || ' of a measurement', 1, md5(n::text), '{}',
    '{}', false, 0.7, 0.7, 1, 'thread-' || n / 50, '', 'user', '{}', 3, 'benchmark', '{}', made.born, made.born,
    made.born, made.born + made.life, made.score, made.uses, made.uses, 0, 0, 0, 0, '', 0,
    (SELECT array_to_tsvector(array_agg(DISTINCT 'w' || (n * 31 + k * 7919 + k * k * (n %% 97)) %% 5000))
     FROM generate_series(1, 20) k), 'ready', 0, made.born, '', 'benchmark', made.born
FROM generate_series(%(start)s::bigint, %(end)s::bigint) n
CROSS JOIN LATERAL (SELECT n %% 1000 < %(due)s AS is_due, n %% 4 AS kind, n %% 20 AS place) chosen
CROSS JOIN LATERAL (SELECT
    CASE WHEN is_due THEN (ARRAY['working', 'history', 'patterns', 'history'])[kind + 1]
         WHEN place < 4 THEN 'working' WHEN place < 14 THEN 'history' WHEN place < 18 THEN 'patterns'
         ELSE 'books' END AS tier,
    CASE WHEN is_due THEN (ARRAY[0.7, 0.9, 0.1, 0.5])[kind + 1] ELSE 0.5 END AS score,
    CASE WHEN is_due THEN (ARRAY[2, 3, 2, 0])[kind + 1] ELSE 0 END AS uses,
    %(now)s::timestamptz - CASE WHEN is_due AND kind = 3 THEN interval '31 days' ELSE interval '1 hour' END AS born,
    CASE WHEN is_due AND kind < 2 THEN interval '20 days' WHEN place < 4 THEN interval '24 hours'
         WHEN place < 14 OR is_due AND kind = 3 THEN interval '30 days' END AS life) made
"""


@dataclass(frozen=True)
class PromotionPlan:
    """``due`` is how many of a thousand rows have something to be done with them."""

    items: int = 1_000_000
    users: int = 1
    due: int = 50


@dataclass(slots=True)
class PromotionFigures:
    """Seconds of the pass that works all off and of the one after it; milliseconds of batches and of waiting."""

    loading_s: float = 0.0
    dry_run_s: float = 0.0
    pass_s: float = 0.0
    idle_pass_s: float = 0.0
    moved: int = 0
    let_go: int = 0
    spreads: dict[str, LatencySpread] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--memories", type=int, default=PromotionPlan.items)
    parser.add_argument("--users", type=int, default=PromotionPlan.users, help="who share the memories evenly")
    parser.add_argument("--due", type=int, default=PromotionPlan.due, help="of a thousand memories")


def measure(plan: PromotionPlan, console: Console) -> PromotionFigures:
    """Load, promote everybody once, and once more when nothing is due. What was loaded goes afterwards."""
    figures, watch, now = PromotionFigures(), Stopwatch(), timezone.now()
    with create_benchmark_organization(now) as organization:
        started = time.perf_counter()
        console.print(f"loading {plan.items:,} memories of {plan.users:,} users")
        users = load_rows(organization, plan, now)
        figures.loading_s = time.perf_counter() - started
        expected, figures.dry_run_s = run_passes(users, now, None, dry_run=True)
        console.print(f"promoting: {expected[0]:,} to move, {expected[1]:,} to let go")
        with measure_lock_waits(users, watch):
            (figures.moved, figures.let_go), figures.pass_s = run_passes(users, now, watch)
        (late, dropped), figures.idle_pass_s = run_passes(users, now, None)
        # A row that somebody held at that moment was passed over and is the next pass's.
        figures.moved, figures.let_go = figures.moved + late, figures.let_go + dropped
        console.print("clearing away")
    figures.spreads = watch.summarize()
    return figures


def load_rows(organization: Organization, plan: PromotionPlan, now: datetime) -> list[EndUser]:
    users = [get_or_create_user(organization, f"measured-{number}") for number in range(plan.users)]
    each = plan.items // plan.users
    for user in users:
        for start in range(0, each, CHUNK):
            with user_scope(user, settings=UNHURRIED), connection.cursor() as cursor:
                bounds = {"start": start, "end": min(start + CHUNK, each) - 1}
                cursor.execute(FILL, {"user": user.pk, "due": plan.due, "now": now, **bounds})
    with closing(connect_as_owner()) as owner:
        refresh_statistics(owner)
    return users


def run_passes(
    users: list[EndUser], now: datetime, watch: Stopwatch | None, *, dry_run: bool = False
) -> tuple[tuple[int, int], float]:
    """Promote everybody, one after the other, as one worker does."""
    moved = let_go = 0
    started = time.perf_counter()
    for user in users:
        before = time.perf_counter()
        done = promotion.promote_user(user, now=now, dry_run=dry_run, counting=False)
        moved, let_go = moved + done.moved, let_go + done.rested + done.let_go
        if watch:
            watch.add("longest batch of a user", done.longest_s * 1000)
            watch.add("pass of a user", (time.perf_counter() - before) * 1000)
    return (moved, let_go), time.perf_counter() - started


@contextmanager
def measure_lock_waits(users: list[EndUser], watch: Stopwatch) -> Iterator[None]:
    """Another writer that keeps locking rows of these users, as an outcome does, and measures how long each took."""
    over = threading.Event()
    thread = threading.Thread(target=request_rows, args=(users, watch, over), name="lock waits")
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def request_rows(users: list[EndUser], watch: Stopwatch, over: threading.Event) -> None:
    rng = random.Random(1)  # noqa: S311  (which row, not a secret)
    try:
        while not over.wait(BETWEEN_REQUESTS_S):
            user = rng.choice(users)
            after = uuid.UUID(int=rng.getrandbits(128))
            with watch.measure("wait for a row"), user_scope(user), connection.cursor() as cursor:
                cursor.execute(
                    "SELECT id FROM memory_item WHERE user_id = %s AND id > %s AND uses > 0 AND status = 'active' "
                    "ORDER BY id LIMIT 1 FOR NO KEY UPDATE",
                    [user.pk, after],
                )
    except DatabaseError:
        # Waited past the database's own limit for a lock.
        watch.add("wait for a row", LOCK_TARGET_MS * 2)
    finally:
        connection.close()


def print_figures(console: Console, plan: PromotionPlan, figures: PromotionFigures) -> None:
    each = f"{plan.items:,} memories of {plan.users:,} users, {plan.due / 10:g} % due"
    targets = {name: BenchmarkTarget(LOCK_TARGET_MS) for name in ("longest batch of a user", "wait for a row")}
    report.print_spreads(console, each, figures.spreads, targets)
    for name, seconds in (("dry run", figures.dry_run_s), ("pass", figures.pass_s), ("next pass", figures.idle_pass_s)):
        colour = "green" if seconds <= PASS_TARGET_S else "red"
        console.print(f"{name}: [{colour}]{timedelta(seconds=round(seconds, 2))}[/{colour}] ({seconds:.2f} s)")
    console.print(f"{figures.moved:,} moved up, {figures.let_go:,} archived; loaded in {figures.loading_s:.0f} s")
