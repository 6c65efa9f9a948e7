"""Row 30: no door that takes an address leads to this machine or its network, by name, by number or by redirect.

The installation has a name server of its own (`NAMES`), as one that turns a name inward is what has to be met, and what
it sends to `PUBLIC` arrives at a server of this command. All beyond that is the product's.
"""

import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import quote

import httpx

from memory.benchmarks.serving import find_free_port
from memory.proving.installation import Stack
from memory.proving.pages import open_console
from memory.proving.patience import PATIENCE_S, eventually
from memory.proving.promises import Finding
from memory.proving.stage import ProvingStage, end_installation

# Nobody has it: a benchmark's network is not global, and 192.88.99.0/24 was given back.
PUBLIC: Final = "203.0.114.7"
NUMBERS: Final = (
    "127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",  # noqa: S104
    "224.0.0.1", "255.255.255.255", "198.18.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1",
    "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::127.0.0.1]",
    "[fe80::1]", "[fd00::1]", "[ff02::1]", "[2001:0:7f00:1::]",
)  # fmt: skip
# What each name stands for: for whoever makes a webhook (none: the name server is away), and for whoever sends to it,
# the first time and from then on.
NAMES: Final[dict[str, list[list[str]]]] = {
    "localhost": [["127.0.0.1"], ["127.0.0.1"]],
    "inward.example": [["127.0.0.1"], ["127.0.0.1"]],
    "inward6.example": [["::1"], ["::1"]],
    "mapped.example": [["::ffff:127.0.0.1"], ["::ffff:127.0.0.1"]],
    "metadata.example": [["169.254.169.254"], ["169.254.169.254"]],
    "mixed.example": [[PUBLIC, "127.0.0.1"], [PUBLIC, "127.0.0.1"]],
    "later.example": [[], ["127.0.0.1"]],
    "later6.example": [[], ["::1"]],
    "later-mixed.example": [[], [PUBLIC, "127.0.0.1"]],
    "later-translated.example": [[], ["64:ff9b::7f00:1"]],
    "turned.example": [[PUBLIC], ["127.0.0.1"]],
    "turning.example": [[PUBLIC], [PUBLIC], ["127.0.0.1"]],
    "public.example": [[PUBLIC], [PUBLIC]],
}
HOSTS: Final = (*NUMBERS, *(name for name in NAMES if name != "public.example"))
REDIRECTS: Final = (301, 302, 303, 307, 308)
# Loaded by every process of the installation, before anything else.
RESOLVER: Final = """
import json, os, socket, sys, threading
names, public, port = json.loads(os.environ["PROVE_NAMES"])
is_worker = "celery" in sys.orig_argv
looked_up, lock, ask, connect = {}, threading.Lock(), socket.getaddrinfo, socket.create_connection

def getaddrinfo(host, *words, **more):
    host = host.decode() if isinstance(host, bytes) else host
    answers = names.get(str(host).lower())
    if answers is None:
        return ask(host, *words, **more)
    with lock:
        turn = looked_up[host] = looked_up.get(host, 0) + 1
    chosen = answers[min(turn, len(answers) - 1)] if is_worker else answers[0]
    if not chosen:
        raise socket.gaierror(socket.EAI_AGAIN, "the name server is away")
    return [one for to in chosen for one in ask(to, *words, **more)]

def create_connection(address, *words, **more):
    return connect(("127.0.0.1", port) if address[0] == public else address, *words, **more)

socket.getaddrinfo, socket.create_connection = getaddrinfo, create_connection
"""


@dataclass(slots=True)
class InwardPort:
    """Counts who connects, on both protocols of this machine."""

    port: int
    count: int = 0
    listeners: list[socket.socket] = field(default_factory=list)

    def __enter__(self) -> "InwardPort":
        for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::1")):  # noqa: S104  (any number of it)
            # A machine may have no IPv6; then nothing can lead there.
            with suppress(OSError):
                listener = socket.create_server((host, self.port), family=family)
                self.listeners.append(listener)
                threading.Thread(target=self.accept, args=(listener,), daemon=True).start()
        return self

    def accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                self.count += 1
                connection.close()

    def __exit__(self, *_: object) -> None:
        for listener in self.listeners:
            # Closing alone does not wake who waits on it.
            with suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def is_counting(self) -> bool:
        """Whether a connection is counted, which is not kept."""
        socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
        counted = eventually(lambda: self.count > 0, 5)
        self.count = 0
        return counted


class RedirectingServer(ThreadingHTTPServer):
    """What stands in for a public host: the path ends with the status of its answer, and all lead inward."""

    daemon_threads = True

    def __init__(self, target: str) -> None:
        super().__init__(("127.0.0.1", 0), RedirectingCalls)
        self.target = target
        self.asked: Counter[int] = Counter()


class RedirectingCalls(BaseHTTPRequestHandler):
    server: RedirectingServer

    def do_POST(self) -> None:
        status = int(self.path.rpartition("-")[2])
        self.server.asked[status] += 1
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(status)
        self.send_header("location", self.server.target)
        self.send_header("refresh", f"0; url={self.server.target}")
        self.send_header("content-length", "0")
        self.end_headers()

    do_GET = do_POST  # noqa: N815  (as the library calls it)

    def log_message(self, *_words: Any) -> None:
        """Nothing: what is asked is counted."""


@contextmanager
def serve_redirects(target: str) -> Iterator[RedirectingServer]:
    with RedirectingServer(target) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


@contextmanager
def stage_resolving(stage: ProvingStage, redirects: RedirectingServer) -> Iterator[ProvingStage]:
    """An installation whose processes look names up as `NAMES` has them."""
    home = stage.stack.data_dir.parent / "resolving"
    (home / "code").mkdir(parents=True)
    (home / "code" / "sitecustomize.py").write_text(RESOLVER, encoding="utf-8")
    environment = {
        "PYTHONPATH": str(home / "code"),
        "PROVE_NAMES": json.dumps([NAMES, PUBLIC, redirects.server_port]),
    }
    resolving = ProvingStage(
        Stack(home / "data", find_free_port(), find_free_port(), environment=environment), stage.is_brief, stage.say
    )
    try:
        resolving.start()
        yield resolving
    finally:
        end_installation(resolving.stack)


def prove_no_inner_requests(stage: ProvingStage) -> Finding:
    """Webhooks made, changed and sent, and the documents of clients; each against a port that counts connections."""
    with ExitStack() as stack:
        inner = stack.enter_context(InwardPort(find_free_port()))
        redirects = stack.enter_context(serve_redirects(f"http://127.0.0.1:{inner.port}/"))
        if not inner.is_counting():
            return Finding("the port that counts connections counts none", is_kept=False)
        resolving = stack.enter_context(stage_resolving(stage, redirects))
        refused, kept = try_webhooks(resolving, inner.port)
        ended = deliver_all(
            resolving, [*kept, *(make_webhook(resolving, f"http://public.example/to-{one}") for one in REDIRECTS)]
        )
        asked = ask_documents(resolving, inner.port)
    tried, met = 2 * len(HOSTS), set(redirects.asked) & set(REDIRECTS)
    figure = (
        f"{inner.count} connections inward: of {tried} addresses given to a webhook that is made or changed {refused} "
        f"refused at once, {ended['refused']} when it was sent, {ended['sent']} sent; {len(met)} of {len(REDIRECTS)} "
        f"redirects inward met and not followed; {asked['refused']} of {asked.total()} documents of clients refused"
    )
    is_refused = ended["sent"] == 0 and refused + ended["refused"] == tried and asked["refused"] == asked.total() > 0
    return Finding(figure, inner.count == 0 and is_refused and len(met) == len(REDIRECTS))


def make_webhook(stage: ProvingStage, url: str) -> str:
    """Its number; empty where the address is refused."""
    with stage.call() as client:
        answer = client.post("/api/v1/webhooks", json={"url": url, "events": ["memory.stored"]})
    return str(answer.json()["id"]) if answer.status_code == 201 else ""


def try_webhooks(stage: ProvingStage, port: int) -> tuple[int, list[str]]:
    """How many addresses were refused, and the webhooks that have one of the others: made with it, or changed to it."""
    refused, kept = 0, list[str]()
    for host in HOSTS:
        url = f"http://{host}:{port}/to-503"
        made = make_webhook(stage, url)
        changed = make_webhook(stage, "http://public.example/to-200")
        with stage.call() as client:
            is_changed = client.patch(f"/api/v1/webhooks/{changed}", json={"url": url}).is_success
            if not is_changed:
                client.delete(f"/api/v1/webhooks/{changed}").raise_for_status()
        refused += (not made) + (not is_changed)
        kept += [made] * bool(made) + [changed] * is_changed
    return refused, kept


def deliver_all(stage: ProvingStage, webhooks: list[str]) -> Counter[str]:
    """A message to each, and what came of it. One that reached what is public is sent again."""
    ended: Counter[str] = Counter()
    with stage.call() as client:
        for one in webhooks:
            client.post(f"/api/v1/webhooks/{one}/test").raise_for_status()
        for one in webhooks:
            found: dict[str, str] = {}
            eventually(partial(has_ended, client, one, found), PATIENCE_S)
            ended[found.get("end", "sent")] += 1
    return ended


def has_ended(client: httpx.Client, webhook: str, found: dict[str, str]) -> bool:
    items = client.get(f"/api/v1/webhooks/{webhook}/deliveries").raise_for_status().json()["items"]
    if any(one["error"].startswith("refused") for one in items):
        found["end"] = "refused"
    elif any(one["status"] in REDIRECTS for one in items):
        found["end"] = "redirected"
    return "end" in found


def ask_documents(stage: ProvingStage, port: int) -> Counter[str]:
    """As a client that names itself by an address, of which an operator opens the page of consent."""
    asked: Counter[str] = Counter()
    with open_console(stage) as browser:
        for host in HOSTS:
            client_id = f"https://{host}:{port}/client.json"
            wanted = f"client_id={quote(client_id, safe='')}&redirect_uri={quote('http://localhost/', safe='')}"
            answer = browser.get(
                f"/authorize?response_type=code&code_challenge_method=S256&code_challenge={'a' * 43}&{wanted}"
            )
            asked["refused" if 400 <= answer.status_code < 500 else "taken"] += 1
    return asked
