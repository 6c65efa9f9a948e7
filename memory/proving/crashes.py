"""Rows 6, 7, 8 and 12: what was acknowledged is there once, whatever dies meanwhile."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field

import httpx
import psutil
import redis

from config import embedded
from memory.proving.patience import PATIENCE_S, eventually
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, name_person

WRITERS = 4
PAUSE_S = 0.25
PARTS = ("postgres", "redis", "embedder", "web", "worker", "books", "beat", "mcp")
INDEXED_WITHIN_S = 60.0


@dataclass(slots=True)
class WriteRun:
    """Clients that write until they are told to stop, each write under a key and sent until it is answered."""

    stage: ProvingStage
    user: str
    acknowledged: dict[str, str] = field(default_factory=dict)
    resent: int = 0
    unanswered: int = 0
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _stop: threading.Event = field(default_factory=threading.Event)

    def write_during(self, hurt: Callable[[], None]) -> None:
        with ThreadPoolExecutor(WRITERS) as pool:
            writing = [pool.submit(self.write) for _ in range(WRITERS)]
            try:
                hurt()
            finally:
                self._stop.set()
            for one in writing:
                one.result()

    def write(self) -> None:
        with self.stage.call(timeout_s=30) as client:
            while not self._stop.is_set():
                number = next(self._numbers)
                text = f"Parcel {number} of {self.user} waits in hall {number % 97}"
                if answered := self.send(client, text, f"{self.user}-{number}"):
                    self.acknowledged[answered] = text
                else:
                    self.unanswered += 1
                time.sleep(0.02)

    def send(self, client: httpx.Client, text: str, key: str) -> str:
        """The id, or nothing when nobody answered for as long as a client waits."""
        give_up_at = time.monotonic() + PATIENCE_S
        while time.monotonic() < give_up_at:
            with suppress(httpx.HTTPError):
                answer = client.post(
                    f"/api/v1/users/{self.user}/memories",
                    json={"text": text, "tier": "history"},
                    headers={"idempotency-key": key},
                )
                if answer.is_success:
                    return str(answer.json()["id"])
            self.resent += 1
            time.sleep(PAUSE_S)
        return ""

    def count_kept(self) -> tuple[int, int]:
        """How many that were acknowledged are missing or changed, and how many texts are there twice."""
        with self.stage.query_all() as server:
            rows = server.execute(
                "SELECT m.id::text, m.text FROM memory_item m JOIN end_user u ON u.id = m.user_id "
                "WHERE u.external_id = %s",
                [self.user],
            ).fetchall()
        kept = {str(item): str(text) for item, text in rows}
        lost = sum(kept.get(item) != text for item, text in self.acknowledged.items())
        doubled = sum(times > 1 for times in Counter(kept.values()).values())
        return lost, doubled


def kill_part(stage: ProvingStage, name: str) -> None:
    """kill -9 of a process and of all it has started; returns when it is up again."""
    try:
        main = stage.stack.find_child(name)
    except StopIteration:
        return
    for process in [*main.children(recursive=True), main]:
        with suppress(psutil.Error):
            process.kill()

    def is_back() -> bool:
        with suppress(StopIteration, psutil.Error):
            return stage.stack.find_child(name).pid != main.pid and stage.is_ready()
        return False

    eventually(is_back)


def prove_acknowledged(stage: ProvingStage) -> Finding:
    run = WriteRun(stage, name_person("crash"))
    kills = list(PARTS) * stage.scale(1, 10)

    def hurt() -> None:
        for name in kills:
            time.sleep(1)
            kill_part(stage, name)

    run.write_during(hurt)
    lost, doubled = run.count_kept()
    figure = (
        f"{lost} lost and {doubled} doubled of {len(run.acknowledged):,} acknowledged, {len(kills)} kills -9 of "
        f"{len(PARTS)} parts, {run.resent} sent again, {run.unanswered} never answered"
    )
    return Finding(figure, lost == doubled == run.unanswered == 0 and len(run.acknowledged) > 0)


def prove_index_work(stage: ProvingStage) -> Finding:
    """The queue is emptied and the worker killed while there is work: what is committed is indexed all the same."""
    user, count = name_person("index"), stage.scale(100, 1000)
    with stage.call() as client:
        for first in range(0, count, 50):
            items = [
                {"text": f"Box {number} of {user} holds lamps", "tier": "history"}
                for number in range(first, first + 50)
            ]
            client.post(f"/api/v1/users/{user}/memories/batch", json={"items": items}).raise_for_status()
    redis.Redis.from_url(embedded.redis_url(stage.stack.data_dir)).flushall()
    kill_part(stage, "worker")
    begun = time.monotonic()
    status = stage.wait_until_indexed(user)
    seconds = time.monotonic() - begun
    figure = f"{status['ready']} of {count} indexed {seconds:.0f} s after the worker died and the queue was emptied"
    return Finding(figure, status == {"pending": 0, "ready": count, "failed": 0} and seconds <= INDEXED_WITHIN_S)


def prove_killed_job(stage: ProvingStage) -> Finding:
    """The worker that reads a book dies at several points; the book is there whole, and once."""
    rounds, whole, slowest = stage.scale(1, 5), 0, 0.0
    lines = [f"Shelf {line} of the archive keeps a lantern." for line in range(300)]
    for number in range(rounds):
        headers = {"x-user-id": name_person("job")}
        with stage.call() as client:
            file = ("shelves.txt", "\n\n".join(lines).encode())
            handed = client.post("/api/v1/books/upload", files={"file": file}, headers=headers)
            handed.raise_for_status()
            time.sleep(0.3 + 0.5 * number)
            kill_part(stage, "books")
            begun = time.monotonic()
            await_job(client, handed.json()["job_id"], headers)
            slowest = max(slowest, time.monotonic() - begun)
            whole += is_book_whole(client, headers, lines)
    figure = (
        f"{whole} of {rounds} books whole and once after a kill -9; the slowest resumed and ended in {slowest:.0f} s"
    )
    return Finding(figure, whole == rounds and slowest <= PATIENCE_S)


def await_job(client: httpx.Client, job: str, headers: dict[str, str]) -> None:
    def is_completed() -> bool:
        return bool(client.get(f"/api/v1/books/jobs/{job}/status", headers=headers).json()["status"] == "completed")

    eventually(is_completed, 3 * PATIENCE_S)


def is_book_whole(client: httpx.Client, headers: dict[str, str], lines: list[str]) -> bool:
    books = client.get("/api/v1/books/list", headers=headers).json()["items"]
    if len(books) != 1:
        return False
    path = f"/api/v1/books/{books[0]['book_id']}/chunks?limit=200"
    told = [str(chunk["text"]) for chunk in client.get(path, headers=headers).json()["items"]]
    is_once = books[0]["chunks"] == len(told) == len(set(told))
    return is_once and all(line in "\n".join(told) for line in lines)


def prove_retries(stage: ProvingStage) -> Finding:
    """The same key many times at once has one effect; with another body it is refused."""
    user = name_person("retry")
    mine, theirs = f"/api/v1/users/{user}/memories", f"/api/v1/users/{name_person('retry')}/memories"
    key = {"idempotency-key": user}
    body = {"text": "The spare key hangs behind the boiler", "tier": "history"}
    with stage.call() as client:

        def send(_number: int) -> httpx.Response:
            return client.post(mine, json=body, headers=key)

        with ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(send, range(50)))
        again = client.post(mine, json=body, headers=key)
        made = {answer.content for answer in [*answers, again] if answer.is_success}
        strange = [answer.status_code for answer in answers if not answer.is_success and answer.status_code != 409]
        mentions = client.get(f"{mine}/{again.json()['id']}").json()["mentions"]
        changed = client.post(mine, json={"text": "Something else"}, headers=key).status_code
        other = client.post(theirs, json=body, headers=key).status_code
    figure = (
        f"50 at once: {mentions} effect, {len(made)} distinct bodies, other answers than 409: {strange or 'none'}; "
        f"another body {changed}, another person {other}"
    )
    is_kept = (mentions, len(made), strange, changed, other) == (1, 1, [], 409, 201)
    return Finding(figure, is_kept)
