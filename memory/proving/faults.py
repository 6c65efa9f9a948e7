"""Rows 18, 19, 21 and the gateway: a part that stands still or is dead costs quality, never data, and never hangs."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import httpx
import psutil

from memory.proving.crashes import kill_part
from memory.proving.patience import eventually
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, name_person

DEADLINE_S = 15.0
RESUMED_WITHIN_S = 60.0
FROZEN = ("embedder", "redis", "worker", "beat", "mcp")


@contextmanager
def hold_still(stage: ProvingStage, name: str) -> Iterator[None]:
    """A part that takes connections and answers nothing: harder on its callers than one that is gone."""
    main = stage.stack.find_child(name)
    every = [main, *main.children(recursive=True)]
    for process in every:
        process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in every:
            with suppress(psutil.Error):
                process.send_signal(signal.SIGCONT)


def prepare_person(stage: ProvingStage, what: str) -> str:
    user = name_person(what)
    with stage.call() as client:
        items = [{"text": f"Drawer {number} holds spoons and forks", "tier": "history"} for number in range(40)]
        client.post(f"/api/v1/users/{user}/memories/batch", json={"items": items}).raise_for_status()
    stage.wait_until_indexed(user)
    return user


def search_timed(client: httpx.Client, user: str, number: int) -> tuple[int, int, float]:
    """Status, results and seconds; status 0 for a call that was not answered in four deadlines."""
    begun = time.monotonic()
    try:
        answer = client.post(
            f"/api/v1/users/{user}/search", json={"query": f"Where are the spoons {number}?", "limit": 5}
        )
    except httpx.HTTPError:
        return 0, 0, time.monotonic() - begun
    found = len(answer.json()["results"]) if answer.status_code == 200 else 0
    return answer.status_code, found, time.monotonic() - begun


def prove_deadline(stage: ProvingStage) -> Finding:
    """With Postgres itself standing still nothing can be answered; it must be said in time."""
    user, asked, late, slowest, wrong = prepare_person(stage, "late"), 0, 0, 0.0, 0
    with stage.call(timeout_s=4 * DEADLINE_S) as client:
        for name in (*FROZEN, "postgres"):
            with hold_still(stage, name):
                for number in range(stage.scale(2, 20)):
                    status, _, seconds = search_timed(client, user, number)
                    asked += 1
                    late += seconds > DEADLINE_S + 0.25
                    slowest = max(slowest, seconds)
                    wrong += status != 200 if name != "postgres" else status not in (503, 504)
            eventually(stage.is_ready)
        status, _, _ = search_timed(client, user, 0)
    figure = (
        f"{late} of {asked} searches later than {DEADLINE_S:g} s with each part standing still, "
        f"the slowest {slowest:.1f} s; {wrong} answered other than 200, or 503 without Postgres; afterwards {status}"
    )
    return Finding(figure, late == wrong == 0 and status == 200)


def prove_degraded_answers(stage: ProvingStage) -> Finding:
    """Words alone still find, and a write is kept, while nothing can be embedded and nothing can be queued."""
    user, empty, failed, told = prepare_person(stage, "degraded"), 0, 0, 0
    with stage.call(timeout_s=4 * DEADLINE_S) as client:
        for name in ("embedder", "redis"):
            with hold_still(stage, name):
                status, found, _ = search_timed(client, user, 7)
                empty += found == 0
                answer = client.post(f"/api/v1/users/{user}/memories", json={"text": f"Told while {name} stood still"})
                failed += (status != 200) + (answer.status_code != 201)
                if name == "embedder":
                    debug = client.post(f"/api/v1/users/{user}/search", json={"query": "new words nobody asked"}).json()
                    told = len(debug["debug"]["fallbacks_used"])
    indexed = stage.wait_until_indexed(user)
    figure = (
        f"embedder and Redis standing still: {failed} of 4 calls failed, {empty} of 2 searches empty, "
        f"{told} fallbacks named; afterwards {indexed.get('ready')} of 42 indexed"
    )
    return Finding(figure, failed == empty == 0 and told > 0 and indexed == {"pending": 0, "ready": 42, "failed": 0})


def prove_redis_restarts(stage: ProvingStage) -> Finding:
    """After each kill of Redis the worker takes up work again."""
    rounds, slowest, resumed = stage.scale(2, 20), 0.0, 0
    for number in range(rounds):
        user = name_person("redis")
        kill_part(stage, "redis")
        begun = time.monotonic()
        with stage.call() as client:
            client.post(
                f"/api/v1/users/{user}/memories", json={"text": f"Told after restart {number}"}
            ).raise_for_status()
        status = stage.wait_until_indexed(user, RESUMED_WITHIN_S)
        slowest = max(slowest, time.monotonic() - begun)
        resumed += status.get("ready") == 1
    figure = f"{resumed} of {rounds} restarts resumed, the slowest in {slowest:.1f} s"
    return Finding(figure, resumed == rounds and slowest <= RESUMED_WITHIN_S)


def prove_gateway(stage: ProvingStage) -> Finding:
    """Behind it nobody listens: errors come in time, a search beside it is answered, nothing is half stored."""
    user = prepare_person(stage, "gateway")
    slowest, statuses = 0.0, set()
    with stage.call(timeout_s=4 * DEADLINE_S) as client:
        for stream in (False, True):
            for _ in range(stage.scale(3, 30)):
                begun = time.monotonic()
                answer = client.post(
                    "/v1/chat/completions",
                    json={
                        "model": "m",
                        "stream": stream,
                        "messages": [{"role": "user", "content": "Where are the spoons?"}],
                    },
                    headers={"x-user-id": user, "x-thread-id": "gateway"},
                )
                slowest = max(slowest, time.monotonic() - begun)
                statuses.add(answer.status_code)
        beside, found, _ = search_timed(client, user, 3)
        threads = client.get(f"/api/v1/users/{user}/threads").json()["items"]
    figure = (
        f"no model behind it: answers {sorted(statuses)}, the slowest {slowest:.1f} s; "
        f"a search beside it {beside} with {found} found; {len(threads)} half exchanges stored"
    )
    return Finding(
        figure, statuses <= {502, 503, 504} and slowest <= DEADLINE_S and beside == 200 and found > 0 and not threads
    )
