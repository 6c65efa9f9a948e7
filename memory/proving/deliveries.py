"""Rows 9, 10 and 11: a message that comes twice, late or from two clocks has one effect; one that kills is given up."""

import random
import time
from collections.abc import Sequence
from contextlib import suppress

import httpx
import psutil
import redis
from celery import Celery
from django.conf import settings

from config import embedded
from config.schedule import SCHEDULE
from memory.platform.queue import LEFT_OVER
from memory.proving.inputs import read_status
from memory.proving.patience import PATIENCE_S, eventually
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, name_person

PERSONAL = (
    "memory.promote_user", "memory.index_user", "memory.complete_facts", "memory.consolidate_user",
    "outcomes.read_exchanges", "knowledge_graph.learn_user", "books.work",
)  # fmt: skip
QUEUES = ("fast", "slow", "books")
# Between a queue and a priority, as the broker's client names the list of what is left over.
PRIORITY_SEPARATOR = "\x06\x16"
SETTLED_S = 3.0
MOST_ATTEMPTS = 3
KILLS = 8
ROWS = "SELECT id, tier, status, score, uses, version FROM memory_item WHERE user_id = %s ORDER BY id"
STEPS = (
    "SELECT count(*), count(DISTINCT (item_id, kind, before::text, after::text)) FROM memory_event WHERE user_id = %s"
)
JOB = "SELECT j.attempts, j.state FROM book_job j JOIN end_user u ON u.id = j.user_id WHERE u.external_id = %s"


def prepare_due(stage: ProvingStage, user: str, count: int) -> int:
    """A person whose memories are all due to rise. Returns the person's number."""
    with stage.call() as client:
        for first in range(0, count, 50):
            items = [{"text": f"Ladder {number} of {user} stands in the barn"} for number in range(first, first + 50)]
            client.post(f"/api/v1/users/{user}/memories/batch", json={"items": items}).raise_for_status()
    stage.wait_until_indexed(user)
    with stage.query_all() as server:
        (person,) = server.execute("SELECT id FROM end_user WHERE external_id = %s", [user]).fetchone() or (0,)
        server.execute("UPDATE memory_item SET score = 0.97, uses = 9 WHERE user_id = %s", [person])
    return int(person)


def deliver(stage: ProvingStage, messages: Sequence[tuple[str, tuple[int, ...]]], *, seed: int) -> None:
    """In any order, to the worker of the installation; returns when the queues are empty and rows stay as they are."""
    address = embedded.redis_url(stage.stack.data_dir)
    mixed = random.Random(seed).sample(messages, len(messages))  # noqa: S311  (an order)
    prefix = str(settings.CELERY_BROKER_TRANSPORT_OPTIONS["global_keyprefix"])
    with Celery("prove", broker=embedded.build_broker_url(address)) as sender:
        sender.conf.broker_transport_options = {"global_keyprefix": prefix}
        for name, arguments in mixed:
            route = settings.CELERY_TASK_ROUTES.get(name, {"queue": settings.CELERY_TASK_DEFAULT_QUEUE})
            sender.send_task(name, arguments, queue=route["queue"], ignore_result=True)
    kept = redis.Redis.from_url(address)
    lists = [prefix + queue + behind for queue in QUEUES for behind in ("", f"{PRIORITY_SEPARATOR}{LEFT_OVER}")]
    eventually(lambda: not any(kept.llen(one) for one in lists))
    time.sleep(SETTLED_S)


def read_effects(stage: ProvingStage, person: int) -> tuple[list[tuple[object, ...]], int, int]:
    """The memories, their steps, and how many steps are told that are not the same one again."""
    with stage.query_all() as server:
        rows = server.execute(ROWS, [person]).fetchall()
        steps, distinct = server.execute(STEPS, [person]).fetchone() or (0, 0)
    return rows, steps, distinct


def count_raised(rows: list[tuple[object, ...]]) -> int:
    return sum(row[1] != "working" for row in rows)


def prove_deliveries(stage: ProvingStage) -> Finding:
    """Three of each at once, and again when all is done."""
    user, count = name_person("again"), stage.scale(100, 2000)
    person, times = prepare_due(stage, user, count), 3
    messages = [(name, (person,)) for name in PERSONAL] * times
    deliver(stage, messages, seed=1)
    rows, steps, distinct = read_effects(stage, person)
    for late in range(stage.scale(2, 20)):
        deliver(stage, messages, seed=2 + late)
    again, more, _ = read_effects(stage, person)
    differing = sum(before != after for before, after in zip(rows, again, strict=False)) + abs(len(rows) - len(again))
    with stage.call() as client:
        status = client.get(f"/api/v1/users/{user}/index-status").json()
    figure = (
        f"{len(PERSONAL)} kinds of message, {times} of each in any order, and late once more: {count_raised(rows)} of "
        f"{count} memories rose, {steps - distinct} of {steps} steps told twice; later {differing} rows differ and "
        f"{more - steps} steps were added; {status['ready']} indexed, {status['failed']} failed"
    )
    is_once = steps == distinct == more and not differing
    return Finding(figure, is_once and count_raised(rows) == count == status["ready"])


def prove_two_schedules(stage: ProvingStage) -> Finding:
    """All that the schedule ever sends, from two clocks at once and from a third that is late."""
    person, count = prepare_due(stage, name_person("clocks"), 100), 100
    entries = [(str(entry["task"]), ()) for entry in SCHEDULE.values()]
    for clock in range(stage.scale(1, 10)):
        deliver(stage, entries * 2, seed=clock)
    # What the schedule sends makes messages for each person, which follow it.
    eventually(lambda: count_raised(read_effects(stage, person)[0]) == count)
    rows, steps, distinct = read_effects(stage, person)
    deliver(stage, entries, seed=99)
    again, more, _ = read_effects(stage, person)
    differing = sum(before != after for before, after in zip(rows, again, strict=False))
    figure = (
        f"{len(entries)} entries of the schedule from two clocks at once and from a late one: {count_raised(rows)} of "
        f"{count} memories rose, {steps - distinct} of {steps} steps told twice, {differing} rows differ after the "
        f"late clock and {more - steps} steps were added"
    )
    return Finding(figure, count_raised(rows) == count and steps == distinct == more and not differing)


def prove_given_up(stage: ProvingStage) -> Finding:
    """Whoever takes the book up dies; it is given up with a reason, and another person's book is read."""
    user, kills = name_person("deadly"), 0
    headers, others = {"x-user-id": user}, {"x-user-id": name_person("beside")}
    long = "\n\n".join(f"Shelf {line} of {user} keeps a lantern and {line * 7} wicks." for line in range(20_000))
    with stage.call() as client, stage.query_all() as server:
        handed = client.post("/api/v1/books/upload", files={"file": ("a.txt", long.encode())}, headers=headers)
        handed.raise_for_status()

        def has_ended() -> bool:
            nonlocal kills
            attempts, state = server.execute(JOB, [user]).fetchone() or (0, "")
            if state == "processing" and attempts > kills:
                kills += kill_workers(stage)
            return state not in ("pending", "processing") or kills >= KILLS

        eventually(has_ended, 5 * PATIENCE_S)
        _, state = server.execute(JOB, [user]).fetchone() or (0, "")
        told = client.get(f"/api/v1/books/jobs/{handed.json()['job_id']}/status", headers=headers).json()
        books = client.get("/api/v1/books/list", headers=headers).json()["items"]
        begun = time.monotonic()
        plain = client.post("/api/v1/books/upload", files={"file": ("b.txt", b"Bees live here.")}, headers=others)
        is_read = eventually(lambda: read_status(client, plain, others) == "completed")
        seconds = time.monotonic() - begun
    figure = (
        f"{kills} workers killed by it, then {state}{' with its reason' if told.get('error') else ''}, {len(books)} "
        f"books of it; another's {'is read' if is_read else 'is not read'} after {seconds:.0f} s"
    )
    is_bounded = 0 < kills <= MOST_ATTEMPTS and state == "failed" and bool(told.get("error"))
    return Finding(figure, is_bounded and not books and is_read)


def kill_workers(stage: ProvingStage) -> int:
    """kill -9 of those who do the work, not of the one who watches over them. 1 when any died."""
    with suppress(StopIteration, psutil.Error, httpx.HTTPError):
        workers = stage.stack.find_child("books").children()
        for worker in workers:
            worker.kill()
        return int(bool(workers))
    return 0
