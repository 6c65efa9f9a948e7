"""Rows 15, 16 and 17: the index is mended from the rows, what is erased leaves no trace, a backup is the same again."""

import shutil
import time
from pathlib import Path

import redis

from config import embedded
from memory.benchmarks.serving import find_free_port
from memory.proving.installation import Stack, manage
from memory.proving.isolation import keep_canary
from memory.proving.patience import eventually
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, end_installation, name_canary, name_person

ERASED_WITHIN_S = 60.0
RESTORED_WITHIN_S = 1800.0
SETTLED_S = 4.0
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
COUNTED = ("end_user", "memory_item", "fact", "exchange", "api_key")


def prove_repair(stage: ProvingStage) -> Finding:
    """A third of the vectors is deleted behind the product's back; search answers, and the check mends it."""
    user, count = name_person("drift"), 90
    with stage.call() as client:
        items = [{"text": f"Jar {number} holds buttons of {user}", "tier": "history"} for number in range(count)]
        client.post(f"/api/v1/users/{user}/memories/batch", json={"items": items}).raise_for_status()
        stage.wait_until_indexed(user)
        with stage.query_all() as server:
            mine = "SELECT v.item_id FROM memory_vector v JOIN end_user u ON u.id = v.user_id WHERE u.external_id = %s"
            before = len(server.execute(mine, [user]).fetchall())
            lose = f"DELETE FROM memory_vector WHERE item_id IN ({mine} LIMIT 30)"  # noqa: S608  (both of this module)
            deleted = server.execute(lose, [user]).rowcount
            searched = client.post(f"/api/v1/users/{user}/search", json={"query": "Where are the buttons?"}).status_code
            stage.manage("check_consistency")
            stage.wait_until_indexed(user)
            eventually(lambda: len(server.execute(mine, [user]).fetchall()) == before)
            after = len(server.execute(mine, [user]).fetchall())
    second = stage.manage("check_consistency")
    is_clean = "index and rows agree" in second
    figure = (
        f"{deleted} of {before} vectors lost, {after - before + deleted} made again; search meanwhile {searched}; "
        f"second check {'finds nothing' if is_clean else 'still finds drift'}"
    )
    return Finding(figure, (deleted, after, searched, is_clean) == (30, count, 200, True))


def find_traces(stage: ProvingStage, word: str) -> list[str]:
    """Where the word still stands: tables, Redis, and the files but those of the database."""
    traces = []
    with stage.query_all() as server:
        for (table,) in server.execute(TABLES).fetchall():
            count = f'SELECT count(*) FROM "{table}" t WHERE t::text ILIKE %s'  # noqa: S608  (a name of the catalogue)
            found = server.execute(count, [f"%{word}%"]).fetchone()
            traces += [f"table {table}"] if found and found[0] else []
    kept = redis.Redis.from_url(embedded.redis_url(stage.stack.data_dir))
    for key in kept.scan_iter(count=1000):
        if word.encode() in key or word.encode() in (kept.dump(key) or b""):
            traces.append(f"redis {key[:40]!r}")
    for path in stage.stack.data_dir.rglob("*"):
        if (
            "pg" not in path.relative_to(stage.stack.data_dir).parts[:1]
            and path.is_file()
            and word.encode() in path.read_bytes()
        ):
            traces.append(f"file {path.name}")
    return traces


def prove_erasure(stage: ProvingStage) -> Finding:
    """The word is found before, so that finding it nowhere afterwards means something."""
    user, canary = name_person("erased"), name_canary()
    item = keep_canary(stage, user, canary)
    with stage.call() as client:
        stage.wait_until_indexed(user)
        was_found = item in client.post(f"/api/v1/users/{user}/search", json={"query": f"the boat {canary}"}).text
        before = find_traces(stage, canary)
        begun = time.monotonic()
        client.delete(f"/api/v1/users/{user}/memories/{item}").raise_for_status()
        gone = item not in client.post(f"/api/v1/users/{user}/search", json={"query": f"the boat {canary}"}).text
        client.delete(f"/api/v1/users/{user}").raise_for_status()
        eventually(lambda: not find_traces(stage, canary), ERASED_WITHIN_S)
    seconds, after = time.monotonic() - begun, find_traces(stage, canary)
    figure = (
        f"in {len(before)} places before, {len(after)} after {seconds:.0f} s {' '.join(after[:4])}; "
        f"a deleted memory {'is gone' if gone else 'is still found'} in the same second"
    )
    return Finding(figure, was_found and bool(before) and not after and gone)


def count_tables(stage: ProvingStage) -> dict[str, int]:
    with stage.query_all() as server:
        known = {name for (name,) in server.execute(TABLES).fetchall()}
        found = {}
        for table in sorted(known & set(COUNTED)):
            (found[table],) = server.execute(f'SELECT count(*) FROM "{table}"').fetchone() or (0,)  # noqa: S608
        return found


def count_settled(stage: ProvingStage) -> dict[str, int]:
    """Once the worker has read what was told: rows that it adds meanwhile would be no difference of the backup's."""
    counts = count_tables(stage)

    def is_settled() -> bool:
        before = counts.copy()
        time.sleep(SETTLED_S)
        counts.update(count_tables(stage))
        return counts == before

    eventually(is_settled)
    return counts


def prove_backup(stage: ProvingStage) -> Finding:
    """Into a second installation, which answers for the same person with the same key."""
    user, canary = name_person("backup"), name_canary()
    keep_canary(stage, user, canary)
    home = stage.stack.data_dir.parent
    archive, before = home / "backup.zip", count_settled(stage)
    archive.unlink(missing_ok=True)
    stage.manage("backup", str(archive))
    begun = time.monotonic()
    again = ProvingStage(Stack(home / "again" / "data", find_free_port(), find_free_port()), stage.is_brief, stage.say)
    again.stack.data_dir.parent.mkdir()
    try:
        again.start("--no-demo")
        hostile = is_hostile_refused(again, archive)
        again.manage("restore", str(archive))
        seconds, after = time.monotonic() - begun, count_tables(again)
        with again.call(stage.stack.api_key) as client:
            found = canary in client.get(f"/api/v1/users/{user}/memories").text
    finally:
        end_installation(again.stack)
        shutil.rmtree(home / "again", ignore_errors=True)
    differing = [table for table, rows in before.items() if after.get(table) != rows]
    figure = (
        f"{sum(before.values()):,} rows of {len(before)} tables, {len(differing)} tables differ {' '.join(differing)}; "
        f"restored in {seconds:.0f} s with the start; the person {'is' if found else 'is not'} found by the same key; "
        f"a damaged archive "
        f"{'is refused' if hostile else 'is taken'}"
    )
    return Finding(figure, not differing and found and hostile and seconds <= RESTORED_WITHIN_S)


def is_hostile_refused(stage: ProvingStage, archive: Path) -> bool:
    damaged = archive.with_name("damaged.zip")
    damaged.write_bytes(archive.read_bytes()[:-2000])
    return manage("restore", str(damaged), data_dir=stage.stack.data_dir).returncode != 0
