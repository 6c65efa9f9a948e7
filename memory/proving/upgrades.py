"""Row 35: the tables of an earlier state, filled, become today's while people go on reading and writing."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

import httpx
import psycopg

from config import embedded
from memory.benchmarks.serving import find_free_port
from memory.proving.installation import Stack
from memory.proving.isolation import ISOLATED_TABLES, UNFORCED
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, end_installation, name_person

# The earliest state whose tables today's program still reads and writes memories in, so that it can go on meanwhile.
EARLIER: Final = (("memory", "0026_operator_display"), ("outcomes", "0012_unexplained_failures"))
LOCKED_AT_MOST_S: Final = 2.0
ANSWERED_WITHIN_S: Final = 5.0
CLIENTS: Final = 4
LOOK_EVERY_S: Final = 0.02
# With a number of its own for each row wherever rows may not be alike.
COPY_MEMORIES = """
INSERT INTO memory_item SELECT (jsonb_populate_record(m, jsonb_build_object(
    'id', gen_random_uuid(), 'text', m.text || ' ' || n, 'content_hash', md5(m.text || n) || md5(n::text)
))).* FROM memory_item m, generate_series(1, %s) n WHERE m.id = %s
"""
COPY_FACTS = """
INSERT INTO fact SELECT (jsonb_populate_record(f, jsonb_build_object(
    'id', gen_random_uuid(), 'object_key', f.object_key || ' ' || n, 'statement', f.statement || ' ' || n
))).* FROM fact f, generate_series(1, %s) n WHERE f.id = %s
"""
# What an upgrade must leave as it is, whatever columns it adds.
SUMS: Final = {
    "memory_item": (
        "SELECT count(*), md5(string_agg(id::text || text || tier || status, '' ORDER BY id)) FROM memory_item "
        "WHERE user_id = %s AND text NOT LIKE 'Meanwhile%%'"
    ),
    "fact": (
        "SELECT count(*), md5(string_agg(id::text || statement || state, '' ORDER BY id)) FROM fact WHERE user_id = %s"
    ),
}
WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND usename = %s"


@dataclass(slots=True)
class UpgradeTraffic:
    """Tells, finds, lists and reads facts, as long as the upgrade lasts."""

    stage: ProvingStage
    user: str
    statuses: list[int] = field(default_factory=list)
    acknowledged: list[str] = field(default_factory=list)
    slowest_s: float = 0.0

    @contextmanager
    def keep_going(self) -> Iterator[None]:
        over = threading.Event()
        with ThreadPoolExecutor(CLIENTS) as pool:
            running = [pool.submit(self.call_until, over, number) for number in range(CLIENTS)]
            try:
                yield
            finally:
                over.set()
            for one in running:
                one.result()

    def call_until(self, over: threading.Event, number: int) -> None:
        with self.stage.call() as client:
            while not over.is_set():
                number += 1
                begun = time.monotonic()
                self.statuses.append(self.call_once(client, number))
                self.slowest_s = max(self.slowest_s, time.monotonic() - begun)
                time.sleep(0.2)

    def call_once(self, client: httpx.Client, number: int) -> int:
        base = f"/api/v1/users/{self.user}"
        with suppress(httpx.HTTPError):
            if number % 4 == 0:
                told = {"text": f"Meanwhile crate {number} of {threading.get_ident()} came", "tier": "history"}
                answer = client.post(f"{base}/memories", json=told)
                self.acknowledged += [str(answer.json()["id"])] if answer.status_code == 201 else []
                return answer.status_code
            if number % 4 == 1:
                return client.post(f"{base}/search", json={"query": f"Where is crate {number}?"}).status_code
            return client.get(f"{base}/{('facts', 'memories')[number % 2]}?limit=5").status_code
        return 0

    @property
    def failed(self) -> int:
        return sum(not 200 <= status < 300 for status in self.statuses)


@dataclass(slots=True)
class LockWatch:
    """How long the product's sessions wait for a lock at a stretch."""

    stage: ProvingStage
    longest_s: float = 0.0
    looks: int = 0

    @contextmanager
    def keep_looking(self) -> Iterator[None]:
        over = threading.Event()
        with self.stage.query_all() as server, ThreadPoolExecutor(1) as pool:
            done = pool.submit(self.look_until, over, server)
            try:
                yield
            finally:
                over.set()
            done.result()

    def look_until(self, over: threading.Event, server: "psycopg.Connection[tuple[int]]") -> None:
        since: dict[int, float] = {}
        while not over.is_set():
            now = time.monotonic()
            waiting = {pid for (pid,) in server.execute(WAITING, [embedded.ROLES["app"]]).fetchall()}
            since = {pid: since.get(pid, now) for pid in waiting}
            self.longest_s = max([self.longest_s, *(now - begun for begun in since.values())])
            self.looks += 1
            time.sleep(LOOK_EVERY_S)


def prove_upgrade(stage: ProvingStage) -> Finding:
    """In an installation of its own, whose tables go back first."""
    home = stage.stack.data_dir.parent / "earlier"
    home.mkdir()
    earlier = ProvingStage(Stack(home / "data", find_free_port(), find_free_port()), stage.is_brief, stage.say)
    try:
        earlier.start()
        return upgrade_filled(earlier, stage.scale(20_000, 200_000))
    finally:
        end_installation(earlier.stack)


def upgrade_filled(stage: ProvingStage, rows: int) -> Finding:
    user = name_person("upgrade")
    behind = go_back(stage)
    person = fill_tables(stage, user, rows)
    before = sum_up(stage, person)
    traffic, locks = UpgradeTraffic(stage, user), LockWatch(stage)
    with locks.keep_looking(), traffic.keep_going():
        time.sleep(1)
        begun = time.monotonic()
        stage.manage("migrate", "--no-input")
        seconds = time.monotonic() - begun
        time.sleep(1)
    after = sum_up(stage, person)
    return judge_upgrade(
        UpgradeFigures(
            behind,
            rows,
            seconds,
            [table for table, sums in before.items() if after[table] != sums],
            count_lost(stage, user, traffic.acknowledged),
            count_behind(stage),
            count_unforced(stage),
        ),
        traffic,
        locks,
    )


@dataclass(frozen=True, slots=True)
class UpgradeFigures:
    behind: int
    rows: int
    seconds: float
    differing: list[str]
    lost: int
    left: int
    unforced: int


def judge_upgrade(done: UpgradeFigures, traffic: UpgradeTraffic, locks: LockWatch) -> Finding:
    kept = len(traffic.acknowledged)
    figure = (
        f"{done.behind} migrations in {done.seconds:.0f} s over {done.rows:,} memories and as many facts: "
        f"{len(done.differing)} of {len(SUMS)} tables differ {' '.join(done.differing)}; {done.lost} of {kept} written "
        f"meanwhile lost; {traffic.failed} of {len(traffic.statuses)} requests failed, the slowest "
        f"{traffic.slowest_s:.1f} s (at most {ANSWERED_WITHIN_S:.0f}), the longest wait for a lock "
        f"{locks.longest_s:.1f} s (at most {LOCKED_AT_MOST_S:.0f}); {done.left} left to do, {done.unforced} tables "
        f"without forced security"
    )
    is_whole = not done.differing and done.lost == done.left == done.unforced == 0 < min(kept, done.behind)
    is_quick = traffic.slowest_s <= ANSWERED_WITHIN_S and locks.longest_s <= LOCKED_AT_MOST_S and locks.looks > 0
    return Finding(figure, is_whole and is_quick and traffic.failed == 0)


def count_lost(stage: ProvingStage, user: str, written: list[str]) -> int:
    with stage.call() as client:
        return sum(client.get(f"/api/v1/users/{user}/memories/{one}").status_code != 200 for one in written)


def count_unforced(stage: ProvingStage) -> int:
    with stage.query_all() as server:
        tables = [name for (name,) in server.execute(ISOLATED_TABLES).fetchall()]
        return len(server.execute(UNFORCED, [tables]).fetchall())


def go_back(stage: ProvingStage) -> int:
    """To the earlier state. How many migrations that is."""
    for app, name in EARLIER:
        stage.manage("migrate", "--no-input", app, name)
    return count_behind(stage)


def count_behind(stage: ProvingStage) -> int:
    return stage.manage("showmigrations", "--plan").count("[ ]")


def fill_tables(stage: ProvingStage, user: str, rows: int) -> int:
    """Many rows of one memory and of one fact that the product has made. Returns the person's number."""
    with stage.call() as client:
        told = {"text": "The crate stands in the shed", "tier": "history"}
        item = client.post(f"/api/v1/users/{user}/memories", json=told).raise_for_status().json()["id"]
        client.post(f"/api/v1/users/{user}/facts", json={"statement": "I have a crate."}).raise_for_status()
    stage.wait_until_indexed(user)
    with stage.query_all() as server:
        (person,) = server.execute("SELECT id FROM end_user WHERE external_id = %s", [user]).fetchone() or (0,)
        (fact,) = server.execute("SELECT id FROM fact WHERE user_id = %s LIMIT 1", [person]).fetchone() or (None,)
        server.execute(COPY_MEMORIES, [rows, item])
        server.execute(COPY_FACTS, [rows, fact])
        server.execute("ANALYZE")
    return int(person)


def sum_up(stage: ProvingStage, person: int) -> dict[str, tuple[int, str]]:
    with stage.query_all() as server:
        return {table: server.execute(statement, [person]).fetchone() or (0, "") for table, statement in SUMS.items()}
