"""Rows 20 and 22: a service that is gone is left alone, and one that answers wrongly is not believed."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from typing import Any, Final

from memory.benchmarks.serving import find_free_port
from memory.proving.faults import DEADLINE_S, hold_still, prepare_person, search_timed
from memory.proving.installation import Stack
from memory.proving.patience import eventually
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, end_installation, name_person

FAILURES_TO_OPEN: Final = 5
WINDOW_S: Final = 30.0
# An open breaker adds no more than this to a search; who waits for the service waits for a second.
ADDED_S: Final = 0.5
DIMENSIONS: Final = 384
HUGE: Final = 40 * 2**20
VECTORS = (
    "SELECT count(*), count(*) FILTER (WHERE l2_norm(v.embedding) NOT BETWEEN 0.99 AND 1.01) FROM memory_vector v "
    "JOIN end_user u ON u.id = v.user_id WHERE u.external_id = %s"
)


def prove_breaker(stage: ProvingStage) -> Finding:
    """The embedder stands still for longer than a window: few wait for it, and it is asked again once it answers."""
    user, seconds = prepare_person(stage, "breaker"), stage.scale(40, 200)
    with stage.call(timeout_s=4 * DEADLINE_S) as client:
        quick = median(search_timed(client, user, number)[2] for number in range(1000, 1010))
        took, failed = list[float](), 0
        with hold_still(stage, "embedder"):
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                status, _, waited = search_timed(client, user, len(took))
                took.append(waited - quick)
                failed += status != 200
                time.sleep(0.1)
        begun = time.monotonic()

        def is_whole() -> bool:
            query = f"Where do the forks lie at {time.monotonic()}?"
            answer = client.post(f"/api/v1/users/{user}/search", json={"query": query})
            return answer.status_code == 200 and not answer.json()["debug"]["fallbacks_used"]

        is_closed = eventually(is_whole, 2 * WINDOW_S)
        closed_s = time.monotonic() - begun
    waiting = sum(one > ADDED_S for one in took)
    most = FAILURES_TO_OPEN + 1 + int(seconds // WINDOW_S)
    figure = (
        f"embedder standing still for {seconds} s: {waiting} of {len(took)} searches waited for it (at most {most}), "
        f"the median took {median(took) * 1000:+.0f} ms more, {failed} failed; "
        f"{'whole again' if is_closed else 'not whole again'} {closed_s:.0f} s after it answered"
    )
    return Finding(figure, 0 < waiting <= most and not failed and is_closed and closed_s <= WINDOW_S + 5)


def make_vector(text: str) -> list[float]:
    dice = random.Random(text)  # noqa: S311  (the same vector for the same text)
    return [dice.gauss(0, 1) for _ in range(DIMENSIONS)]


def send(handler: BaseHTTPRequestHandler, content: bytes, status: int = 200, kind: str = "application/json") -> None:
    handler.send_response(status)
    handler.send_header("content-type", kind)
    handler.send_header("content-length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def send_json(handler: BaseHTTPRequestHandler, vectors: object) -> None:
    send(handler, json.dumps(vectors).encode())


Lie = Callable[[BaseHTTPRequestHandler, list[list[float]]], None]
LIES: Final[dict[str, Lie]] = {
    "other dimensions": lambda to, right: send_json(to, [one[:-1] for one in right]),
    "not a number": lambda to, right: send_json(to, [[float("nan"), *one[1:]] for one in right]),
    "without end": lambda to, right: send_json(to, [[1e999, *one[1:]] for one in right]),
    "nothing but zeros": lambda to, right: send_json(to, [[0.0] * DIMENSIONS for _ in right]),
    "one too few": lambda to, right: send_json(to, right[:-1]),
    "one too many": lambda to, right: send_json(to, [*right, right[0]]),
    "words": lambda to, right: send_json(to, [["a"] * DIMENSIONS for _ in right]),
    "a page": lambda to, _: send(to, b"<html>Welcome</html>", kind="text/html"),
    "too many calls": lambda to, _: send(to, b"{}", status=429),
    "a fault": lambda to, _: send(to, b"{}", status=500),
    "far too much": lambda to, _: send(to, b"[" + b" " * HUGE + b"]"),
    "no answer": lambda _to, _right: time.sleep(12),
}


class LyingEmbedder(ThreadingHTTPServer):
    """An embedding service that answers rightly until it is told to lie."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), EmbedderCalls)
        self.lie = ""
        self.asked: Counter[str] = Counter()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class EmbedderCalls(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LyingEmbedder

    def do_GET(self) -> None:
        send_json(self, {"model_id": "all-MiniLM-L6-v2"})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        right = [make_vector(str(text)) for text in asked.get("inputs", [])]
        self.server.asked[self.server.lie] += 1
        LIES.get(self.server.lie, send_json)(self, right)

    def log_message(self, *_words: Any) -> None:
        """Nothing: what is asked is counted."""


@contextmanager
def serve_lies() -> Iterator[LyingEmbedder]:
    with LyingEmbedder() as embedder:
        thread = threading.Thread(target=embedder.serve_forever, daemon=True)
        thread.start()
        try:
            yield embedder
        finally:
            embedder.shutdown()


def prove_distrust(stage: ProvingStage) -> Finding:
    """In an installation whose embedder lies in one way after another, while there is something to embed."""
    home = stage.stack.data_dir.parent / "deceived"
    home.mkdir()
    with serve_lies() as embedder:
        # A breaker would spare it most of the lies.
        environment = {"EMBEDDING_URL": embedder.url, "BREAKER_FAILURES": "100000"}
        deceived = ProvingStage(
            Stack(home / "data", find_free_port(), find_free_port(), environment=environment), stage.is_brief, stage.say
        )
        try:
            deceived.start()
            return lie_in_turn(deceived, embedder)
        finally:
            end_installation(deceived.stack)


def lie_in_turn(stage: ProvingStage, embedder: LyingEmbedder) -> Finding:
    user, failed, slowest, believed, unasked = name_person("lied"), 0, 0.0, list[str](), list[str]()
    with stage.call(timeout_s=4 * DEADLINE_S) as client, stage.query_all() as server:
        for number, lie in enumerate(LIES):
            embedder.lie = lie
            told = {"text": f"Jar {number} holds buttons and spoons", "tier": "history"}
            failed += client.post(f"/api/v1/users/{user}/memories", json=told).status_code != 201
            status, _, seconds = search_timed(client, user, number)
            failed, slowest = failed + (status != 200), max(slowest, seconds)
            unasked += [lie] * (not eventually(partial(embedder.asked.__getitem__, lie), 5))
            (stored, _) = server.execute(VECTORS, [user]).fetchone() or (0, 0)
            believed += [lie] * bool(stored)
        embedder.lie = ""
        eventually(lambda: (server.execute(VECTORS, [user]).fetchone() or (0,))[0] >= len(LIES), 120)
        good, bad = server.execute(VECTORS, [user]).fetchone() or (0, 0)
    figure = (
        f"{len(believed)} of {len(LIES)} lies of an embedder stored {' '.join(believed)}, {failed} of {2 * len(LIES)} "
        f"calls failed meanwhile, the slowest search {slowest:.1f} s; once it tells the truth {good} of {len(LIES)} "
        f"indexed, {bad} vectors of another length than one {' '.join(unasked)}"
    )
    is_kept = not (believed or failed or unasked or bad) and good == len(LIES) and slowest <= DEADLINE_S
    return Finding(figure, is_kept)
