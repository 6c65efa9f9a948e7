"""Row 37: two web nodes and two workers behind a pooler by transaction; one is replaced, one is killed.

PgBouncer lends connections by transaction, so that whatever a node leaves on a connection meets another node's work.
The nodes have no keep-alive connections and are chosen in turn: what one wrote the other has to know at once.
"""

import itertools
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg

from config import embedded
from config.databases import SESSION_TIMEOUTS
from config.runtime import programs
from config.runtime.postgres import build_user_switch, find_server_user
from config.supervisor import Program, end_process
from memory.benchmarks.serving import await_ready, find_free_port, spawn_program, start_program
from memory.proving.crashes import WriteRun
from memory.proving.installation import clean_environment
from memory.proving.patience import PATIENCE_S, eventually
from memory.proving.promises import Finding, UnmeasurableError
from memory.proving.stage import ProvingStage, name_person

LOOPBACK: Final = "127.0.0.1"
POOLER_PORT: Final = 6432
# As the documentation asks for; fewer connections than the nodes have threads, so that they really share them.
POOLER: Final = """
[databases]
{database} = host={host} port=5432 dbname={database}

[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
unix_socket_mode = 0777
listen_port = {port}
auth_type = plain
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = 12
max_client_conn = 400
ignore_startup_parameters = extra_float_digits,options
logfile = {folder}/pooler.log
"""
# Of a balancer, between taking a node off its list and the node's end.
DRAIN_S: Final = 1.0


@dataclass(slots=True)
class WebNode:
    program: Program
    url: str
    log: Path
    is_listed: bool = False
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = spawn_program(self.program, self.log)
        await_ready(self.program, self.process, self.log)
        self.is_listed = True

    def replace(self) -> None:
        """As a rolling update does: off the list, ended by SIGTERM, started again, on the list."""
        self.is_listed = False
        time.sleep(DRAIN_S)
        self.end()
        self.start()

    def end(self) -> None:
        if self.process is not None:
            end_process(self.process, self.program.grace_s)

    def kill(self) -> None:
        """kill -9 of the node and of its processes, which the balancer is not told."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@dataclass(slots=True)
class Balancer(httpx.BaseTransport):
    """Gives each request to the next listed node, on a connection of its own."""

    nodes: list[WebNode]
    broken_off: int = 0
    _turn: Iterator[int] = field(default_factory=itertools.count)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        listed = [node for node in self.nodes if node.is_listed]
        if not listed:
            raise httpx.ConnectError("no node is listed", request=request)
        with self._lock:
            node = listed[next(self._turn) % len(listed)]
        address = httpx.URL(node.url)
        request.url = request.url.copy_with(host=address.host, port=address.port)
        try:
            return forward_request(request)
        except httpx.TransportError:
            with self._lock:
                self.broken_off += 1
            raise


def forward_request(request: httpx.Request) -> httpx.Response:
    with httpx.HTTPTransport(limits=httpx.Limits(max_keepalive_connections=0)) as transport:
        answer = transport.handle_request(request)
        answer.read()
        return answer


@dataclass(slots=True)
class NodeStage(ProvingStage):
    """The same installation, called through its nodes."""

    balancer: Balancer = field(default_factory=lambda: Balancer([]))

    @contextmanager
    def call(self, key: str = "", timeout_s: float = 60.0) -> Iterator[httpx.Client]:
        headers = {"authorization": f"Bearer {key or self.stack.api_key}"}
        with httpx.Client(
            base_url=self.stack.api_url, headers=headers, timeout=timeout_s, transport=Shared(self.balancer)
        ) as client:
            yield client


@dataclass(slots=True)
class Shared(httpx.BaseTransport):
    """A transport that several clients use, and none closes."""

    balancer: Balancer

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self.balancer.handle_request(request)


@contextmanager
def run_pooler(stage: ProvingStage, folder: Path) -> Iterator[str]:
    """The DATABASE_URL of the application's role through a PgBouncer beside the embedded Postgres."""
    program = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    if program is None:
        raise UnmeasurableError("PgBouncer is not installed here")
    paths = embedded.installation_paths(stage.stack.data_dir)
    password = embedded.load_secrets(paths.data).password("app")
    role = embedded.ROLES["app"]
    settings = POOLER.format(database=embedded.DATABASE, host=paths.run, folder=folder, port=POOLER_PORT)
    (folder / "pooler.ini").write_text(settings, encoding="utf-8")
    (folder / "users.txt").write_text(f'"{role}" "{password}"\n', encoding="utf-8")
    # It refuses to run as root, as Postgres does, and is given the same identity, under which it reaches the sockets.
    prefix = build_user_switch(paths)
    for name in (folder, *folder.iterdir()):
        if os.geteuid() == 0:
            shutil.chown(name, find_server_user(prefix))
    with (
        set_role_timeouts(stage, role),
        subprocess.Popen([*prefix, program, "-q", str(folder / "pooler.ini")], stderr=subprocess.DEVNULL) as pooler,
    ):
        try:
            url = f"postgresql://{role}:{password}@:{POOLER_PORT}/{embedded.DATABASE}?host={folder}"
            if not eventually(partial(is_reached, url), PATIENCE_S):
                raise UnmeasurableError(f"PgBouncer did not start: {read_end(folder / 'pooler.log')}")
            yield url
        finally:
            pooler.terminate()


@contextmanager
def set_role_timeouts(stage: ProvingStage, role: str) -> Iterator[None]:
    """What the pooler drops of a connection's options belongs to the role, as the documentation asks for."""
    with stage.query_all() as server:
        for name, value in SESSION_TIMEOUTS.items():
            server.execute(f"ALTER ROLE {role} SET {name} = {value}")
    try:
        yield
    finally:
        with stage.query_all() as server:
            for name in SESSION_TIMEOUTS:
                server.execute(f"ALTER ROLE {role} RESET {name}")


def is_reached(url: str) -> bool:
    with suppress(psycopg.OperationalError), psycopg.connect(url, connect_timeout=3) as server:
        return server.execute("SELECT 1").fetchone() == (1,)
    return False


def read_end(log: Path) -> str:
    return log.read_text(encoding="utf-8")[-300:] if log.exists() else "it said nothing"


def build_nodes(stage: ProvingStage, url: str, folder: Path) -> list[WebNode]:
    nodes = []
    for number in range(2):
        address = programs.WebAddress(LOOPBACK, find_free_port())
        program = programs.build_web_program(embedded.installation_paths(stage.stack.data_dir), address)
        nodes.append(WebNode(set_environment(program, url), address.url, folder / f"node-{number}.log"))
    return nodes


def build_workers(stage: ProvingStage, url: str) -> list[Program]:
    paths = embedded.installation_paths(stage.stack.data_dir)
    address = programs.WebAddress(LOOPBACK, stage.stack.port)
    return [
        set_environment(programs.build_worker(f"node-{number}", programs.WORKER_QUEUES, 1, paths, address), url)
        for number in range(2)
    ]


def set_environment(program: Program, url: str) -> Program:
    own = {name: program.environment[name] for name in ("DATA_DIR", "DB_ROLE", "PYTHONUNBUFFERED", "PUBLIC_URL")}
    return replace(program, environment=clean_environment(**own, DATABASE_URL=url))


def prove_nodes(stage: ProvingStage) -> Finding:
    """Nothing of a node is needed by the other, replacing one loses no request, killing one no write."""
    with ExitStack() as stack:
        folder = stage.stack.data_dir.parent / "nodes"
        folder.mkdir(mode=0o700, exist_ok=True)
        url = stack.enter_context(run_pooler(stage, folder))
        for worker in build_workers(stage, url):
            stack.enter_context(start_program(worker, folder))
        nodes = build_nodes(stage, url, folder)
        for node in nodes:
            stack.callback(node.end)
            node.start()
        through = NodeStage(stage.stack, stage.is_brief, stage.say, Balancer(nodes))
        unknown = count_unknown(through, stage.scale(30, 300))
        return prove_replacement(stage, through, unknown)


def prove_replacement(stage: ProvingStage, through: NodeStage, unknown: int) -> Finding:
    first, second = through.balancer.nodes
    run = WriteRun(through, name_person("nodes"))
    broken: list[int] = []

    def hurt() -> None:
        time.sleep(2)
        for _ in range(stage.scale(1, 5)):
            first.replace()
            second.replace()
        broken.append(through.balancer.broken_off)
        second.kill()
        time.sleep(2)
        second.start()
        time.sleep(1)

    run.write_during(hurt)
    lost, doubled = run.count_kept()
    status = through.wait_until_indexed(run.user)
    figure = (
        f"{unknown} of what one node wrote was unknown to the other; {broken[0]} requests broken off while both nodes "
        f"were replaced; {lost} lost and {doubled} doubled of {len(run.acknowledged):,} acknowledged with a kill -9 of "
        f"one, {through.balancer.broken_off - broken[0]} sent again, {run.unanswered} never answered; "
        f"{status.get('ready', 0):,} indexed, {status.get('pending', 0)} left"
    )
    is_kept = unknown == broken[0] == lost == doubled == run.unanswered == status.get("pending", 1) == 0
    return Finding(figure, is_kept and len(run.acknowledged) > 0)


def count_unknown(stage: NodeStage, times: int) -> int:
    """What is asked of the other node right after: a memory, a repeated request, a turn of the same conversation."""
    user, unknown = name_person("shared"), 0
    with stage.call() as client:
        for number in range(times):
            key = {"idempotency-key": f"{user}-{number}"}
            body = {"text": f"Crate {number} stands in bay {number}", "tier": "history"}
            made, again = (client.post(f"/api/v1/users/{user}/memories", json=body, headers=key) for _ in range(2))
            read = client.get(f"/api/v1/users/{user}/memories/{made.json().get('id', '')}")
            unknown += again.json() != made.json() or read.status_code != 200
            unknown += not is_turn_shared(client, user, number)
    return unknown


def is_turn_shared(client: httpx.Client, user: str, number: int) -> bool:
    """One node is told where a friend lives, the other is asked."""
    path = f"/api/v1/users/{user}/hot/turn"

    def take_turn(text: str) -> dict[str, Any]:
        answer: dict[str, Any] = client.post(path, json={"thread_id": f"t-{number}", "text": text}).json()
        return answer

    take_turn(f"My friend Priya moved to {('Leeds', 'Porto', 'Ghent')[number % 3]}.")
    told = take_turn("Where does Priya live?")
    return any(("Leeds", "Porto", "Ghent")[number % 3] in bullet["text"] for bullet in told.get("bullets", ()))
