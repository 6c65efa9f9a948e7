"""Rows 4, 13, 14 and 24: many others, a lost index, a new one under writes, and many at once cost no answer."""

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from memory.benchmarks.serving import find_free_port
from memory.proving.faults import search_timed
from memory.proving.installation import Stack
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, end_installation, name_person

SAME_WITHIN = 0.99
SEARCH_P95_MS = 200.0
BESIDE_OTHERS = 2.0
# Below this a search is fast enough that twice as long says nothing.
NOTICED_MS = 60.0
ASKED = 20
WORDS = ("lamp", "kettle", "ladder", "anchor", "violin", "compass", "barrel", "lantern", "saddle", "window")


def fill_person(stage: ProvingStage, what: str, count: int) -> str:
    user = name_person(what)
    with stage.call() as client:
        for first in range(0, count, 50):
            items = [
                {"text": f"The {WORDS[number % 10]} number {number} stands in room {number // 10}", "tier": "history"}
                for number in range(first, min(first + 50, count))
            ]
            client.post(f"/api/v1/users/{user}/memories/batch", json={"items": items}).raise_for_status()
    stage.wait_until_indexed(user)
    return user


def ask_all(stage: ProvingStage, user: str) -> list[set[str]]:
    """The first ten of each question."""
    found = []
    with stage.call() as client:
        for number in range(ASKED):
            query = f"In which room is the {WORDS[number % 10]} of number {number}?"
            answer = client.post(f"/api/v1/users/{user}/search", json={"query": query, "limit": 10})
            found.append({str(one["memory_id"]) for one in answer.raise_for_status().json()["results"]})
    return found


def measure_overlap(before: list[set[str]], after: list[set[str]]) -> float:
    return sum(len(one & other) for one, other in zip(before, after, strict=True)) / max(1, sum(map(len, before)))


@dataclass(slots=True)
class SteadySearcher:
    """Asks as long as something happens to the index."""

    stage: ProvingStage
    user: str
    statuses: list[int] = field(default_factory=list)
    slowest: float = 0.0

    @contextmanager
    def keep_asking(self) -> Iterator[None]:
        over = threading.Event()

        def ask() -> None:
            with self.stage.call() as client:
                while not over.is_set():
                    status, _, seconds = search_timed(client, self.user, len(self.statuses))
                    self.statuses.append(status)
                    self.slowest = max(self.slowest, seconds)
                    time.sleep(0.05)

        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(ask)
            try:
                yield
            finally:
                over.set()
            done.result()

    @property
    def failed(self) -> int:
        return sum(status != 200 for status in self.statuses)


def prove_disposable_index(stage: ProvingStage) -> Finding:
    """All vectors of everybody are lost at once and made again from the rows; with pgvector in Qdrant's place."""
    user = fill_person(stage, "disposable", stage.scale(300, 5000))
    before, searcher = ask_all(stage, user), SteadySearcher(stage, user)
    named = "SELECT item_id::text || vector_hash FROM memory_vector ORDER BY 1"
    with stage.query_all() as server:
        were = server.execute(named).fetchall()
        with searcher.keep_asking():
            server.execute("DELETE FROM memory_vector")
            time.sleep(1)
            begun = time.monotonic()
            stage.manage("reindex")
            seconds = time.monotonic() - begun
        are = {row for (row,) in server.execute(named).fetchall()}
    kept = sum(row in are for (row,) in were)
    overlap = measure_overlap(before, ask_all(stage, user))
    figure = (
        f"of pgvector, in Qdrant's place: {kept} of {len(were)} vectors the same again after {seconds:.0f} s, "
        f"overlap of the first ten {overlap:.3f}; meanwhile {searcher.failed} of {len(searcher.statuses)} searches "
        f"failed, the slowest {searcher.slowest:.1f} s"
    )
    is_same = kept == len(were) > 0 and overlap >= SAME_WITHIN
    return Finding(figure, is_same and searcher.failed == 0 and len(searcher.statuses) > 0)


def run_bench(stage: ProvingStage, kind: str, *flags: str, **options: float) -> dict[str, Any]:
    file = stage.stack.data_dir.parent / f"{kind}.json"
    words = [f"--{name}={value:g}" for name, value in options.items()]
    stage.manage("bench", kind, *flags, *words, f"--json={file}")
    measured: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return measured


def prove_new_index(stage: ProvingStage) -> Finding:
    """`bench load`: while others write and delete, the index is built anew and takes the old one's place."""
    found = run_bench(
        stage,
        "load",
        memories=stage.scale(500, 20_000),
        clients=4,
        searches=8,
        writes=stage.scale(10, 50),
        seconds=stage.scale(10, 60),
    )
    figure = (
        f"{found['written']} written and {found['deleted']} deleted meanwhile, index {found['rebuilt']}: "
        f"{found['lost']} lost, {found['stale']} deleted ones found, {found['drift']} differences of index and rows, "
        f"{len(found['errors'])} errors"
    )
    is_whole = not (found["lost"] or found["stale"] or found["drift"] or found["errors"])
    return Finding(figure, is_whole and found["written"] > 0 and found["deleted"] > 0)


def prove_latency(stage: ProvingStage) -> Finding:
    """`bench load` at a steady rate without a rebuilding."""
    found = run_bench(
        stage,
        "load",
        "--no-rebuild",
        memories=stage.scale(500, 20_000),
        clients=stage.scale(8, 20),
        searches=stage.scale(10, 20),
        writes=stage.scale(5, 20),
        seconds=stage.scale(15, 120),
    )
    quiet, busy = found["quiet"]["p95"], found["busy"]["p95"]
    figure = (
        f"search p95 {quiet:.0f} ms, while others write {busy:.0f} ms of {found['busy']['count']} (at most "
        f"{SEARCH_P95_MS:.0f}); {len(found['errors'])} errors"
    )
    return Finding(figure, max(quiet, busy) <= SEARCH_P95_MS and not found["errors"])


def prove_isolation_costs(stage: ProvingStage) -> Finding:
    """In an installation of its own, whose other rows are not those of many people: alone, and beside all of them."""
    home, others = stage.stack.data_dir.parent / "crowded", stage.scale(20_000, 400_000)
    crowded = ProvingStage(Stack(home / "data", find_free_port(), find_free_port()), stage.is_brief, stage.say)
    home.mkdir()
    try:
        crowded.start()
        sizes = (1, 40, stage.scale(300, 1000))
        people = [fill_person(crowded, "beside", size) for size in sizes]
        before = [ask_all(crowded, user) for user in people]
        alone = run_bench(crowded, "speed", memories=200, queries=50)
        # Kept, so that the questions afterwards are asked beside them too.
        beside = run_bench(crowded, "speed", "--keep", memories=200, queries=50, others=others)
        after = [ask_all(crowded, user) for user in people]
    finally:
        end_installation(crowded.stack)
    short = sum(len(one) != min(10, size) for found, size in zip(after, sizes, strict=True) for one in found)
    overlap = min(measure_overlap(one, other) for one, other in zip(before, after, strict=True))
    quick, slow = alone["spreads"]["search"]["p95"], beside["spreads"]["search"]["p95"]
    figure = (
        f"beside {others:,} memories of others: overlap of the first ten {overlap:.3f} for people with "
        f"{', '.join(map(str, sizes))} memories, {short} answers too short; search p95 {quick:.0f} ms alone and "
        f"{slow:.0f} ms beside them"
    )
    return Finding(figure, overlap >= SAME_WITHIN and not short and slow <= max(NOTICED_MS, BESIDE_OTHERS * quick))


def prove_overload(stage: ProvingStage) -> Finding:
    """`bench overload`: three times as many requests as can be served."""
    found = run_bench(stage, "overload", memories=stage.scale(300, 5_000), seconds=stage.scale(10, 60))
    statuses = ", ".join(f"{number} x {status}" for status, number in sorted(found["statuses"].items()))
    figure = (
        f"it serves {found['capacity']:.0f} requests a second; of {found['sent']} in {found['seconds']:.0f} s "
        f"{found['in_time']} were answered in time ({statuses}); health at most "
        f"{found['spreads']['health']['worst']:.0f} ms; {found['lost']} of {found['acknowledged']} writes lost; as "
        f"fast as before after {found['recovered_s']:.1f} s"
    )
    return Finding(figure, bool(found["is_kept"]) and found["acknowledged"] > 0)
